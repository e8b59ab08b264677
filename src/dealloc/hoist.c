//===- hoist.c - hoist-allocations ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation of static size moves up to the start of the function, through blocks
// that dominate it and out of regions. It does not leave
//
//   a loop (of blocks or of an op), unless its ownership moves nowhere, so that each
//   iteration is done with its buffer; else two iterations may need one each
//   a region whose iterations may run at once, or whose control flow is not known
//
// An allocation whose size is known only at run time is not made on paths on which the
// program makes none: there the size may be negative, or too large. It only leaves ops that
// are certain to run it: no op before it there has effects, and a loop has iterations.
//
// Its deallocs are taken away and placed anew for where it stands then. In a module without
// deallocs none are placed, unless it needs none: if all its buffers are returned, those that move
// out of a branch must be freed behind the other ones.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/limits.h"
#include "dealloc/place/place.h"
#include "stowage/passes.h"

#include <stdlib.h>

typedef struct upward {
  MlirOperation alloc, before;
  MlirOperation next; // where the alloc was
} upward;

typedef struct hoister {
  const stow_decision *decision;
  STOW_ARRAY(upward) moves;
  stow_op_list deallocs;
  bool *looped; // per segment of the decision: control may come back to it
  bool freed;   // some domain frees
  bool lacks;   // some domain needs deallocs or clones that it does not have
  bool inside;  // some alloc is not in the entry block of its domain, also when all have moved
} hoister;

//===----------------------------------------------------------------------===//
// How far up
//===----------------------------------------------------------------------===//

static bool is_in_region(MlirValue value, MlirRegion region) {
  return mlirRegionEqual(mlirBlockGetParentRegion(stow_block_of(value)), region);
}

// Which segments control may come back to at all: those between the ends of a back edge, in reverse
// postorder.
static bool *find_loops(const stow_domain *domain) {
  size_t segments = domain->segments.count;
  int32_t *open = stow_allocate(segments + 1, sizeof *open); // by turn: loops that begin less end
  bool *looped = stow_allocate(segments, sizeof *looped), *at = stow_allocate(segments, 1);
  for (size_t p = 0; p < domain->edges.count; ++p) {
    const int32_t from = domain->dominance[domain->edges.at[p].from].turn;
    const int32_t to = domain->dominance[domain->edges.at[p].to].turn;
    if (to <= from)
      ++open[to], --open[from + 1];
  }
  int32_t depth = 0;
  for (size_t turn = 0; turn < segments; ++turn)
    at[turn] = (depth += open[turn]) > 0;
  for (size_t s = 0; s < segments; ++s)
    looped[s] = at[domain->dominance[s].turn];
  free(open), free(at);
  return looped;
}

// Whether control can come back to a segment without passing another one.
static bool comes_back(const stow_domain *domain, int32_t segment, int32_t without) {
  bool *after = stow_segments_after(domain, segment, without);
  const bool back = after[segment];
  free(after);
  return back;
}

//===----------------------------------------------------------------------===//
// Sizes known at run time
//===----------------------------------------------------------------------===//

static bool is_passed_for_certain(MlirOperation op) {
  return (stow_op_traits(op) & (STOW_ALLOCATES_HEAP | STOW_DEALLOCATES)) ||
         (mlirOperationGetNumRegions(op) == 0 && stow_op_has_no_effect(op));
}

// Whether the op's block is the first of its region, and no op before it there has effects.
static bool begins_region(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirRegion region = mlirBlockGetParentRegion(block);
  MlirOperation before = mlirBlockGetFirstOperation(block);
  while (!mlirOperationEqual(before, op) && is_passed_for_certain(before))
    before = mlirOperationGetNextInBlock(before);
  return mlirOperationEqual(before, op) && mlirBlockEqual(block, mlirRegionGetFirstBlock(region));
}

// Whether an op runs its first region at least once. Bounds may be unsigned.
static bool is_entered_for_certain(MlirOperation op) {
  int64_t lower, upper;
  if (stow_is(op, STOW_SCF_FOR))
    return stow_constant_of(mlirOperationGetOperand(op, 0), &lower) &&
           stow_constant_of(mlirOperationGetOperand(op, 1), &upper) && 0 <= lower && lower < upper;
  return stow_is(op, STOW_SCF_EXECUTE_REGION) || stow_is(op, STOW_MEMREF_ALLOCA_SCOPE);
}

static bool needs_region(MlirOperation op, MlirRegion region) {
  bool needs = false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    needs |= is_in_region(mlirOperationGetOperand(op, i), region);
  return needs;
}

static MlirOperation find_certain_place(const hoister *h, int32_t ref, bool stays) {
  const stow_domain *domain = &h->decision->domain;
  MlirOperation op = mlirOpResultGetOwner(domain->refs.at[ref].value), place = op;
  for (;;) {
    MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(place));
    MlirOperation around = mlirBlockGetParentOperation(mlirOperationGetBlock(place));
    if (mlirRegionEqual(region, domain->region) || !is_entered_for_certain(around) ||
        needs_region(op, region) || !begins_region(place))
      return place;
    int32_t outside = stow_segment_ended_by(domain, around);
    if (!stays && comes_back(domain, domain->refs.at[ref].segment, outside))
      return place;
    place = around;
  }
}

static MlirOperation find_place(const hoister *h, int32_t ref) {
  const stow_decision *decision = h->decision;
  const stow_domain *domain = &decision->domain;
  MlirOperation op = mlirOpResultGetOwner(domain->refs.at[ref].value), place = op;
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  int32_t segment = domain->refs.at[ref].segment;
  bool stays = stow_stays_with(decision, ref) || !h->looped[segment];
  if (mlirOperationGetNumOperands(op) > 0)
    return find_certain_place(h, ref, stays);
  for (;;) {
    MlirBlock entry = mlirRegionGetFirstBlock(region);
    int32_t start = stow_map_get(&domain->control->flow.starts, entry.ptr);
    if (!stays && start != segment && comes_back(domain, segment, start))
      return place;
    place = mlirBlockGetFirstOperation(entry);
    MlirOperation around = mlirBlockGetParentOperation(entry);
    if (mlirRegionEqual(region, domain->region) || (stow_op_facts(around) & STOW_OP_PARALLEL))
      return place;
    int32_t outside = stow_segment_ended_by(domain, around);
    if (!stays && comes_back(domain, segment, outside))
      return place;
    place = around;
    region = mlirBlockGetParentRegion(mlirOperationGetBlock(around));
  }
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

static bool is_allocation(const stow_domain *domain, int32_t ref) {
  return domain->refs.at[ref].origin == STOW_MADE &&
         stow_is_result_of(domain->refs.at[ref].value, STOW_MEMREF_ALLOC);
}

static bool is_at_entry(const stow_domain *domain, MlirOperation place) {
  return mlirBlockEqual(mlirOperationGetBlock(place), mlirRegionGetFirstBlock(domain->region));
}

static bool lacks_something(const stow_decision *decision) {
  return decision->releases.items.count > 0 || decision->releases.settlements.count > 0 ||
         stow_makes_clones(decision);
}

static void collect(hoister *h) {
  const stow_domain *domain = &h->decision->domain;
  h->looped = find_loops(domain);
  bool *hoisted = stow_allocate(domain->refs.count, sizeof *hoisted);
  for (size_t r = 0; r < domain->refs.count; ++r) {
    if (!is_allocation(domain, (int32_t)r))
      continue;
    MlirOperation alloc = mlirOpResultGetOwner(domain->refs.at[r].value), place = alloc;
    hoisted[r] = h->decision->owners.of[r].root == (int32_t)r;
    if (hoisted[r])
      place = find_place(h, (int32_t)r),
      STOW_PUSH(h->moves, (upward){.alloc = alloc, .before = place});
    h->inside |= !is_at_entry(domain, place);
  }
  // A move asks for new deallocs even if none of these is of the alloc itself: it may be freed by a
  // realloc, by the name of a phi, or by a caller.
  h->freed |= domain->frees.count > 0;
  h->lacks |= lacks_something(h->decision);
  stow_add_deallocs(h->decision, hoisted, &h->deallocs);
  free(hoisted), free(h->looped);
}

// The ops that move, and where runs of them end.
typedef struct moving {
  stow_map index;
  stow_op_list next; // per op that moves: one that stays, or one nearer to that
} moving;

static void add_moving(moving *m, MlirOperation op) {
  stow_map_add(&m->index, op.ptr, (int32_t)m->next.count);
  STOW_PUSH(m->next, mlirOperationGetNextInBlock(op));
}

// The first op from `op` on that does not move. Shortens the way for those that ask later.
static MlirOperation next_that_stays(moving *m, MlirOperation op) {
  MlirOperation stays = op;
  for (int32_t i; (i = stow_map_get(&m->index, stays.ptr)) >= 0;)
    stays = m->next.at[i];
  for (int32_t i; (i = stow_map_get(&m->index, op.ptr)) >= 0;)
    op = m->next.at[i], m->next.at[i] = stays;
  return stays;
}

// Places are ops that do not move, so that allocs keep their order. False: all are in their places.
static bool move(const hoister *h) {
  moving m = {0};
  bool any = false;
  for (size_t i = 0; i < h->moves.count; ++i)
    add_moving(&m, h->moves.at[i].alloc);
  for (size_t i = 0; i < h->deallocs.count; ++i)
    add_moving(&m, h->deallocs.at[i]);
  for (size_t i = 0; i < h->moves.count; ++i) {
    h->moves.at[i].before = next_that_stays(&m, h->moves.at[i].before);
    any |= !mlirOperationEqual(next_that_stays(&m, h->moves.at[i].alloc), h->moves.at[i].before);
  }
  for (size_t i = 0; i < h->moves.count; ++i) {
    h->moves.at[i].next = mlirOperationGetNextInBlock(h->moves.at[i].alloc);
    mlirOperationMoveBefore(h->moves.at[i].alloc, h->moves.at[i].before);
  }
  stow_map_free(&m.index);
  free(m.next.at);
  return any;
}

static void move_back(const hoister *h) {
  for (size_t i = h->moves.count; i-- > 0;)
    mlirOperationMoveBefore(h->moves.at[i].alloc, h->moves.at[i].next);
}

// False: another round would change nothing. An alloc that has moved may let others move that are
// still inside (a phi that owned may borrow it now), and so may deallocs that are placed anew.
static bool hoist(MlirOperation module, const stow_ownership_settings *settings) {
  stow_ownership ownership = stow_ownership_of(module, settings);
  hoister h = {0};
  for (size_t i = 0; i < ownership.decisions.count; ++i) {
    h.decision = ownership.decisions.at[i];
    collect(&h);
  }
  bool moved = move(&h);
  stow_placement placement = STOW_PLACED;
  if (h.moves.count > 0 && (h.freed || (moved && !h.lacks)))
    placement = stow_place_deallocs_anew(module, &h.deallocs, &ownership);
  if (placement == STOW_NOT_PLACED)
    move_back(&h);
  stow_ownership_free(&ownership);
  free(h.moves.at), free(h.deallocs.at);
  return placement == STOW_PLACED_WITH_OPS ||
         (moved && (h.inside || h.freed || !h.lacks) && placement == STOW_PLACED);
}

void stow_hoist_allocations(MlirOperation module, const stow_deallocation_options *options) {
  stow_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings = stow_ownership_settings_of(options);
  for (int round = 0; round < STOW_OWN_MOST_ROUNDS && hoist(module, &settings); ++round)
    ;
}
