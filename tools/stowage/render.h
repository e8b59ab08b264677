//===- render.h - maps into files and onto terminals ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_RENDER_H
#define STOWAGE_TOOL_RENDER_H

#include "output.h"

// Whether `name` ends in `suffix`.
bool tool_has_suffix(const char *name, const char *suffix);

// Whether a map can be drawn into a file of this name; where not, a message has been printed.
bool tool_check_map_name(const char *name);

// Draws into FILE.html or FILE.svg. `other` is a second plan to compare with, or NULL. On false a
// message has been printed.
bool tool_write_map(const stow_report *report, const stow_report *other, const char *name);

// Draws the map of every arena that has a plan. On false, out of memory.
bool tool_print_maps(const stow_report *report, FILE *stream);

// How a map may look on this stream: as wide as COLUMNS or the terminal says, else 80; beyond ASCII
// where the locale says UTF-8; in colour on a terminal unless NO_COLOR is set.
stow_map_style tool_map_style(FILE *stream);

#endif // STOWAGE_TOOL_RENDER_H
