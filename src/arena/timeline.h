//===- timeline.h - bytes by position -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many bytes a function body has at each position, if each buffer, or arena, is
// there from one position to another.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_TIMELINE_H
#define STOWAGE_ARENA_TIMELINE_H

#include "arena/arena.h"

// While it is filled the differences from one position to the next, then, summed up, the bytes.
typedef struct stow_timeline {
  uint64_t *bytes;
  size_t count; // positions
} stow_timeline;

// Of no bytes. Freed with free(timeline.bytes).
stow_timeline stow_timeline_of(const stow_flow *flow);
void stow_timeline_add(stow_timeline *timeline, int64_t begin, int64_t end, uint64_t bytes);
void stow_timeline_sum_up(stow_timeline *timeline);
uint64_t stow_timeline_peak(const stow_timeline *timeline);

// The position of each dealloc. Freed with free().
int64_t *stow_timeline_frees(const stow_flow *flow);

// A buffer as the heap sees it if it has an allocation of its own: from where that stands to the
// last use; what is returned stays.
typedef struct stow_heap_life {
  size_t member;
  int64_t begin, end; // positions
  uint64_t bytes;
} stow_heap_life;

typedef STOW_ARRAY(stow_heap_life) stow_heap_lives;

stow_heap_life stow_heap_life_of(const stow_arenas *arenas, const stow_arena *arena, size_t member);

// Adds what merge-alloc leaves of an arena's members: the arena, or the result that lends it its
// bytes, and the members that are not planned. Each is an allocation of `slack` bytes more.
void stow_timeline_add_planned(stow_timeline *timeline, const stow_arenas *arenas,
                               const stow_arena *arena, uint64_t slack);

// Adds the arena alone, where there is one.
void stow_timeline_add_made(stow_timeline *timeline, const stow_arenas *arenas,
                            const stow_arena *arena, uint64_t slack);

// Makes of the members of an arena several arenas of the same scope, appended to `out`: part[i] is
// that of member i, and members of part -1 are left alone for `reason`. The arena is freed.
typedef STOW_ARRAY(stow_arena) stow_arena_list;
void stow_arena_split(stow_arenas *arenas, stow_arena *arena, const int64_t *part,
                      size_t part_count, stow_reason reason, stow_arena_list *out);

// conditional.c. Gives the buffers of regions that may not run an arena of their own, where the
// options say so, but for functions that were split. The arena that is left says with
// STOW_ON_EVERY_PATH what every path needs of it.
void stow_arena_split_conditional(stow_arenas *arenas, const stow_rises *rises);

// How often an arena's function and memory space were found.
size_t stow_arena_times_found(const stow_rises *found, const stow_arena *arena);

// Replaces all arenas by those of the list.
void stow_arenas_take(stow_arenas *arenas, const stow_arena_list *list);

#endif // STOWAGE_ARENA_TIMELINE_H
