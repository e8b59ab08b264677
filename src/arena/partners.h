//===- partners.h - buffers that could share with another ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_PARTNERS_H
#define STOWAGE_ARENA_PARTNERS_H

#include "arena/arena.h"

// Leaves out of an arena what is live together with all else in it, and what holds no bytes; with
// `pool_all` only what would be alone. True where it changed something.
bool stow_drop_partnerless(stow_function_memory *function, const stow_arena *arena, bool pool_all);

#endif // STOWAGE_ARENA_PARTNERS_H
