//===- timeline.c - bytes by position --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/timeline.h"

#include <assert.h>
#include <string.h>

stow_timeline stow_timeline_of(const stow_flow *flow) {
  return (stow_timeline){stow_ir_allocate(flow->ops.count + 1, sizeof(uint64_t)), flow->ops.count};
}

void stow_timeline_add(stow_timeline *t, int64_t begin, int64_t end, uint64_t bytes) {
  if (begin >= end)
    return;
  t->bytes[begin] += bytes;
  t->bytes[end] -= bytes;
}

void stow_timeline_sum_up(stow_timeline *t) {
  for (size_t p = 1; p <= t->count; ++p)
    t->bytes[p] += t->bytes[p - 1];
  assert(t->bytes[t->count] == 0); // all that began has ended
}

uint64_t stow_timeline_peak(const stow_timeline *t) {
  uint64_t peak = 0;
  for (size_t p = 0; p < t->count; ++p)
    peak = stow_ir_larger(peak, t->bytes[p]);
  return peak;
}

stow_heap_life stow_heap_life_of(const stow_arenas *arenas, const stow_arena *arena,
                                 size_t member) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  const stow_life *life = stow_arena_life(arenas, arena, member);
  const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, member);
  const int64_t begin = flow->allocs.at[member].position;
  const int64_t last = stow_ir_later(stow_ir_later(life->end, life->handed), begin + 1);
  return (stow_heap_life){.member = member,
                          .begin = begin,
                          .end = fact->reason == STOW_RETURNED ? (int64_t)flow->ops.count : last,
                          .bytes = fact->size.bytes};
}

// Deallocs are listed in the order of their positions.
int64_t *stow_timeline_frees(const stow_flow *flow) {
  int64_t *at = stow_ir_allocate(flow->frees.count, sizeof *at);
  for (size_t i = 0, p = 0; i < flow->frees.count; ++i) {
    while (!mlirOperationEqual(flow->ops.at[p], flow->frees.at[i].op))
      ++p;
    at[i] = (int64_t)p;
  }
  return at;
}

//===----------------------------------------------------------------------===//
// What merge-alloc leaves
//===----------------------------------------------------------------------===//

// An arena from the first alloc in it to the last use.
static void add_arena(stow_timeline *t, const stow_arenas *arenas, const stow_arena *arena,
                      uint64_t slack) {
  int64_t begin = INT64_MAX, end = 0;
  size_t count;
  const size_t *tenants = stow_arena_tenants(arena, &count);
  for (size_t i = 0; i < count; ++i) {
    const stow_heap_life s = stow_heap_life_of(arenas, arena, tenants[i]);
    begin = stow_ir_earlier(begin, s.begin);
    end = stow_ir_later(end, s.end);
  }
  stow_timeline_add(t, begin, end, arena->plan.arena_size + slack);
}

// A result that lends is made with the first buffer that lies in it.
static void add_lender(stow_timeline *t, const stow_arenas *arenas, const stow_arena *arena,
                       uint64_t slack) {
  stow_heap_life s = stow_heap_life_of(arenas, arena, arena->lender);
  const int64_t made = s.begin;
  size_t count;
  const size_t *tenants = stow_arena_tenants(arena, &count);
  for (size_t i = 0; i < count; ++i)
    s.begin = stow_ir_earlier(s.begin, stow_heap_life_of(arenas, arena, tenants[i]).begin);
  stow_timeline_add(t, s.begin, made,
                    s.bytes + slack); // from `made` on it is counted as any result
}

void stow_timeline_add_made(stow_timeline *t, const stow_arenas *arenas, const stow_arena *arena,
                            uint64_t slack) {
  if (stow_arena_is_made(arena))
    (stow_backing_is(arena->backing, STOW_BACKING_IS_LENT) ? add_lender : add_arena)(t, arenas,
                                                                                     arena, slack);
}

void stow_timeline_add_planned(stow_timeline *t, const stow_arenas *arenas, const stow_arena *arena,
                               uint64_t slack) {
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_heap_life s = stow_heap_life_of(arenas, arena, arena->members.at[i]);
    if (stow_arena_fact(arenas, arena, arena->members.at[i])->reason != STOW_PLANNED)
      stow_timeline_add(t, s.begin, s.end, s.bytes + slack);
  }
  stow_timeline_add_made(t, arenas, arena, slack);
}

//===----------------------------------------------------------------------===//
// Several arenas of one
//===----------------------------------------------------------------------===//

static stow_arena empty_like(const stow_arena *arena) {
  stow_arena empty = *arena;
  memset(&empty.members, 0, sizeof empty.members);
  empty.next_in_scope = SIZE_MAX;
  return empty;
}

void stow_arena_split(stow_arenas *arenas, stow_arena *arena, const int64_t *part,
                      size_t part_count, stow_reason reason, stow_arena_list *out) {
  const size_t first = out->count, count = part_count > 0 ? part_count : 1;
  for (size_t p = 0; p < count; ++p)
    STOW_PUSH(*out, empty_like(arena));
  for (size_t i = 0; i < arena->members.count; ++i) {
    stow_buffer_fact *fact = stow_arena_selected(arenas, arena, arena->members.at[i]);
    assert(fact->reason != STOW_PLANNED || part[i] < (int64_t)count);
    if (fact->reason == STOW_PLANNED && part[i] < 0)
      fact->reason = reason;
    const size_t p = fact->reason == STOW_PLANNED ? (size_t)part[i] : 0;
    STOW_PUSH(out->at[first + p].members, arena->members.at[i]);
  }
  free(arena->members.at);
}

size_t stow_arena_times_found(const stow_rises *found, const stow_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < found->count; ++i)
    count += found->at[i].function == arena->function &&
             mlirAttributeEqual(found->at[i].memory_space, arena->memory_space);
  return count;
}

void stow_arenas_take(stow_arenas *arenas, const stow_arena_list *list) {
  free(arenas->arenas.at);
  arenas->arenas.at = list->at;
  arenas->arenas.count = list->count;
  arenas->arenas.capacity = list->capacity;
}
