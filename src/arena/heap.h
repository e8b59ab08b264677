//===- heap.h - memory beside the arenas --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_HEAP_H
#define STOWAGE_ARENA_HEAP_H

#include "arena/arena.h"
#include "ir/calls.h"

// Whether an op calls a function that takes memory from the heap.
bool stow_calls_allocator(const stow_arenas *arenas, const stow_calls *calls, MlirOperation op);

// Whether a value may be what a callee allocated for this function.
bool stow_is_given(const stow_arenas *arenas, const stow_calls *calls, const stow_value *value);

// The first arena from `first` on that is of another function: those of one follow each other.
size_t stow_arenas_end(const stow_arenas *arenas, size_t first, size_t function);

// Bytes that a function's heap has at its peak after merge-alloc, with the arenas [first, end):
// arenas, results, buffers that are left alone and what callees return, each freed after its last
// use and as much larger as the lowering asks for to align it. Sizes known at run time only count
// for nothing, and so does what callees free themselves.
uint64_t stow_heap_peak(const stow_arenas *arenas, const stow_calls *calls, size_t function,
                        size_t first, size_t end);

#endif // STOWAGE_ARENA_HEAP_H
