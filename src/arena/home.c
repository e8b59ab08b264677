//===- home.c - from where to where an arena is there ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/home.h"

#include <assert.h>

typedef struct lodging {
  const stow_arenas *arenas;
  const stow_arena *arena;
  const stow_flow *flow;
  const size_t *members;
  size_t count;
} lodging;

static MlirRegion region_of(MlirOperation op) {
  return mlirBlockGetParentRegion(mlirOperationGetBlock(op));
}

static MlirOperation parent_of(MlirRegion region) {
  return mlirBlockGetParentOperation(mlirRegionGetFirstBlock(region));
}

// Widens `region` until it holds `op`.
static void widen(MlirRegion *region, MlirOperation op) {
  while (mlirOperationIsNull(stow_op_in_region(*region, op)))
    *region = region_of(parent_of(*region));
}

// The first op of the outermost loop between the scope and `nest`, or null.
static MlirOperation outermost_loop(const lodging *l, int32_t nest) {
  MlirOperation loop = {NULL};
  for (; nest != stow_arena_scope(l->arenas, l->arena)->nest; nest = l->flow->nests.at[nest].parent)
    if (l->flow->nests.at[nest].flags & STOW_NEST_REPEATS)
      loop = l->flow->ops.at[l->flow->nests.at[nest].begin];
  return loop;
}

static bool is_single_block(MlirRegion region) {
  return stow_is_only_block(mlirRegionGetFirstBlock(region));
}

// No op is given a view of what is freed.
static int64_t end_of(const stow_life *life) { return stow_later(life->end, life->handed); }

// One past the last position of the lives.
static int64_t last_end(const lodging *l) {
  int64_t end = 0;
  for (size_t i = 0; i < l->count; ++i)
    end = stow_later(end, end_of(stow_arena_life(l->arenas, l->arena, l->members[i])));
  return end;
}

// The op after the last life among the region's own; null where that is a terminator.
static MlirOperation op_after_last(const lodging *l, MlirRegion region) {
  return mlirOperationGetNextInBlock(stow_op_in_region(region, l->flow->ops.at[last_end(l) - 1]));
}

// The innermost region that holds all lives and no part of a loop around them: the scope's, or that
// of an op that runs its regions at most once.
static MlirRegion home_of(const lodging *l) {
  if (!mlirRegionIsNull(l->arena->home))
    return l->arena->home;
  const stow_alloc *first = &l->flow->allocs.at[l->members[0]];
  const MlirRegion outermost = stow_arena_scope(l->arenas, l->arena)->region;
  MlirRegion home = region_of(first->op);
  for (size_t i = 0; i < l->count && !mlirRegionEqual(home, outermost); ++i) {
    widen(&home, l->flow->allocs.at[l->members[i]].op);
    const stow_life *life = stow_arena_life(l->arenas, l->arena, l->members[i]);
    widen(&home, l->flow->ops.at[life->begin]);
    widen(&home, l->flow->ops.at[end_of(life) - 1]);
  }
  MlirOperation loop = outermost_loop(l, l->flow->values.at[first->value].nest);
  if (!mlirOperationIsNull(loop))
    widen(&home, loop);
  while (is_single_block(home) && mlirOperationIsNull(op_after_last(l, home)))
    widen(&home, parent_of(home));
  return home;
}

// Where the arena is made: before the first alloc, as far as that lies in the first block.
static MlirOperation first_op(const lodging *l, MlirRegion home) {
  MlirBlock entry = mlirRegionGetFirstBlock(home);
  MlirOperation first = stow_op_in_region(home, l->flow->allocs.at[l->members[0]].op);
  bool in_entry = mlirBlockEqual(mlirOperationGetBlock(first), entry);
  return in_entry ? first : mlirBlockGetTerminator(entry);
}

static lodging lodging_of(const stow_arenas *arenas, const stow_arena *arena, const size_t *members,
                          size_t count) {
  assert(count > 0);
  return (lodging){arenas, arena, &stow_arena_function(arenas, arena)->flow, members, count};
}

static stow_stay stay_of(const lodging *l) {
  const MlirRegion home = home_of(l);
  return (stow_stay){.home = home,
                     .before = first_op(l, home),
                     .after =
                         is_single_block(home) ? op_after_last(l, home) : (MlirOperation){NULL}};
}

stow_stay stow_stay_of(const stow_arenas *arenas, const stow_arena *arena, const size_t *members,
                       size_t count) {
  const lodging l = lodging_of(arenas, arena, members, count);
  return stay_of(&l);
}

//===----------------------------------------------------------------------===//
// Where it is made
//===----------------------------------------------------------------------===//

MlirOperation stow_lender_place(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  const stow_alloc *result = &flow->allocs.at[arena->lender];
  size_t count;
  const stow_alloc *first = &flow->allocs.at[stow_tenants(arena, &count)[0]];
  MlirBlock block = mlirOperationGetBlock(result->op);
  MlirOperation place = result->position < first->position
                            ? result->op
                            : stow_op_in_region(mlirBlockGetParentRegion(block), first->op);
  assert(mlirBlockEqual(mlirOperationGetBlock(place), block));
  return place;
}

MlirOperation stow_place_of_arena(const stow_arenas *arenas, const stow_arena *arena) {
  size_t count;
  const size_t *tenants = stow_tenants(arena, &count);
  return arena->frame == STOW_FRAME_RESULT ? stow_lender_place(arenas, arena)
                                           : stow_stay_of(arenas, arena, tenants, count).before;
}

bool stow_is_made_before(MlirOperation place, MlirOperation other) {
  const MlirBlock block = mlirOperationGetBlock(place);
  const MlirOperation around = stow_op_in_region(mlirBlockGetParentRegion(block), other);
  return !mlirOperationIsNull(around) && mlirBlockEqual(mlirOperationGetBlock(around), block) &&
         (mlirOperationEqual(place, around) || mlirOperationIsBeforeInBlock(place, around));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

// The nearest position of an op, from `position` on in steps of 1 or -1.
static int64_t position_of(const stow_flow *flow, MlirOperation op, int64_t position, int step) {
  while (!mlirOperationEqual(flow->ops.at[position], op))
    position += step;
  return position;
}

// One past the last position of a region with several blocks.
static int64_t end_of_region(const stow_flow *flow, MlirRegion region) {
  int64_t end = 0;
  for (size_t b = 0; b < flow->blocks.count; ++b)
    if (mlirRegionEqual(mlirBlockGetParentRegion(flow->blocks.at[b].block), region))
      end = stow_later(end, flow->blocks.at[b].end);
  return end;
}

stow_stretch stow_stretch_of(const stow_arenas *arenas, const stow_arena *arena,
                             const size_t *members, size_t count) {
  const lodging l = lodging_of(arenas, arena, members, count);
  const stow_stay stay = stay_of(&l);
  const int64_t first = l.flow->allocs.at[members[0]].position;
  const MlirBlock block = mlirRegionGetFirstBlock(stay.home);
  return (stow_stretch){.begin = position_of(l.flow, stay.before, first, -1),
                        .end = mlirOperationIsNull(stay.after)
                                   ? end_of_region(l.flow, stay.home)
                                   : position_of(l.flow, stay.after, last_end(&l) - 1, 1),
                        .block = stow_map_get(&l.flow->block_index, block.ptr)};
}
