//===- invariants.h - what collecting and planning promise the rewrite ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With NDEBUG nothing of it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_INVARIANTS_H
#define STOWAGE_ARENA_INVARIANTS_H

#include "arena/arena.h"

#ifndef NDEBUG

// After stow_settle: who is planned, and in which arena.
void stow_assert_collected(const stow_arenas *arenas);

// After stow_plan_arenas: each arena's plan is of its planned members, and holds.
void stow_assert_planned(const stow_arenas *arenas);

#else

static inline void stow_assert_collected(const stow_arenas *arenas) { (void)arenas; }
static inline void stow_assert_planned(const stow_arenas *arenas) { (void)arenas; }

#endif

#endif // STOWAGE_ARENA_INVARIANTS_H
