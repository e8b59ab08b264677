//===- phases.c - several arenas, one after the other ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arena keeps its full size as long as any buffer in it is live. Results of the function
// are allocated meanwhile, and at the peak the heap may hold more than with one allocation for
// each buffer, freed after its last use: the *unshared heap*. Where that is so, the arena is
// freed before a result is allocated, and another one allocated after it. Buffers that are
// live across such a split are left alone.
//
// Time is positions: what is allocated at one, and freed at another, is there in between.
// Memory that a callee or an inner scope allocates for a time is the same either way.
//
//===----------------------------------------------------------------------===//

#include "arena/timeline.h"

#include <stdlib.h>

static bool is_of_body(const stow_arena *arena) {
  return arena->scope == 0 && mlirRegionIsNull(arena->region) && arena->stackings.count == 0 &&
         stow_backing_is(arena->backing, STOW_BACKING_IS_ALLOC);
}

static void add_life(stow_timeline *t, stow_heap_life s) {
  stow_timeline_add(t, s.begin, s.end, s.bytes);
}

//===----------------------------------------------------------------------===//
// The heap's peak
//===----------------------------------------------------------------------===//

static bool are_of_one_body(const stow_arena *a, const stow_arena *b) {
  return a->function == b->function && is_of_body(a) && is_of_body(b) &&
         mlirAttributeEqual(a->memory_space, b->memory_space);
}

static void add_members(const stow_arenas *arenas, const stow_arena *arena,
                        stow_timeline *unshared) {
  for (size_t i = 0; i < arena->members.count; ++i)
    add_life(unshared, stow_heap_life_of(arenas, arena, arena->members.at[i]));
}

static bool is_above(const stow_arenas *arenas, uint64_t with, uint64_t unshared) {
  return (double)with > (double)unshared * (1 + arenas->options.heap_overhead);
}

// Whether with the arenas of the body and the memory space of `first` the heap's peak is above that
// of unshared buffers.
static bool rises(const stow_arenas *arenas, const stow_arena *first) {
  const stow_flow *flow = &stow_arena_function(arenas, first)->flow;
  stow_timeline unshared = stow_timeline_of(flow), with = stow_timeline_of(flow);
  STOW_EACH(const stow_arena, arena, arenas->arenas) {
    if (!are_of_one_body(first, arena))
      continue;
    add_members(arenas, arena, &unshared);
    stow_timeline_add_planned(&with, arenas, arena, 0);
  }
  stow_timeline_sum_up(&unshared);
  stow_timeline_sum_up(&with);
  const bool above = is_above(arenas, stow_timeline_peak(&with), stow_timeline_peak(&unshared));
  free(unshared.bytes);
  free(with.bytes);
  return above;
}

// Whether an earlier arena is of the same body: of several, one stands for all.
static bool is_told(const stow_arenas *arenas, size_t index) {
  const stow_arena *arena = &arenas->arenas.at[index];
  for (size_t a = index; a-- > 0 && arenas->arenas.at[a].function == arena->function;)
    if (are_of_one_body(&arenas->arenas.at[a], arena) && arenas->arenas.at[a].planned_count > 0 &&
        arenas->arenas.at[a].backing == STOW_BACKING_HEAP)
      return true;
  return false;
}

bool stow_arena_find_rises(const stow_arenas *arenas, stow_rises *out) {
  const size_t before = out->count;
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    const stow_arena *arena = &arenas->arenas.at[a];
    if (is_of_body(arena) && arena->backing == STOW_BACKING_HEAP && arena->planned_count > 0 &&
        !is_told(arenas, a) && rises(arenas, arena))
      STOW_PUSH(*out, (stow_rise){arena->function, arena->memory_space});
  }
  return out->count > before;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

enum { UNSHARED = -1 };

typedef struct phase_split {
  const stow_arenas *arenas;
  const stow_arena *arena;
  stow_timeline all;         // everything unshared
  uint64_t limit;            // bytes the heap may hold
  stow_heap_lives results;   //
  STOW_ARRAY(int64_t) phase; // per member of the arena
  int64_t phases;
} phase_split;

// The most bytes of a set at once.
static uint64_t load_of(const stow_heap_lives *set, stow_timeline *scratch) {
  for (size_t i = 0; i < set->count; ++i)
    add_life(scratch, set->at[i]);
  stow_timeline_sum_up(scratch);
  return stow_timeline_peak(scratch);
}

// Whether an arena for the set, beside all else unshared, is within the limit.
static bool fits(const phase_split *c, const stow_heap_lives *set, int64_t begin, int64_t end) {
  stow_timeline own = stow_timeline_of(&stow_arena_function(c->arenas, c->arena)->flow);
  const uint64_t load = load_of(set, &own);
  bool ok = true;
  for (int64_t p = begin; p < end && ok; ++p)
    ok = c->all.bytes[p] - own.bytes[p] + load <= c->limit;
  free(own.bytes);
  return ok;
}

static uint64_t crossing(const stow_heap_lives *set, int64_t split) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < set->count; ++i)
    bytes += set->at[i].begin < split && split < set->at[i].end ? set->at[i].bytes : 0;
  return bytes;
}

// Where a result is made between `begin` and `end`, with the fewest bytes across; -1 where none is.
static int64_t best_split(const phase_split *c, const stow_heap_lives *set, int64_t begin,
                          int64_t end) {
  int64_t best = -1;
  for (size_t i = 0; i < c->results.count; ++i) {
    const int64_t split = c->results.at[i].begin;
    if (begin < split && split < end && (best < 0 || crossing(set, split) < crossing(set, best)))
      best = split;
  }
  return best;
}

static void split_set(phase_split *c, const stow_heap_lives *set) {
  int64_t begin = INT64_MAX, end = 0;
  for (size_t i = 0; i < set->count; ++i) {
    begin = stow_ir_earlier(begin, set->at[i].begin);
    end = stow_ir_later(end, set->at[i].end);
  }
  const bool whole = set->count > 0 && fits(c, set, begin, end);
  const int64_t split = whole || set->count == 0 ? -1 : best_split(c, set, begin, end);
  for (size_t i = 0; i < set->count && split < 0; ++i)
    c->phase.at[set->at[i].member] = whole ? c->phases : UNSHARED;
  c->phases += whole;
  if (split < 0)
    return;
  stow_heap_lives before = {0}, after = {0};
  for (size_t i = 0; i < set->count; ++i)
    if (set->at[i].end <= split)
      STOW_PUSH(before, set->at[i]);
    else if (set->at[i].begin >= split)
      STOW_PUSH(after, set->at[i]);
    else
      c->phase.at[set->at[i].member] = UNSHARED;
  split_set(c, &before);
  split_set(c, &after);
  free(before.at);
  free(after.at);
}

// Numbers the phase of each planned member, by its index among the members.
static void number_phases(phase_split *c) {
  const stow_arena *arena = c->arena;
  stow_heap_lives planned = {0};
  c->all = stow_timeline_of(&stow_arena_function(c->arenas, arena)->flow);
  for (size_t i = 0; i < arena->members.count; ++i) {
    stow_heap_life s = stow_heap_life_of(c->arenas, arena, arena->members.at[i]);
    const stow_reason reason = stow_arena_fact(c->arenas, arena, arena->members.at[i])->reason;
    s.member = i;
    STOW_PUSH(c->phase, 0);
    add_life(&c->all, s);
    if (reason == STOW_PLANNED)
      STOW_PUSH(planned, s);
    else if (reason == STOW_RETURNED)
      STOW_PUSH(c->results, s);
  }
  stow_timeline_sum_up(&c->all);
  c->limit =
      (uint64_t)((double)stow_timeline_peak(&c->all) * (1 + c->arenas->options.heap_overhead));
  split_set(c, &planned);
  free(planned.at);
}

//===----------------------------------------------------------------------===//
// Arenas of phases
//===----------------------------------------------------------------------===//

static void split(stow_arenas *arenas, stow_arena *arena, stow_arena_list *out) {
  phase_split c = {.arenas = arenas, .arena = arena};
  number_phases(&c);
  stow_arena_split(arenas, arena, c.phase.at, (size_t)c.phases, STOW_HEAP_PEAK, out);
  free(c.all.bytes);
  free(c.results.at);
  free(c.phase.at);
}

size_t stow_arena_times_found(const stow_rises *found, const stow_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < found->count; ++i)
    count += found->at[i].function == arena->function &&
             mlirAttributeEqual(found->at[i].memory_space, arena->memory_space);
  return count;
}

void stow_arena_split_into_phases(stow_arenas *arenas, const stow_rises *found) {
  stow_arena_list all = {0};
  STOW_EACH(stow_arena, arena, arenas->arenas) {
    const size_t times = is_of_body(arena) ? stow_arena_times_found(found, arena) : 0;
    if (times > 1)
      stow_arena_leave_alone(arenas, arena, STOW_HEAP_PEAK);
    if (times == 1)
      split(arenas, arena, &all);
    else
      STOW_PUSH(all, *arena);
  }
  stow_arenas_take(arenas, &all);
  stow_arena_settle(arenas);
}
