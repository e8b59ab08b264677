//===- conditional.c - arenas of branches ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the function's arena, the buffers of a branch take bytes even when the branch is not
// taken. If that arena is much larger than what every path needs, the buffers of each region
// that may not run get an arena of their own, which the rewrite allocates in the innermost
// region that contains all of their lives.
//
// An attribute of the remaining arena says how many of its bytes every path needs. The arena also
// has small branches and padding, which a second run of the pass must not count as needed.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/timeline.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <stdlib.h>

enum { NO_BRANCH = -1 };

// The end of the outermost loop of its arena's scope that a buffer is in, or -1.
static int64_t end_of_loops(const stow_flow *flow, const stow_alloc *alloc) {
  int32_t nest = flow->values.at[alloc->value].nest;
  int64_t end = -1;
  for (; nest != flow->scopes.at[alloc->scope].nest; nest = flow->nests.at[nest].parent)
    if (flow->nests.at[nest].flags & STOW_NEST_REPEATS)
      end = stow_ir_later(end, flow->nests.at[nest].end);
  return end;
}

// The outermost block around a buffer's life that may not run when the function does, or NO_BRANCH.
// What its terminator uses has to be freed outside. The rewrite makes no arena in a loop that the
// buffer is in, too.
static int32_t branch_of(const stow_flow *flow, const stow_heap_life *life) {
  const stow_alloc *alloc = &flow->allocs.at[life->member];
  const int64_t end = stow_ir_later(life->end, end_of_loops(flow, alloc));
  int32_t branch = NO_BRANCH;
  for (int32_t b = alloc->block; b >= 0; b = flow->blocks.at[b].parent) {
    const stow_block *block = &flow->blocks.at[b];
    if (block->parent >= 0 && block->once == b && end < block->end &&
        stow_arena_is_only_block(block->block))
      branch = b;
  }
  return branch;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

typedef struct branched {
  size_t member; // an index of the arena's members
  size_t alloc;
  const stow_buffer_fact *fact;
  uint64_t bytes; // that are needed while it lives
  int32_t branch;
} branched;

typedef STOW_ARRAY(branched) branched_list;

STOW_BY_FIELDS(compare_branches, branched, branch, member)

// What is needed of a buffer: less than its size if it is an arena beside which branches have their
// own.
static uint64_t needed_bytes(const stow_alloc *alloc, const stow_buffer_fact *fact) {
  const MlirAttribute needed = stow_attribute_of(alloc->op, STOW_ON_EVERY_PATH);
  if (mlirAttributeIsNull(needed) || !mlirAttributeIsAInteger(needed))
    return fact->size.bytes;
  const int64_t bytes = mlirIntegerAttrGetValueInt(needed);
  return bytes >= 0 && (uint64_t)bytes < fact->size.bytes ? (uint64_t)bytes : fact->size.bytes;
}

// The entry of an alloc, or null. The list ascends.
static branched *entry_of(const branched_list *list, int32_t alloc) {
  const size_t i = stow_ir_first_from(STOW_COLUMN(list->at, list->count, alloc), alloc);
  return i < list->count && list->at[i].alloc == (size_t)alloc ? &list->at[i] : NULL;
}

// Of two buffers of a branch that share bytes though both live, only the larger counts: a load
// above what the plan takes would split what a second run, which sees the plan, leaves in one.
static void count_exclusive_once(const stow_pairs *pairs, const branched_list *list) {
  for (size_t p = 0; p < pairs->count; ++p) {
    branched *a = entry_of(list, pairs->at[p].first), *b = entry_of(list, pairs->at[p].second);
    if (!a || !b || a->branch != b->branch || !a->fact->exclusive || !b->fact->exclusive)
      continue;
    if (a->bytes > 0 && b->bytes > 0)
      *(a->bytes < b->bytes ? &a->bytes : &b->bytes) = 0;
  }
}

// The planned members, by branch.
static branched_list sort_by_branch(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  branched_list list = {0};
  for (size_t i = 0; i < arena->members.count; ++i) {
    const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
    if (fact->reason != STOW_PLANNED)
      continue;
    const stow_heap_life life = stow_heap_life_of(arenas, arena, arena->members.at[i]);
    const uint64_t bytes = needed_bytes(&flow->allocs.at[life.member], fact);
    STOW_PUSH(list, (branched){i, life.member, fact, bytes, branch_of(flow, &life)});
  }
  count_exclusive_once(&stow_arena_function(arenas, arena)->exclusive, &list);
  STOW_SORT(list, compare_branches);
  return list;
}

// The end of the branch that begins at `first`.
static size_t end_of_branch(const branched_list *list, size_t first) {
  size_t end = first;
  while (end < list->count && list->at[end].branch == list->at[first].branch)
    ++end;
  return end;
}

static void add_pieces(stow_timeline *t, const branched *b, int64_t from) {
  for (size_t p = 0; p < b->fact->piece_count; ++p)
    stow_timeline_add(t, b->fact->pieces[p].begin - from, b->fact->pieces[p].end - from, b->bytes);
}

// The most bytes at once of [first, end), as an arena holds them. Linear in the positions between
// them, so that all branches, which are apart, take no longer than the function.
static uint64_t load_of(const branched_list *list, size_t first, size_t end) {
  int64_t from = INT64_MAX, to = 0;
  for (size_t i = first; i < end; ++i) {
    from = stow_ir_earlier(from, list->at[i].fact->begin);
    to = stow_ir_later(to, list->at[i].fact->end);
  }
  assert(from < to);
  const size_t count = (size_t)(to - from);
  stow_timeline t = {stow_ir_allocate(count + 1, sizeof(uint64_t)), count};
  for (size_t i = first; i < end; ++i)
    add_pieces(&t, &list->at[i], from);
  stow_timeline_sum_up(&t);
  const uint64_t load = stow_timeline_peak(&t);
  free(t.bytes);
  return load;
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

// What lies in no branch comes first: its end.
static size_t end_of_always(const branched_list *list) {
  return list->count && list->at[0].branch == NO_BRANCH ? end_of_branch(list, 0) : 0;
}

// Gives branches that are much larger than `always`, what every path needs, a part of their own.
// Returns how many parts there are.
static size_t number_parts(const stow_arenas *arenas, const branched_list *list, uint64_t always,
                           int64_t *part) {
  const size_t begin = end_of_always(list);
  const double most = (double)always * arenas->options.conditional_share;
  size_t parts = 1;
  for (size_t first = begin, end; first < list->count; first = end) {
    end = end_of_branch(list, first);
    if (begin == 0 && end == list->count && first == 0)
      break; // all in one branch: the arena is made there
    if ((double)always + (double)load_of(list, first, end) <= most)
      continue;
    for (size_t i = first; i < end; ++i)
      part[list->at[i].member] = (int64_t)parts;
    ++parts;
  }
  return parts;
}

// Whether a planned member is made in a block inside of the body's ops: no other is in a branch.
static bool may_have_branches(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  STOW_EACH_ITEM(size_t, member, arena->members)
    if (flow->blocks.at[flow->allocs.at[member].block].parent >= 0 &&
        stow_arena_fact(arenas, arena, member)->reason == STOW_PLANNED)
      return true;
  return false;
}

// True where several parts come of it.
static bool split(stow_arenas *arenas, stow_arena *arena, stow_arena_list *out) {
  branched_list list = sort_by_branch(arenas, arena);
  int64_t *part = stow_ir_allocate(arena->members.count, sizeof *part);
  const size_t left = out->count, begin = end_of_always(&list);
  const uint64_t always = begin > 0 ? load_of(&list, 0, begin) : 0;
  const size_t parts = number_parts(arenas, &list, always, part);
  stow_arena_split(arenas, arena, part, parts, STOW_PLANNED, out);
  if (parts > 1)
    out->at[left].on_every_path = always;
  free(list.at);
  free(part);
  return parts > 1;
}

static bool is_splittable(const stow_arenas *arenas, const stow_arena *arena) {
  return arena->scope == 0 && stow_backing_is(arena->backing, STOW_BACKING_IS_OWN) &&
         !stow_arena_is_dynamic(arenas, arena) && may_have_branches(arenas, arena);
}

void stow_arena_split_conditional(stow_arenas *arenas, const stow_rises *rises) {
  stow_arena_list all = {0};
  bool any = false;
  if (arenas->options.conditional_share <= 0)
    return;
  STOW_EACH(stow_arena, arena, arenas->arenas) {
    if (is_splittable(arenas, arena) && stow_arena_times_found(rises, arena) == 0)
      any |= split(arenas, arena, &all);
    else
      STOW_PUSH(all, *arena);
  }
  stow_arenas_take(arenas, &all);
  if (any)
    stow_arena_settle(arenas); // what is alone now may be an arena already
}
