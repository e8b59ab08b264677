//===- plan_arenas.c - an offset for every planned buffer -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each arena's planned members, in program order, become a problem of plan.h: pieces
// only for lives of more than one, relations only for exclusive pairs. An arena that
// is larger than its buffers together is given up, and as that may leave others without
// partners, all are planned again until none is.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"
#include "arena/dynamic.h"
#include "arena/limits.h"
#include "arena/workgroup.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static void list_planned(const stow_arenas *arenas, stow_arena *arena) {
  arena->planned_count = 0;
  arena->planned = stow_ir_allocate(arena->members.count, sizeof *arena->planned);
  arena->buffers = stow_ir_allocate(arena->members.count, sizeof *arena->buffers);
  arena->offsets = stow_ir_allocate(arena->members.count, sizeof *arena->offsets);
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    if (fact->reason != STOW_PLANNED)
      continue;
    arena->buffers[arena->planned_count] =
        (stow_buffer){.size = fact->size.bytes,
                      .alignment = stow_slice_alignment(arenas, arena, fact),
                      .begin = fact->begin,
                      .end = fact->end};
    arena->planned[arena->planned_count++] = arena->members.at[i];
  }
}

// What lives in one piece as a whole is given by its ends alone.
static size_t pieces_to_list(const stow_buffer_fact *fact) {
  return fact->piece_count > 1 || fact->pieces[0].high > 0 ? fact->piece_count : 0;
}

// Stackings know of no parts.
static stow_piece piece_to_list(const stow_live_piece *piece, bool is_dynamic) {
  stow_piece planned = stow_arena_planned_piece(piece);
  if (is_dynamic)
    planned.low = planned.high = 0;
  return planned;
}

static void list_pieces(const stow_arenas *arenas, stow_arena *arena) {
  const bool is_dynamic = stow_arena_is_dynamic(arenas, arena);
  size_t count = 0, next = 0;
  for (size_t i = 0; i < arena->planned_count; ++i)
    count += pieces_to_list(stow_arena_fact(arenas, arena, arena->planned[i]));
  arena->pieces = stow_ir_allocate(count, sizeof *arena->pieces);
  arena->piece_starts = stow_ir_allocate(arena->planned_count + 1, sizeof *arena->piece_starts);
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->planned[i]);
    for (size_t p = 0; p < pieces_to_list(fact); ++p)
      arena->pieces[next++] = piece_to_list(&fact->pieces[p], is_dynamic);
    arena->piece_starts[i + 1] = next;
  }
  if (count > 0) {
    arena->problem.piece_starts = arena->piece_starts;
    arena->problem.pieces = arena->pieces;
  }
}

// The index of an alloc among the planned ones, which ascend; -1 where it is not planned.
static int64_t index_of(const stow_arena *arena, size_t alloc) {
  size_t at =
      stow_ir_first_from(STOW_NUMBERS(arena->planned, arena->planned_count), (int64_t)alloc);
  return at < arena->planned_count && arena->planned[at] == alloc ? (int64_t)at : -1;
}

static void list_relations(const stow_arenas *arenas, stow_arena *arena) {
  const stow_pairs *pairs = &stow_arena_function(arenas, arena)->exclusive;
  arena->relations.count = 0;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    if (!stow_arena_fact(arenas, arena, arena->planned[i])->exclusive)
      continue;
    size_t p = stow_ir_first_pair(pairs, arena->planned[i]);
    for (; p < pairs->count && (size_t)pairs->at[p].first == arena->planned[i]; ++p) {
      int64_t second = index_of(arena, (size_t)pairs->at[p].second);
      if (second < 0 || !stow_arena_fact(arenas, arena, (size_t)pairs->at[p].second)->exclusive)
        continue;
      STOW_PUSH(arena->relations, (stow_relation){STOW_EXCLUSIVE, i, (size_t)second});
    }
  }
  STOW_EACH_ITEM(stow_relation, told, arena->told) {
    int64_t first = index_of(arena, told.first), second = index_of(arena, told.second);
    if (first >= 0 && second >= 0)
      STOW_PUSH(arena->relations, (stow_relation){told.kind, (size_t)first, (size_t)second});
  }
  arena->problem.relations = arena->relations.at;
  arena->problem.relation_count = arena->relations.count;
}

void stow_arena_state_problem(const stow_arenas *arenas, stow_arena *arena) {
  stow_arena_free_problem(arena);
  list_planned(arenas, arena);
  arena->problem = (stow_problem)STOW_PROBLEM(arena->buffers, arena->planned_count);
  list_pieces(arenas, arena);
  list_relations(arenas, arena);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

// An arena larger than its buffers together is not worth having, and one without end cannot be had.
// Of a kernel's memory, which nothing but a smaller size is gained by, neither is one as large,
// unless a scheduler has its reasons.
static bool is_wasteful(const stow_arenas *arenas, const stow_arena *arena) {
  if (stow_arena_is_dynamic(arenas, arena) && arena->stackings.count == 0)
    return true;
  const uint64_t unshared = stow_arena_bytes_unshared(arena);
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED) && !arenas->options.scheduler)
    return arena->planned_count > 0 && stow_arena_workgroup_bytes(arenas, arena) >= unshared;
  return !arenas->options.pool_all && !arena->fixed && arena->plan.arena_size > unshared;
}

static stow_status plan_within(const stow_arenas *arenas, stow_arena *arena, uint64_t capacity) {
  const stow_plan_options options = {.strategy = arenas->options.strategy,
                                     .capacity = capacity,
                                     .max_effort = arenas->options.planner_effort};
  stow_status status = stow_plan(&arena->problem, &options, arena->offsets, &arena->plan);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  return status;
}

// Looks harder for a plan within the capacity. Where there is none, the larger plan stays, with a
// bound above the capacity if that is proven.
static stow_status try_capacity(const stow_arenas *arenas, stow_arena *arena, uint64_t capacity) {
  const stow_plan_result larger = arena->plan;
  const stow_status status = plan_within(arenas, arena, capacity);
  const stow_plan_result within = arena->plan;
  if (status != STOW_OK || within.outcome == STOW_FEASIBLE || within.outcome == STOW_OPTIMAL)
    return status;
  arena->plan = larger;
  arena->plan.lower_bound = stow_ir_larger(larger.lower_bound, within.lower_bound);
  if (within.outcome == STOW_INFEASIBLE)
    arena->plan.lower_bound = stow_ir_larger(arena->plan.lower_bound, capacity + 1);
  return STOW_OK;
}

// What the buffers would take more together if each ended at a multiple of the alignment.
static uint64_t padding_of(const stow_arena *arena, uint64_t alignment) {
  uint64_t padding = 0;
  for (size_t i = 0; i < arena->planned_count; ++i)
    padding += -arena->buffers[i].size & (alignment - 1);
  return padding;
}

// Whether two buffers of that alignment and of so many bytes or more are never live at once.
static bool has_unshared(const stow_arena *arena, uint64_t alignment, uint64_t bytes) {
  int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const stow_buffer *buffer = &arena->buffers[i];
    if (buffer->alignment != alignment || buffer->size < bytes || buffer->begin >= buffer->end)
      continue;
    first_end = stow_ir_earlier(first_end, buffer->end);
    last_begin = stow_ir_later(last_begin, buffer->begin);
  }
  return first_end <= last_begin;
}

// Whether no plan is wasteful. A strategy puts each buffer on the bottom or on the end of another,
// so a plan is no higher than some tower of different buffers and their padding. Where nothing is
// padded that is at most the sum of all.
//   Else a tower above the sum holds all buffers but a few, which are together smaller than the
// padding. `auto` begins with first fit by falling size, which puts each buffer of a tower on one
// put before it. Take two that are as large as the padding, and never live at once: both would be
// in the tower, and so would all that was put before the second. But then this one would have been
// put where the first is, or lower, and not above it.
static bool is_worth_it(const stow_arenas *arenas, const stow_arena *arena) {
  if (arena->planned_count == 0 || !stow_backing_is(arena->backing, STOW_BACKING_IS_OWN) ||
      arena->problem.relation_count > 0 || stow_arena_is_dynamic(arenas, arena))
    return false;
  const uint64_t alignment = stow_arena_alignment(arena);
  const uint64_t padding = padding_of(arena, alignment);
  const bool by_size = arenas->options.strategy == STOW_AUTO &&
                       arena->planned_count <= STOW_PLAN_ARENAS_MOST_BY_SIZE;
  return padding == 0 || (by_size && has_unshared(arena, alignment, padding));
}

static bool plan_stated(stow_arenas *arenas, stow_arena *arena) {
  const bool shared =
      stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED); // has a capacity per kernel
  const uint64_t capacity = shared ? 0 : arenas->options.capacity;
  if (arenas->options.scheduler)
    return stow_arena_ask_scheduler(arenas, arena);
  stow_status status = plan_within(arenas, arena, 0);
  bool exceeds = capacity && arena->plan.arena_size > capacity && !is_wasteful(arenas, arena);
  if (status == STOW_OK && exceeds)
    status = try_capacity(arenas, arena, capacity);
  if (status == STOW_OK &&
      stow_arena_plan_holds(&arena->problem, arena->offsets, arena->plan.arena_size) &&
      (!stow_arena_is_dynamic(arenas, arena) || stow_arena_stack(arenas, arena)))
    return true;
  return stow_arena_refuse_plan(arenas);
}

static bool plan_arena(stow_arenas *arenas, stow_arena *arena, bool lenders) {
  stow_arena_state_problem(arenas, arena);
  if (!stow_arena_fix_offsets(arenas, arena, stow_arena_is_dynamic(arenas, arena)))
    return false;
  arena->waits =
      lenders && !arena->fixed && !arenas->options.capacity && is_worth_it(arenas, arena);
  return arena->waits || plan_stated(arenas, arena);
}

bool stow_arena_plan_fixed(stow_arenas *arenas) {
  bool ok = true;
  STOW_EACH(stow_arena, arena, arenas->arenas)
    if (!stow_backing_is(arena->backing, STOW_BACKING_IS_LENT))
      ok &= stow_arena_fix_offsets(arenas, arena, stow_arena_is_dynamic(arenas, arena)) &&
            (!arena->fixed || plan_stated(arenas, arena));
  return ok;
}

bool stow_arena_plan_waiting(stow_arenas *arenas, stow_arena *arena) {
  if (!arena->waits)
    return true;
  arena->waits = !plan_stated(arenas, arena);
  assert(arena->waits || !is_wasteful(arenas, arena));
  return !arena->waits;
}

// Leaves alone the buffers of arenas that are larger than these together, and tells whether there
// are any.
static bool drop_wasteful(stow_arenas *arenas) {
  bool dropped = false;
  STOW_EACH(const stow_arena, arena, arenas->arenas) {
    if (arena->waits || !is_wasteful(arenas, arena))
      continue;
    stow_arena_leave_alone(arenas, arena, STOW_NO_GAIN);
    dropped = true;
  }
  if (dropped)
    stow_arena_settle(arenas);
  return dropped;
}

bool stow_arenas_plan(stow_arenas *arenas, bool lenders) {
  bool ok = true;
  do
    for (size_t a = 0; a < arenas->arenas.count; ++a)
      ok &= plan_arena(arenas, &arenas->arenas.at[a], lenders);
  while (ok && drop_wasteful(arenas));
  if (!ok)
    return false;
  stow_arena_assert_planned(arenas);
  return true;
}
