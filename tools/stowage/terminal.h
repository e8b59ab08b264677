//===- terminal.h - what a stream is written to ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_TERMINAL_H
#define STOWAGE_TOOL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// Whether the stream goes to a terminal that knows colours and how to wipe a line.
bool tool_is_terminal(FILE *stream);

// COLUMNS where it is set, else the terminal's width, else 0.
size_t tool_terminal_columns(FILE *stream);

#endif // STOWAGE_TOOL_TERMINAL_H
