//===- partners.c - buffers that could share with another ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers could share bytes if one ends before the other begins, if one lives in a gap of the
// other's life, if they exclude each other, or if their pieces alternate. A single sweep over ends,
// begins and gaps finds the first three for all buffers of an arena. For the last, buffers with
// gaps are compared one by one, as long as they are few. A time in which only a part of a buffer is
// live counts as a gap, because another buffer may use the other part.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"

#include "arena/limits.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct range {
  int64_t begin, end;
} range;

typedef STOW_ARRAY(range) ranges;

typedef struct sweep {
  size_t planned;
  int64_t first_end, last_begin;
  ranges gaps;  // by begin; `end` is the largest so far
  ranges lives; // by begin; `end` is the smallest from there on
  STOW_ARRAY(const stow_buffer_fact *) with_gaps;
  bool *excludes; // by member of the arena: some other one
} sweep;

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

static void add(ranges *r, int64_t begin, int64_t end) { STOW_PUSH(*r, (range){begin, end}); }

static bool is_in_part(const stow_live_piece *piece, const stow_buffer_fact *fact) {
  return piece->high > 0 && piece->high - piece->low < fact->size.bytes;
}

static bool is_ever_in_part(const stow_buffer_fact *fact) {
  for (size_t p = 0; p < fact->piece_count; ++p)
    if (is_in_part(&fact->pieces[p], fact))
      return true;
  return false;
}

static void list_gaps(const stow_buffer_fact *fact, ranges *out) {
  int64_t from = fact->begin;
  for (size_t p = 0; p < fact->piece_count; ++p) {
    if (is_in_part(&fact->pieces[p], fact))
      continue;
    if (from < fact->pieces[p].begin)
      add(out, from, fact->pieces[p].begin);
    from = fact->pieces[p].end;
  }
  if (from < fact->end)
    add(out, from, fact->end);
}

static void add_buffer(sweep *s, const stow_buffer_fact *fact) {
  s->first_end = fact->end < s->first_end ? fact->end : s->first_end;
  s->last_begin = fact->begin > s->last_begin ? fact->begin : s->last_begin;
  add(&s->lives, fact->begin, fact->end);
  const size_t gaps = s->gaps.count;
  list_gaps(fact, &s->gaps);
  if (s->gaps.count > gaps)
    STOW_PUSH(s->with_gaps, fact);
}

STOW_BY_FIELD(compare, range, begin)

static void sort(ranges *r) { STOW_SORT(*r, compare); }

static bool may_exclude(const stow_arenas *arenas, const stow_arena *arena, size_t index) {
  const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[index]);
  return fact->reason == STOW_PLANNED && fact->exclusive;
}

// The index of the member that an alloc is, or their count.
static size_t member_of(const stow_arena *arena, size_t alloc) {
  const size_t count = arena->members.count;
  const size_t at = stow_ir_first_from(STOW_NUMBERS(arena->members.at, count), (int64_t)alloc);
  return at < count && arena->members.at[at] == alloc ? at : count;
}

static void mark_pairs(const stow_arenas *arenas, const stow_arena *arena, size_t index,
                       bool *excludes) {
  const stow_pairs *pairs = &stow_arena_function(arenas, arena)->exclusive;
  const size_t alloc = arena->members.at[index];
  for (size_t p = stow_ir_first_pair(pairs, alloc);
       p < pairs->count && (size_t)pairs->at[p].first == alloc; ++p) {
    const size_t other = member_of(arena, (size_t)pairs->at[p].second);
    if (other < arena->members.count && may_exclude(arenas, arena, other))
      excludes[index] = excludes[other] = true;
  }
}

// A pair says nothing where one of the two is in no arena, or in another one.
static bool *excluding_members(const stow_arenas *arenas, const stow_arena *arena) {
  bool *excludes = stow_ir_allocate(arena->members.count, sizeof *excludes);
  for (size_t i = 0; i < arena->members.count; ++i)
    if (may_exclude(arenas, arena, i))
      mark_pairs(arenas, arena, i, excludes);
  return excludes;
}

static sweep sweep_over(const stow_arenas *arenas, const stow_arena *arena) {
  sweep s = {.first_end = INT64_MAX,
             .last_begin = INT64_MIN,
             .excludes = excluding_members(arenas, arena)};
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    s.planned += fact->reason == STOW_PLANNED;
    if (fact->reason == STOW_PLANNED && fact->size.bytes > 0)
      add_buffer(&s, fact);
  }
  sort(&s.gaps);
  sort(&s.lives);
  for (size_t g = 1; g < s.gaps.count; ++g)
    if (s.gaps.at[g].end < s.gaps.at[g - 1].end)
      s.gaps.at[g].end = s.gaps.at[g - 1].end;
  for (size_t l = s.lives.count; l > 1; --l)
    if (s.lives.at[l - 2].end > s.lives.at[l - 1].end)
      s.lives.at[l - 2].end = s.lives.at[l - 1].end;
  return s;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

// How many begin before `position`.
static size_t count_before(const ranges *r, int64_t position) {
  return stow_ir_first_from(STOW_COLUMN(r->at, r->count, begin), position);
}

static bool fits_in_some_gap(const sweep *s, const stow_buffer_fact *fact) {
  size_t before = count_before(&s->gaps, fact->begin + 1);
  return before > 0 && s->gaps.at[before - 1].end >= fact->end;
}

static bool has_gap_for_some(const sweep *s, const stow_buffer_fact *fact) {
  ranges gaps = {0};
  bool found = false;
  list_gaps(fact, &gaps);
  for (size_t g = 0; g < gaps.count && !found; ++g) {
    size_t next = count_before(&s->lives, gaps.at[g].begin);
    found = next < s->lives.count && s->lives.at[next].end <= gaps.at[g].end;
  }
  free(gaps.at);
  return found;
}

static bool meet(const stow_buffer_fact *a, const stow_buffer_fact *b) {
  return stow_ir_pieces_meet(a->pieces, a->piece_count, b->pieces, b->piece_count) &&
         (a == b || !is_ever_in_part(a) || !is_ever_in_part(b));
}

static bool alternates_with_some(const sweep *s, const stow_buffer_fact *fact) {
  const bool gaps = fact->piece_count > 1 || is_ever_in_part(fact);
  if (!gaps || s->with_gaps.count > STOW_PARTNERS_MOST_COMPARED)
    return gaps;
  for (size_t i = 0; i < s->with_gaps.count; ++i)
    if (!meet(fact, s->with_gaps.at[i]))
      return true;
  return false;
}

static bool has_partner(const sweep *s, size_t index, const stow_buffer_fact *fact) {
  if (fact->size.bytes == 0)
    return false;
  return s->first_end <= fact->begin || s->last_begin >= fact->end || s->excludes[index] ||
         fits_in_some_gap(s, fact) || has_gap_for_some(s, fact) || alternates_with_some(s, fact);
}

//===----------------------------------------------------------------------===//
// Dropping
//===----------------------------------------------------------------------===//

// memref<Nxi8>: to make it a view of such a buffer would change nothing but that it is freed.
static bool is_bytes(MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  return mlirShapedTypeGetRank(type) == 1 && mlirTypeIsAInteger(element) &&
         mlirIntegerTypeGetWidth(element) == 8;
}

static bool is_pooled(const stow_arenas *arenas, const stow_arena *arena, const sweep *s,
                      size_t member) {
  const bool shared = stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED);
  if (shared && !arenas->options.scheduler)
    return false;
  if (s->planned > 1)
    return arenas->options.pool_all;
  MlirType type = mlirValueGetType(stow_arena_value(arenas, arena, member));
  if (shared)
    return !is_bytes(type);
  const bool freed =
      arenas->options.leave_arena || stow_arena_fact(arenas, arena, member)->deallocated;
  return arenas->pool_alone && (arenas->framing || arenas->pool_bytes || !is_bytes(type) || !freed);
}

static bool is_related(const stow_arena *arena, size_t member) {
  STOW_EACH_ITEM(stow_relation, told, arena->told)
    if (told.first == member || told.second == member)
      return true;
  return false;
}

// Of a kernel's memory, what has no end has none for that.
static stow_reason reason_of_none(const stow_arena *arena, const stow_buffer_fact *fact) {
  if (fact->size.bytes == 0)
    return STOW_EMPTY;
  if (!stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED) ||
      stow_ir_is(fact->blame, STOW_GPU_FUNC) || stow_ir_is(fact->blame, STOW_GPU_LAUNCH))
    return STOW_NO_PARTNER;
  const bool works = stow_ir_op_traits(fact->blame) & (STOW_STARTS_WORK | STOW_GIVES_TOKEN);
  return works ? STOW_ASYNC : STOW_POINTER;
}

bool stow_arena_drop_partnerless(stow_arenas *arenas, const stow_arena *arena) {
  sweep s = sweep_over(arenas, arena);
  bool changed = false;
  for (size_t i = 0; i < arena->members.count; ++i) {
    stow_buffer_fact *fact = stow_arena_selected(arenas, arena, arena->members.at[i]);
    if (fact->reason != STOW_PLANNED || has_partner(&s, i, fact) ||
        is_related(arena, arena->members.at[i]) ||
        is_pooled(arenas, arena, &s, arena->members.at[i]))
      continue;
    fact->reason = reason_of_none(arena, fact);
    changed = true;
  }
  free(s.gaps.at);
  free(s.lives.at);
  free(s.with_gaps.at);
  free(s.excludes);
  return changed;
}
