//===- read.c - a region read ---------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk takes one region after another from a list, so that nesting costs memory
// and not the C stack. When all segments are known, edges are laid between them.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

static void add_region(stow_domain *domain, MlirRegion region, int32_t parent) {
  STOW_PUSH(
      domain->regions,
      (stow_own_region){region, parent, parent < 0 ? 0 : domain->regions.at[parent].depth + 1});
}

static int32_t add_segment(stow_domain *domain, MlirBlock block, MlirOperation after,
                           int32_t region) {
  int32_t id = stow_domain_add_segment(domain, block, region);
  domain->segments.at[id].after = after;
  stow_map_add(&domain->segment_at, mlirOperationIsNull(after) ? block.ptr : after.ptr, id);
  return id;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static void define(stow_domain *domain, MlirValue value, int32_t segment, int64_t position,
                   stow_origin origin) {
  if (!stow_is_buffer(mlirValueGetType(value)))
    return;
  int32_t id = stow_domain_ref(domain, value);
  stow_ref *ref = &domain->refs.at[id];
  ref->segment = segment;
  ref->position = position;
  ref->origin = origin;
}

// Who owns the results of an scf.if that clones by a bit is decided already.
static void leave_results_by_bit(stow_domain *domain, int32_t segment, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (stow_is_buffer(mlirValueGetType(result)))
      stow_domain_add_managed(domain, stow_domain_ref(domain, result), segment, op, STOW_BY_BITS,
                              "it is cloned already, by a bit");
  }
}

static void define_arguments(stow_domain *domain, MlirBlock block, int32_t segment,
                             stow_origin origin) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
    define(domain, mlirBlockGetArgument(block, i), segment, -1, origin);
}

// An owned argument is the function's to free, as an allocation is. An unclear one the program
// frees in its own way.
static void read_promised_arguments(stow_domain *domain, const stow_contract *promised) {
  MlirBlock entry = mlirRegionGetFirstBlock(domain->region);
  for (size_t i = 0; promised && i < promised->argument_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, (intptr_t)i);
    if (promised->arguments[i].owned)
      domain->refs.at[stow_domain_ref(domain, argument)].origin = STOW_MADE;
    else if (promised->arguments[i].unclear)
      stow_domain_add_managed(domain, stow_domain_ref(domain, argument), -1, domain->op,
                              STOW_MANAGED,
                              "it meets an argument that is freed on some paths only, and "
                              "returned on others");
  }
}

static void define_results(stow_domain *domain, MlirOperation op, int32_t segment, int64_t position,
                           stow_origin origin) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    define(domain, mlirOperationGetResult(op, i), segment, position, origin);
}

// Whether the op forwards operands. What ends the domain's own region does not: it is not known
// where control goes from there.
static bool forwards(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  bool ends = mlirOperationEqual(mlirOperationGetParentOperation(op), domain->op);
  return (facts & (STOW_OP_BRANCH | STOW_OP_REGION_BRANCH)) ||
         ((facts & STOW_OP_REGION_TERMINATOR) && !ends);
}

// Which operands become values of phis.
static bool *forwarded_operands(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  size_t count = (size_t)mlirOperationGetNumOperands(op);
  bool *forwarded = stow_allocate(count, sizeof *forwarded);
  if (stow_leaves_function(domain, op, facts))
    for (size_t i = 0; i < count; ++i)
      forwarded[i] = true;
  else if (forwards(domain, op, facts))
    stow_forwarded_operands(op, forwarded);
  return forwarded;
}

static void close_segment(stow_domain *domain, const stow_ending *ending, stow_own_place place) {
  stow_own_segment *segment = &domain->segments.at[place.segment];
  segment->end = ending->op;
  segment->stop = place.position;
  segment->forwarded = (int32_t)domain->forwarded.count;
  stow_map_add(&domain->segment_ended, ending->op.ptr, place.segment);
  for (int32_t i = ending->operand; i < ending->operand + ending->operand_count; ++i)
    stow_domain_add_forwarded(domain, place.segment, domain->operands.at[i].operand,
                              domain->operands.at[i].ref);
}

// The op ends its segment. Edges are laid later. Gives the segment that it ends: a new one if a
// choice is made before it.
static int32_t end_segment(stow_domain *domain, const stow_domain_context *context,
                           MlirOperation op, uint32_t facts, stow_own_place place) {
  bool *forwarded = forwarded_operands(domain, op, facts);
  int32_t ending = stow_domain_add_ending(domain, op, place.segment);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (forwarded[i] && stow_is_buffer(mlirValueGetType(operand)))
      stow_domain_add_operand(domain, (int32_t)i, stow_domain_ref(domain, operand), -1);
  }
  stow_domain_choose(domain, ending);
  place.segment = domain->endings.at[ending].segment;
  close_segment(domain, &domain->endings.at[ending], place);
  stow_domain_read_op(domain, context, op, facts, place, forwarded);
  free(forwarded);
  return place.segment;
}

static bool concerns_buffers(MlirOperation op) {
  return stow_gives_buffer(op) || stow_takes_buffer(op) || mlirOperationGetNumRegions(op) > 0;
}

static int32_t enter_regions(stow_domain *domain, MlirOperation op, int32_t around) {
  int32_t region = domain->segments.at[around].region;
  MlirBlock block = domain->segments.at[around].block;
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    add_region(domain, mlirOperationGetRegion(op, r), region);
  int32_t next = add_segment(domain, block, op, region);
  define_results(domain, op, next, -1, STOW_PHI);
  if (stow_is_by_bit(op))
    leave_results_by_bit(domain, next, op);
  return next;
}

static bool is_ignored(const stow_domain_context *context, MlirOperation op) {
  return context->ignored && stow_map_get(context->ignored, op.ptr) >= 0;
}

// What an ignored dealloc freed, by a name that is not ignored.
static void read_ignored_free(stow_domain *domain, const stow_domain_context *context,
                              MlirOperation op, stow_own_place place) {
  MlirValue freed = mlirOperationGetOperand(op, 0);
  while (mlirValueIsAOpResult(freed) && is_ignored(context, mlirOpResultGetOwner(freed)))
    freed = mlirOperationGetOperand(mlirOpResultGetOwner(freed), 0);
  int32_t ref = stow_domain_ref(domain, freed);
  STOW_PUSH(domain->ignored_frees,
            (stow_own_mention){ref, place.segment, place.position, op, true});
}

static void walk_block(stow_domain *domain, const stow_domain_context *context, MlirBlock block,
                       int32_t region, bool entry) {
  int32_t segment = add_segment(domain, block, (MlirOperation){NULL}, region);
  define_arguments(domain, block, segment, region == 0 && entry ? STOW_OUTSIDE : STOW_PHI);
  MlirOperation terminator = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    stow_own_place place = {segment, (int64_t)STOW_PUSH(domain->op_at, op)};
    bool last = mlirOperationEqual(op, terminator);
    if (is_ignored(context, op)) {
      if (stow_is(op, STOW_MEMREF_DEALLOC))
        read_ignored_free(domain, context, op, place);
      continue;
    }
    if (!last && !concerns_buffers(op)) {
      stow_domain_read_other(domain, context, op, place);
      continue;
    }
    uint32_t facts = stow_op_facts(op);
    if (last) {
      end_segment(domain, context, op, facts, place);
    } else if (stow_tells_control_flow(op, facts)) {
      segment = end_segment(domain, context, op, facts, place);
      segment = enter_regions(domain, op, segment);
    } else {
      define_results(domain, op, segment, place.position, STOW_VIEW);
      stow_domain_read_op(domain, context, op, facts, place, NULL);
    }
  }
}

static void walk(stow_domain *domain, const stow_domain_context *context) {
  add_region(domain, domain->region, -1);
  for (size_t r = 0; r < domain->regions.count; ++r) {
    bool entry = true;
    for (MlirBlock block = mlirRegionGetFirstBlock(domain->regions.at[r].region);
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      walk_block(domain, context, block, (int32_t)r, entry);
      entry = false;
    }
  }
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static int32_t edge_from(const void *t, size_t i) { return ((const stow_own_edge *)t)[i].from; }
static int32_t edge_to(const void *t, size_t i) { return ((const stow_own_edge *)t)[i].to; }
static int32_t used(const void *t, size_t i) { return ((const stow_own_mention *)t)[i].ref; }
static int32_t incoming_phi(const void *t, size_t i) { return ((const stow_incoming *)t)[i].phi; }
static int32_t forwarded_ref(const void *t, size_t i) {
  const stow_forwarded *f = (const stow_forwarded *)t + i;
  return f->idle ? -1 : f->ref;
}

static void index_tables(stow_domain *d, bool all_freed) {
  size_t segments = d->segments.count, refs = d->refs.count;
  d->leaving = stow_index_of(d->edges.at, d->edges.count, segments, edge_from);
  d->entering = stow_index_of(d->edges.at, d->edges.count, segments, edge_to);
  d->uses_of = stow_index_of(d->uses.at, d->uses.count, refs, used);
  d->frees_of = stow_index_of(d->frees.at, d->frees.count, refs, used);
  d->views_of = stow_successors_of(d->views.at, d->views.count, refs);
  d->views_to = stow_predecessors_of(d->views.at, d->views.count, refs);
  d->taken_of = stow_successors_of(d->takeovers.at, d->takeovers.count, refs);
  d->taken_to = stow_predecessors_of(d->takeovers.at, d->takeovers.count, refs);
  d->incoming_of = stow_index_of(d->incoming.at, d->incoming.count, refs, incoming_phi);
  stow_find_idle(d, all_freed);
  d->forwarded_of = stow_index_of(d->forwarded.at, d->forwarded.count, refs, forwarded_ref);
}

static void add_result(stow_domain *domain) {
  int32_t id = stow_domain_add_ref(domain, (MlirValue){NULL});
  domain->refs.at[id].origin = STOW_PHI;
}

static void add_results(stow_domain *domain, MlirOperation function) {
  domain->result = (int32_t)domain->refs.count;
  domain->result_count = (int32_t)stow_function_result_count(function);
  for (int32_t i = 0; i < domain->result_count; ++i)
    add_result(domain);
}

void stow_domain_read(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                      stow_domain *out_domain) {
  *out_domain = (stow_domain){.op = op, .region = region};
  out_domain->splits = context->splits;
  out_domain->split_count = context->split_count;
  out_domain->is_function = stow_op_is_function(op);
  if (out_domain->is_function)
    add_results(out_domain, op);
  walk(out_domain, context);
  read_promised_arguments(out_domain, context->promised);
  stow_lay_edges(out_domain);
  index_tables(out_domain, context->ignored != NULL);
  stow_mark_unfilled(out_domain);
  stow_find_local_names(out_domain);
  stow_find_dominators(out_domain);
}
