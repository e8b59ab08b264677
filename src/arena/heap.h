//===- heap.h - what the heap holds, and in which cases -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_HEAP_H
#define STOWAGE_ARENA_HEAP_H

#include "arena/arena.h"
#include "arena/limits.h"
#include "arena/timeline.h"
#include "ir/calls.h"

// Whether an op calls a function that takes memory from the heap.
bool stow_arena_calls_allocator(const stow_arenas *arenas, const stow_calls *calls,
                                MlirOperation op);

// Whether a value may be what a callee allocated for this function.
bool stow_arena_is_given(const stow_arenas *arenas, const stow_calls *calls,
                         const stow_value *value);

// The first arena from `first` on that is of another function: those of one follow each other.
size_t stow_arenas_end(const stow_arenas *arenas, size_t first, size_t function);

// Bytes that a function's heap has at its peak after merge-alloc, with the arenas [first, end):
// arenas, results, buffers that are left alone and what callees return, each freed after its last
// use and as much larger as the lowering asks for to align it. Sizes known at run time only count
// for nothing, and so does what callees free themselves.
uint64_t stow_arena_heap_peak(const stow_arenas *arenas, const stow_calls *calls, size_t function,
                              size_t first, size_t end);

// peaks.c. What the heap holds at most while a function runs, what callees take included: as the
// program is, each buffer until it frees it, or until its last use where nothing does, and with
// the arenas. Each allocation is of `slack` bytes more, for what the lowering adds to align. Not
// exact where a size is known at run time only, a dealloc may free one of several, a branch or a
// loop hands a buffer on, a memref.realloc makes one, or calls are recursive or by address.
typedef struct stow_heap_peaks {
  uint64_t before, after;
  bool exact;
} stow_heap_peaks;

// Whether they are known: the heap's allocations of all functions were planned at once.
bool stow_arena_tells_heap(const stow_arenas *arenas);

// Of each function, where they are. Freed with free().
stow_heap_peaks *stow_heap_peaks_of(const stow_arenas *arenas, uint64_t slack);

// Of each function of a module as it is, with no slack, so that `before` and `after` are the same.
// Freed with free().
stow_heap_peaks *stow_heap_peaks_as_is(const stow_module_memory *memory);

//===----------------------------------------------------------------------===//
// Sizes and branches with which a function may run
//===----------------------------------------------------------------------===//
//
// A *case* is a number for each variable of a function's formulas and, for each branch, whether it
// is taken: by its condition where that is a variable, else by chance. In the first cases all
// numbers are the same, and all branches are taken.

typedef struct stow_cases {
  const stow_arenas *arenas;
  const stow_function_memory *function;
  const stow_buffer_fact *selection; // the function's
  size_t count;                      // of cases
  int64_t *atoms[STOW_CASES];
  uint64_t *bytes;     // of each alloc of the function, STOW_CASES of them
  bool *runs;          // of each block, STOW_CASES of them
  uint64_t *slack;     // of each alloc: bytes that the lowering adds to align it
  int64_t *freed;      // of each alloc, STOW_CASES of them: where it is freed last, or -1
  int64_t *hand_overs; // of each value
} stow_cases;

// One case, or `several`. Bytes are 0 where they cannot be told. Freed with stow_cases_free.
stow_cases stow_cases_of(const stow_arenas *arenas, size_t function, bool several);
void stow_cases_free(stow_cases *cases);

// A formula's number; 0 where that cannot be told.
uint64_t stow_arena_case_number(const stow_cases *cases, size_t index, stow_formula formula);

// The bytes of an alloc's slice in a case, if control comes to it: a multiple of its alignment.
uint64_t stow_arena_case_bytes(const stow_cases *cases, size_t index, size_t alloc);

// Whether control comes to a block, if all loops around it run.
bool stow_arena_case_runs(const stow_cases *cases, size_t index, int32_t block);

// The bytes that it holds unshared, with those that the lowering adds to align it: none where
// control does not come to it.
uint64_t stow_arena_case_bytes_unshared(const stow_cases *cases, size_t index, size_t alloc);

// From where to where it is there, unshared: until the program frees it, or until its last use if
// nothing frees it. Where control joins, a buffer may be dead although a
// name of it is not: in every other case it is.
stow_heap_life stow_arena_case_life(const stow_cases *cases, const stow_arena *arena, size_t index,
                                    size_t alloc);

#endif // STOWAGE_ARENA_HEAP_H
