//===- lifetime.c - from where to where an arena exists ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/lifetime.h"

#include <assert.h>

typedef struct lifetime_query {
  const stow_arenas *arenas;
  const stow_arena *arena;
  const stow_flow *flow;
  const size_t *members;
  size_t count;
} lifetime_query;

static MlirRegion region_of(MlirOperation op) {
  return mlirBlockGetParentRegion(mlirOperationGetBlock(op));
}

static MlirOperation parent_of(MlirRegion region) {
  return mlirBlockGetParentOperation(mlirRegionGetFirstBlock(region));
}

// Widens `region` until it holds `op`.
static void widen(MlirRegion *region, MlirOperation op) {
  while (mlirOperationIsNull(stow_ir_op_in_region(*region, op)))
    *region = region_of(parent_of(*region));
}

// The first op of the outermost loop between the scope and `nest`, or null.
static MlirOperation outermost_loop(const lifetime_query *l, int32_t nest) {
  MlirOperation loop = {NULL};
  for (; nest != stow_arena_scope(l->arenas, l->arena)->nest; nest = l->flow->nests.at[nest].parent)
    if (l->flow->nests.at[nest].flags & STOW_NEST_REPEATS)
      loop = l->flow->ops.at[l->flow->nests.at[nest].begin];
  return loop;
}

static bool is_single_block(MlirRegion region) {
  return stow_arena_is_only_block(mlirRegionGetFirstBlock(region));
}

// No op is given a view of what is freed.
static int64_t end_of(const stow_life *life) { return stow_ir_later(life->end, life->handed); }

// One past the last position of the lives.
static int64_t last_end(const lifetime_query *l) {
  int64_t end = 0;
  for (size_t i = 0; i < l->count; ++i)
    end = stow_ir_later(end, end_of(stow_arena_life(l->arenas, l->arena, l->members[i])));
  return end;
}

// The op after the last life among the region's own; null where that is a terminator.
static MlirOperation op_after_last(const lifetime_query *l, MlirRegion region) {
  return mlirOperationGetNextInBlock(
      stow_ir_op_in_region(region, l->flow->ops.at[last_end(l) - 1]));
}

// The innermost region that holds all lives and no part of a loop around them: the scope's, or that
// of an op that runs its regions at most once.
static MlirRegion region_for(const lifetime_query *l) {
  if (!mlirRegionIsNull(l->arena->region))
    return l->arena->region;
  const stow_alloc *first = &l->flow->allocs.at[l->members[0]];
  const MlirRegion outermost = stow_arena_scope(l->arenas, l->arena)->region;
  MlirRegion region = region_of(first->op);
  for (size_t i = 0; i < l->count && !mlirRegionEqual(region, outermost); ++i) {
    widen(&region, l->flow->allocs.at[l->members[i]].op);
    const stow_life *life = stow_arena_life(l->arenas, l->arena, l->members[i]);
    widen(&region, l->flow->ops.at[life->begin]);
    widen(&region, l->flow->ops.at[end_of(life) - 1]);
  }
  MlirOperation loop = outermost_loop(l, l->flow->values.at[first->value].nest);
  if (!mlirOperationIsNull(loop))
    widen(&region, loop);
  while (is_single_block(region) && mlirOperationIsNull(op_after_last(l, region)))
    widen(&region, parent_of(region));
  return region;
}

// Where the arena is made: before the first alloc, as far as that lies in the first block.
static MlirOperation first_op(const lifetime_query *l, MlirRegion region) {
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  MlirOperation first = stow_ir_op_in_region(region, l->flow->allocs.at[l->members[0]].op);
  bool in_entry = mlirBlockEqual(mlirOperationGetBlock(first), entry);
  return in_entry ? first : mlirBlockGetTerminator(entry);
}

static lifetime_query lifetime_query_of(const stow_arenas *arenas, const stow_arena *arena,
                                        const size_t *members, size_t count) {
  assert(count > 0);
  return (lifetime_query){arenas, arena, &stow_arena_function(arenas, arena)->flow, members, count};
}

static stow_arena_lifetime lifetime_of(const lifetime_query *l) {
  const MlirRegion region = region_for(l);
  return (stow_arena_lifetime){.region = region,
                               .before = first_op(l, region),
                               .after = is_single_block(region) ? op_after_last(l, region)
                                                                : (MlirOperation){NULL}};
}

stow_arena_lifetime stow_arena_lifetime_of(const stow_arenas *arenas, const stow_arena *arena,
                                           const size_t *members, size_t count) {
  const lifetime_query l = lifetime_query_of(arenas, arena, members, count);
  return lifetime_of(&l);
}

//===----------------------------------------------------------------------===//
// Where it is made
//===----------------------------------------------------------------------===//

MlirOperation stow_arena_lender_place(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  const stow_alloc *result = &flow->allocs.at[arena->lender];
  size_t count;
  const stow_alloc *first = &flow->allocs.at[stow_arena_tenants(arena, &count)[0]];
  MlirBlock block = mlirOperationGetBlock(result->op);
  MlirOperation place = result->position < first->position
                            ? result->op
                            : stow_ir_op_in_region(mlirBlockGetParentRegion(block), first->op);
  assert(mlirBlockEqual(mlirOperationGetBlock(place), block));
  return place;
}

MlirOperation stow_arena_place_of(const stow_arenas *arenas, const stow_arena *arena) {
  size_t count;
  const size_t *tenants = stow_arena_tenants(arena, &count);
  return stow_backing_is(arena->backing, STOW_BACKING_IS_LENT)
             ? stow_arena_lender_place(arenas, arena)
             : stow_arena_lifetime_of(arenas, arena, tenants, count).before;
}

bool stow_arena_is_made_before(MlirOperation place, MlirOperation other) {
  const MlirBlock block = mlirOperationGetBlock(place);
  const MlirOperation around = stow_ir_op_in_region(mlirBlockGetParentRegion(block), other);
  return !mlirOperationIsNull(around) && mlirBlockEqual(mlirOperationGetBlock(around), block) &&
         (mlirOperationEqual(place, around) || mlirOperationIsBeforeInBlock(place, around));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

int64_t stow_arena_position_of(const stow_flow *flow, MlirOperation op, int64_t position,
                               int step) {
  while (!mlirOperationEqual(flow->ops.at[position], op))
    position += step;
  return position;
}

// One past the last position of a region with several blocks.
static int64_t end_of_region(const stow_flow *flow, MlirRegion region) {
  int64_t end = 0;
  for (size_t b = 0; b < flow->blocks.count; ++b)
    if (mlirRegionEqual(mlirBlockGetParentRegion(flow->blocks.at[b].block), region))
      end = stow_ir_later(end, flow->blocks.at[b].end);
  return end;
}

stow_arena_interval stow_arena_interval_of(const stow_arenas *arenas, const stow_arena *arena,
                                           const size_t *members, size_t count) {
  const lifetime_query l = lifetime_query_of(arenas, arena, members, count);
  const stow_arena_lifetime life = lifetime_of(&l);
  const int64_t first = l.flow->allocs.at[members[0]].position;
  const MlirBlock block = mlirRegionGetFirstBlock(life.region);
  return (stow_arena_interval){
      .begin = stow_arena_position_of(l.flow, life.before, first, -1),
      .end = mlirOperationIsNull(life.after)
                 ? end_of_region(l.flow, life.region)
                 : stow_arena_position_of(l.flow, life.after, last_end(&l) - 1, 1),
      .block = stow_map_get(&l.flow->block_index, block.ptr)};
}
