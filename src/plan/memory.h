//===- memory.h - the planner's working memory ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All memory a computation needs hangs on one stow_memory and goes back to the
// caller's allocator in one call, whatever way the computation ends. So a
// function that fails half way just returns, and nothing here has an owner to
// think about. A block may be given back early; that is for large ones only.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_MEMORY_H
#define STOWAGE_PLAN_MEMORY_H

#include "stowage/plan.h"

typedef struct stow_memory_block stow_memory_block;

typedef struct stow_memory {
  stow_allocator allocator;
  stow_memory_block *blocks; // doubly linked, newest first
} stow_memory;

// Starts with no memory. `allocator` NULL means libc. Cannot fail.
void stow_memory_begin(stow_memory *memory, const stow_allocator *allocator);

// `count` elements of `size` bytes, uninitialised, or NULL. Never NULL for a count of zero alone.
void *stow_memory_take(stow_memory *memory, size_t count, size_t size);
void *stow_memory_take_zeroed(stow_memory *memory, size_t count, size_t size);

// A block for twice as many elements, or a first one, with the `count` that `old` has, which is
// given back. NULL where memory is short; `old` and the capacity are as before then.
void *stow_memory_grow(stow_memory *memory, void *old, uint32_t count, uint32_t *inout_capacity,
                       size_t size);

// Gives one block back before the end. NULL is allowed.
void stow_memory_drop(stow_memory *memory, void *block);

// Gives everything back.
void stow_memory_end(stow_memory *memory);

#define STOW_TAKE(MEMORY, TYPE, COUNT) ((TYPE *)stow_memory_take((MEMORY), (COUNT), sizeof(TYPE)))
#define STOW_TAKE_ZEROED(MEMORY, TYPE, COUNT)                                                      \
  ((TYPE *)stow_memory_take_zeroed((MEMORY), (COUNT), sizeof(TYPE)))

#endif // STOWAGE_PLAN_MEMORY_H
