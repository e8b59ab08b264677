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
// are certain to run it: every op before it there is certain to be passed, and a loop has
// iterations. Of an scf.for that may have none it leaves with a size of 0 for that case:
//
//     scf.for %i = %a to %b {          %runs = cmpi slt, %a, %b
//       %m = memref.alloc(%n)    =>    %size = select %runs, %n, 0
//                                      %m = memref.alloc(%size)
//
// Its deallocs are taken away and placed anew for where it stands then. In a module without
// deallocs none are placed, unless it needs none: if all its buffers are returned, those that move
// out of a branch must be freed behind the other ones.
//
//===----------------------------------------------------------------------===//

#include "bridge/affine.h"
#include "dealloc/own/limits.h"
#include "dealloc/place/place.h"
#include "ir/build.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "stowage/passes.h"

#include <stdlib.h>

typedef struct upward {
  MlirOperation alloc, before;
  MlirOperation next; // where the alloc was
  MlirBlock from;
} upward;

typedef struct hoister {
  const stow_decision *decision;
  const char *tells; // the pass, whose remarks are not out yet; or NULL
  const stow_calls *calls;
  const bool *returning; // per function: control is certain to return from a call of it
  STOW_ARRAY(upward) moves;
  stow_op_list deallocs;
  bool *looped;   // per segment of the decision: control may come back to it
  bool **returns; // per region's depth and fence: as looped, without passing these; NULL: not asked
  bool freed;     // some domain frees
  bool lacks;     // some domain needs deallocs or clones that it does not have
  bool inside;    // some alloc is not in the entry block of its domain, also when all have moved
} hoister;

//===----------------------------------------------------------------------===//
// How far up
//===----------------------------------------------------------------------===//

static int32_t region_around(const stow_domain *domain, int32_t region) {
  return domain->control->regions.at[region].parent;
}

static bool is_in_region(MlirValue value, MlirRegion region) {
  return mlirRegionEqual(mlirBlockGetParentRegion(stow_block_of(value)), region);
}

// Which segments control may come back to at all: those between the ends of a back edge, in reverse
// postorder.
static bool *find_loops(const stow_domain *domain) {
  size_t segments = domain->segments.count;
  int32_t *open = stow_ir_allocate(segments + 1, sizeof *open); // by rpo: loops that begin less end
  bool *looped = stow_ir_allocate(segments, sizeof *looped), *at = stow_ir_allocate(segments, 1);
  for (size_t p = 0; p < domain->edges.count; ++p) {
    const int32_t from = domain->dominance[domain->edges.at[p].from].rpo;
    const int32_t to = domain->dominance[domain->edges.at[p].to].rpo;
    if (to <= from) {
      ++open[to];
      --open[from + 1];
    }
  }
  int32_t depth = 0;
  for (size_t rpo = 0; rpo < segments; ++rpo)
    at[rpo] = (depth += open[rpo]) > 0;
  for (size_t s = 0; s < segments; ++s)
    looped[s] = at[domain->dominance[s].rpo];
  free(open);
  free(at);
  return looped;
}

// What control passes whenever it enters a region.
typedef enum fence {
  STARTS,  // where the region begins
  OUTSIDE, // the end of the segment before the op around
  FENCES,
} fence;

static int32_t fence_of(const stow_domain *domain, const stow_control_region *region, fence kind) {
  MlirBlock entry = mlirRegionGetFirstBlock(region->region);
  if (mlirBlockIsNull(entry))
    return -1;
  return kind == STARTS ? stow_map_get(&domain->control->flow.starts, entry.ptr)
                        : stow_dealloc_segment_ended_by(domain, mlirBlockGetParentOperation(entry));
}

// Per segment: whether a cycle of edges goes through it and through none that is fenced off.
static bool *find_cycles(const stow_domain *domain, const bool *fenced) {
  const size_t segments = domain->segments.count;
  STOW_ARRAY(stow_jump) jumps = {0};
  bool *cyclic = stow_ir_allocate(segments, sizeof *cyclic);
  STOW_EACH_ITEM(stow_jump, edge, domain->edges) {
    if (fenced[edge.from] || fenced[edge.to])
      continue;
    STOW_PUSH(jumps, edge);
    cyclic[edge.from] |= edge.from == edge.to;
  }
  stow_index successors = stow_ir_successors_of(jumps.at, jumps.count, segments);
  stow_components components = stow_components_of(&successors, segments);
  for (size_t s = 0; s < segments; ++s) {
    int32_t c = components.of_node[s];
    cyclic[s] |= components.first[c + 1] - components.first[c] > 1;
  }
  stow_components_free(&components);
  stow_index_free(&successors);
  free(jumps.at);
  return cyclic;
}

// Whether control can come back to a segment inside of a region without passing that region's
// fence. Such a way stays in the region, or in the regions of its op. So the fences of all regions
// of one depth are taken away together.
static bool comes_back(const hoister *h, int32_t segment, int32_t region, fence kind) {
  const stow_domain *domain = &h->decision->domain;
  const int32_t depth = domain->control->regions.at[region].depth;
  bool **returns = &h->returns[depth * FENCES + kind];
  if (*returns)
    return (*returns)[segment];
  bool *fenced = stow_ir_allocate(domain->segments.count, sizeof *fenced);
  STOW_EACH(const stow_control_region, other, domain->control->regions) {
    int32_t fenced_off = other->depth == depth ? fence_of(domain, other, kind) : -1;
    if (fenced_off >= 0)
      fenced[fenced_off] = true;
  }
  *returns = find_cycles(domain, fenced);
  free(fenced);
  return (*returns)[segment];
}

//===----------------------------------------------------------------------===//
// Sizes known at run time
//===----------------------------------------------------------------------===//

// Whether control is certain to get behind an op itself, if it gets behind those in its regions.
static bool is_left_for_certain(const stow_calls *calls, const bool *returning, MlirOperation op) {
  const stow_traits waits = STOW_WAITS | STOW_GIVES_TOKEN | STOW_SUSPENDS;
  const int32_t called = stow_op_facts(op) & STOW_OP_CALL ? stow_ir_called(calls, op) : -1;
  const bool may_end = called < 0 ? stow_ir_op_may_end(op) : !returning[called];
  return !may_end && !stow_ir_op_may_not_end(op) && !(stow_ir_op_traits(op) & waits);
}

static bool returns_for_certain(const stow_calls *calls, const bool *returning,
                                MlirOperation function) {
  bool returns = !stow_ir_op_may_not_end(function);
  for (MlirOperation op = stow_ir_next_of(function, function, true);
       returns && !mlirOperationIsNull(op); op = stow_ir_next_of(function, op, true))
    returns = is_left_for_certain(calls, returning, op);
  return returns;
}

// Callees come first. One that may call itself is not known to return when it is asked.
static bool *find_returning(const stow_calls *calls) {
  bool *returning = stow_ir_allocate(calls->function_count, sizeof *returning);
  for (size_t i = 0; i < calls->function_count; ++i) {
    const int32_t f = calls->components.members[i];
    returning[f] = returns_for_certain(calls, returning, calls->functions[f]);
  }
  return returning;
}

static bool is_passed_for_certain(const hoister *h, MlirOperation op) {
  STOW_EACH_OP_OF(inside, op)
    if (!is_left_for_certain(h->calls, h->returning, inside))
      return false;
  return true;
}

static bool is_in_first_block(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  return mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)));
}

// Whether something before the place, up to which an alloc could move, may not be passed.
static bool has_doubt(const hoister *h, MlirOperation alloc, MlirOperation place) {
  MlirOperation before = mlirBlockGetFirstOperation(mlirOperationGetBlock(place));
  while (!mlirOperationEqual(before, place) && is_passed_for_certain(h, before))
    before = mlirOperationGetNextInBlock(before);
  const bool doubt = !mlirOperationEqual(before, place);
  if (doubt && h->tells)
    stow_dealloc_remark_uncertain(h->decision, h->tells, alloc, before);
  return doubt;
}

// Whether an op runs a region at least once. Bounds may be unsigned. A while asks first.
static bool is_entered_for_certain(MlirOperation op, MlirRegion region) {
  int64_t lower, upper;
  if (!mlirRegionEqual(region, mlirOperationGetRegion(op, 0)))
    return false;
  if (stow_ir_is(op, STOW_SCF_FOR))
    return stow_ir_constant_of(mlirOperationGetOperand(op, 0), &lower) &&
           stow_ir_constant_of(mlirOperationGetOperand(op, 1), &upper) && 0 <= lower &&
           lower < upper;
  if (stow_ir_is(op, STOW_AFFINE_FOR))
    return stow_bridge_affine_trip_count(op) > 0;
  return stow_ir_is(op, STOW_SCF_WHILE) || (stow_ir_op_traits(op) & STOW_RUNS_ONCE);
}

// Whether its bounds tell, before it runs, that an op has iterations, and they are not known here.
static bool is_asked(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_FOR) && !is_entered_for_certain(op, mlirOperationGetRegion(op, 0));
}

static bool needs_region(MlirOperation op, MlirRegion region) {
  bool needs = false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    needs |= is_in_region(mlirOperationGetOperand(op, i), region);
  return needs;
}

// Whether the size, or a bound that it is asked of, is made in a region around the alloc.
static bool is_sized_in(MlirOperation alloc, MlirRegion region) {
  if (needs_region(alloc, region))
    return true;
  MlirRegion inner = mlirBlockGetParentRegion(mlirOperationGetBlock(alloc));
  while (!mlirRegionEqual(inner, region)) {
    MlirOperation around = mlirBlockGetParentOperation(mlirRegionGetFirstBlock(inner));
    if (is_asked(around) && needs_region(around, region))
      return true;
    inner = mlirBlockGetParentRegion(mlirOperationGetBlock(around));
  }
  return false;
}

static MlirOperation find_certain_place(const hoister *h, int32_t ref, bool stays) {
  const stow_domain *domain = &h->decision->domain;
  MlirOperation op = mlirOpResultGetOwner(domain->refs.at[ref].value), place = op;
  const int32_t segment = domain->refs.at[ref].segment;
  for (int32_t r = domain->segments.at[segment].region;; r = region_around(domain, r)) {
    MlirRegion region = domain->control->regions.at[r].region;
    MlirOperation around = mlirBlockGetParentOperation(mlirOperationGetBlock(place));
    if (r == 0 || !(is_asked(around) || is_entered_for_certain(around, region)) ||
        is_sized_in(op, region) || !is_in_first_block(place) ||
        (!stays && comes_back(h, segment, r, OUTSIDE)) || has_doubt(h, op, place))
      return place;
    place = around;
  }
}

static MlirOperation find_place(const hoister *h, int32_t ref) {
  const stow_decision *decision = h->decision;
  const stow_domain *domain = &decision->domain;
  MlirOperation op = mlirOpResultGetOwner(domain->refs.at[ref].value), place = op;
  const int32_t segment = domain->refs.at[ref].segment;
  bool stays = stow_dealloc_stays_with(decision, ref) || !h->looped[segment];
  if (mlirOperationGetNumOperands(op) > 0)
    return find_certain_place(h, ref, stays);
  for (int32_t r = domain->segments.at[segment].region;; r = region_around(domain, r)) {
    MlirBlock entry = mlirRegionGetFirstBlock(domain->control->regions.at[r].region);
    if (!stays && comes_back(h, segment, r, STARTS))
      return place;
    place = mlirBlockGetFirstOperation(entry);
    MlirOperation around = mlirBlockGetParentOperation(entry);
    if (r == 0 || (stow_op_facts(around) & STOW_OP_PARALLEL) ||
        (!stays && comes_back(h, segment, r, OUTSIDE)))
      return place;
    place = around;
  }
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

static bool is_allocation(const stow_domain *domain, int32_t ref) {
  return domain->refs.at[ref].origin == STOW_MADE &&
         stow_ir_is_plainly_made(domain->refs.at[ref].value);
}

static bool is_at_entry(const stow_domain *domain, MlirOperation place) {
  return mlirBlockEqual(mlirOperationGetBlock(place), mlirRegionGetFirstBlock(domain->region));
}

static bool lacks_something(const stow_decision *decision) {
  return decision->releases.items.count > 0 || decision->releases.edge_moves.count > 0 ||
         stow_dealloc_makes_clones(decision);
}

static size_t count_depths(const stow_domain *domain) {
  int32_t deepest = 0;
  for (size_t r = 0; r < domain->control->regions.count; ++r)
    if (domain->control->regions.at[r].depth > deepest)
      deepest = domain->control->regions.at[r].depth;
  return (size_t)deepest + 1;
}

static void collect(hoister *h) {
  const stow_domain *domain = &h->decision->domain;
  h->looped = find_loops(domain);
  const size_t tables = FENCES * count_depths(domain);
  h->returns = stow_ir_allocate(tables, sizeof *h->returns);
  bool *hoisted = stow_ir_allocate(domain->refs.count, sizeof *hoisted);
  for (size_t r = 0; r < domain->refs.count; ++r) {
    if (!is_allocation(domain, (int32_t)r))
      continue;
    MlirOperation alloc = mlirOpResultGetOwner(domain->refs.at[r].value), place = alloc;
    hoisted[r] = h->decision->owners.of[r].root == (int32_t)r;
    if (hoisted[r]) {
      place = find_place(h, (int32_t)r);
      STOW_PUSH(h->moves,
                (upward){.alloc = alloc, .before = place, .from = mlirOperationGetBlock(alloc)});
    }
    h->inside |= !is_at_entry(domain, place);
  }
  // A move asks for new deallocs even if none of these is of the alloc itself: it may be freed by a
  // realloc, by the name of a phi, or by a caller.
  h->freed |= domain->frees.count > 0;
  h->lacks |= lacks_something(h->decision);
  stow_dealloc_add(h->decision, hoisted, &h->deallocs);
  for (size_t t = 0; t < tables; ++t)
    free(h->returns[t]);
  free(hoisted);
  free(h->looped);
  free(h->returns);
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
  for (int32_t i; (i = stow_map_get(&m->index, op.ptr)) >= 0;) {
    op = m->next.at[i];
    m->next.at[i] = stays;
  }
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

// Makes a size 0 unless a loop has an iteration.
static void ask(MlirOperation alloc, MlirOperation loop) {
  stow_builder builder = stow_builder_before(alloc, mlirOperationGetLocation(alloc));
  const bool is_unsigned = stow_ir_has_attribute(loop, "unsignedCmp");
  const MlirValue runs =
      stow_ir_build_compare(&builder, is_unsigned ? STOW_UNSIGNED_LESS : STOW_LESS,
                            mlirOperationGetOperand(loop, 0), mlirOperationGetOperand(loop, 1));
  const MlirValue none = stow_ir_build_number(&builder, mlirIndexTypeGet(builder.context), 0);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(alloc); i < n; ++i) {
    const MlirValue size = mlirOperationGetOperand(alloc, i);
    mlirOperationSetOperand(alloc, i, stow_ir_build_select(&builder, runs, size, none));
  }
}

static void ask_loops_left(const upward *u) {
  if (mlirOperationGetNumOperands(u->alloc) == 0)
    return;
  const MlirBlock to = mlirOperationGetBlock(u->alloc);
  for (MlirBlock block = u->from; !mlirBlockEqual(block, to);) {
    MlirOperation around = mlirBlockGetParentOperation(block);
    if (is_asked(around))
      ask(u->alloc, around);
    block = mlirOperationGetBlock(around);
  }
}

// False: another round would change nothing. An alloc that has moved may let others move that are
// still inside (a phi that owned may borrow it now), and so may deallocs that are placed anew.
static bool hoist(MlirOperation module, const stow_ownership_settings *settings, bool first) {
  stow_ownership ownership = stow_ownership_of(module, settings);
  bool *returning = find_returning(&ownership.calls);
  hoister h = {
      .calls = &ownership.calls, .returning = returning, .tells = first ? settings->pass : NULL};
  for (size_t i = 0; i < ownership.decisions.count; ++i) {
    h.decision = ownership.decisions.at[i];
    if (first)
      stow_dealloc_remark_kept(h.decision, settings->pass);
    collect(&h);
  }
  bool moved = move(&h);
  stow_placement placement = STOW_PLACED;
  if (h.moves.count > 0 && (h.freed || (moved && !h.lacks)))
    placement = stow_dealloc_place_anew(module, &h.deallocs, &ownership);
  if (placement == STOW_NOT_PLACED)
    move_back(&h);
  for (size_t i = 0; i < h.moves.count; ++i)
    ask_loops_left(&h.moves.at[i]);
  stow_ownership_free(&ownership);
  free(h.moves.at);
  free(h.deallocs.at);
  free(returning);
  return placement == STOW_PLACED_WITH_OPS ||
         (moved && (h.inside || h.freed || !h.lacks) && placement == STOW_PLACED);
}

void stow_hoist_allocations(MlirOperation module, const stow_deallocation_options *options) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings = stow_ownership_settings_of("hoist-allocations", options);
  bool first = true;
  for (int round = 0; round < STOW_OWN_MOST_ROUNDS && hoist(module, &settings, first); ++round)
    first = false;
}
