//===- partners.h - buffers that could share with another ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_PARTNERS_H
#define STOWAGE_ARENA_PARTNERS_H

#include "arena/arena.h"

// Leaves out of an arena what is live together with all else in it, and what holds no bytes. With
// the option pool_all these only where they would be alone, with pool_alone not even then, unless
// the buffer looks like an arena already. True where it changed something.
bool stow_drop_partnerless(stow_arenas *arenas, const stow_arena *arena);

#endif // STOWAGE_ARENA_PARTNERS_H
