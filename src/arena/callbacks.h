//===- callbacks.h - tracers and schedulers of callers ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_CALLBACKS_H
#define STOWAGE_ARENA_CALLBACKS_H

#include "arena/arena.h"

// Puts what the options' tracer says of the arena's buffers in the place of their lives. False,
// with a located error, where it said something that cannot be.
bool stow_ask_tracer(stow_arenas *arenas, stow_arena *arena);

// Has the options' scheduler plan the arena, and verifies what it says. False, with a located
// error, where it has no plan or one that does not hold.
bool stow_ask_scheduler(stow_arenas *arenas, stow_arena *arena);

#endif // STOWAGE_ARENA_CALLBACKS_H
