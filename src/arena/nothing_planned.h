//===- nothing_planned.h - why nothing was planned ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_NOTHING_PLANNED_H
#define STOWAGE_ARENA_NOTHING_PLANNED_H

#include "arena/arena.h"

// "0 of 12 buffers planned: 10 returned, 2 dynamic-shape", or NULL where some are. Freed with
// free().
char *stow_why_idle(const stow_arenas *arenas);

// Tells of a module in which nothing was planned, and of memory spaces that no buffer is in.
void stow_tell_idle(const stow_arenas *arenas);

#endif // STOWAGE_ARENA_NOTHING_PLANNED_H
