//===- read.c - a region read ---------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segment by segment. What ends them is read with what it forwards; then edges are laid, which
// say where that goes.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static void define(stow_domain *domain, MlirValue value, int32_t segment, int64_t position,
                   stow_origin origin) {
  if (!stow_ir_is_buffer(mlirValueGetType(value)))
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
    if (stow_ir_is_buffer(mlirValueGetType(result)))
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
  bool *forwarded = stow_ir_allocate(count, sizeof *forwarded);
  if (stow_dealloc_leaves_function(domain, op, facts))
    for (size_t i = 0; i < count; ++i)
      forwarded[i] = true;
  else if (forwards(domain, op, facts))
    stow_bridge_forwarded_operands(op, forwarded);
  return forwarded;
}

static void close_segment(stow_domain *domain, const stow_ending *ending, stow_own_place place) {
  domain->passed.at[ending->first].segment = place.segment;
  for (int32_t i = ending->operand; i < ending->operand + ending->operand_count; ++i)
    stow_domain_add_forwarded(domain, place.segment, domain->operands.at[i].operand,
                              domain->operands.at[i].ref);
}

// What leaves the function becomes its results.
static void give_back(stow_domain *domain, int32_t segment) {
  const stow_passed *s = &domain->passed.at[segment];
  for (int32_t f = s->first; f < s->end; ++f)
    STOW_PUSH(domain->incoming,
              (stow_incoming){f, domain->result + domain->forwarded.at[f].operand, -1});
}

// The op ends its segment, or, if a choice is made before it, a new one.
static void end_segment(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                        uint32_t facts, stow_own_place place) {
  bool *forwarded = forwarded_operands(domain, op, facts);
  int32_t ending = stow_domain_add_ending(domain, op, place.segment);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (forwarded[i] && stow_ir_is_buffer(mlirValueGetType(operand)))
      stow_domain_add_operand(domain, (int32_t)i, stow_domain_ref(domain, operand), -1);
  }
  stow_domain_choose(domain, ending);
  place.segment = domain->endings.at[ending].segment;
  close_segment(domain, &domain->endings.at[ending], place);
  if (stow_dealloc_leaves_function(domain, op, facts))
    give_back(domain, place.segment);
  stow_domain_read_op(domain, context, op, facts, place, forwarded);
  free(forwarded);
}

static bool concerns_buffers(MlirOperation op) {
  return stow_ir_gives_buffer(op) || stow_ir_takes_buffer(op) || mlirOperationGetNumRegions(op) > 0;
}

static void define_at_start(stow_domain *domain, int32_t segment) {
  const stow_segment *s = &domain->segments.at[segment];
  if (mlirOperationIsNull(s->after)) {
    define_arguments(domain, s->block, segment, segment == 0 ? STOW_OUTSIDE : STOW_PHI);
    return;
  }
  define_results(domain, s->after, segment, -1, STOW_PHI);
  if (stow_dealloc_is_by_bit(s->after))
    leave_results_by_bit(domain, segment, s->after);
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
  if (stow_dealloc_is_reachable(domain, place.segment))
    STOW_PUSH(domain->ignored_frees,
              (stow_own_mention){ref, place.segment, place.position, op, true});
}

static uint32_t facts_of(stow_domain *domain, MlirOperation op) {
  return stow_op_facts_with(op, stow_ir_look_up(&domain->names, op).facts);
}

static void read_inside(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                        stow_own_place place) {
  if (!concerns_buffers(op)) {
    stow_domain_read_other(domain, context, op, place);
    return;
  }
  define_results(domain, op, place.segment, place.position, STOW_VIEW);
  stow_domain_read_op(domain, context, op, facts_of(domain, op), place, NULL);
}

static void read_segment(stow_domain *domain, const stow_domain_context *context, int32_t segment) {
  const stow_control *control = &domain->control->flow;
  const stow_segment *s = &control->segments.at[segment];
  define_at_start(domain, segment);
  for (int64_t position = s->begin; position < s->end; ++position) {
    MlirOperation op = domain->control->ops.at[position];
    const stow_own_place place = {segment, position};
    if (mlirOperationEqual(op, s->last))
      end_segment(domain, context, op, facts_of(domain, op), place);
    else if (!is_ignored(context, op))
      read_inside(domain, context, op, place);
    else if (stow_ir_is_dealloc(op))
      read_ignored_free(domain, context, op, place);
  }
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static stow_index forwarded_of(const stow_domain *d) {
  int32_t *refs = stow_ir_allocate(d->forwarded.count, sizeof *refs);
  for (size_t f = 0; f < d->forwarded.count; ++f)
    refs[f] = d->forwarded.at[f].needs_no_owner ? -1 : d->forwarded.at[f].ref;
  stow_index of = stow_index_of(STOW_NUMBERS(refs, d->forwarded.count), d->refs.count);
  free(refs);
  return of;
}

static void index_tables(stow_domain *d, bool all_freed) {
  size_t segments = d->segments.count, refs = d->refs.count;
  d->leaving = stow_jumps_from(d->edges.at, d->edges.count, segments);
  d->entering = stow_jumps_to(d->edges.at, d->edges.count, segments);
  d->uses_of = stow_index_of(STOW_COLUMN(d->uses.at, d->uses.count, ref), refs);
  d->frees_of = stow_index_of(STOW_COLUMN(d->frees.at, d->frees.count, ref), refs);
  d->views_of = stow_ir_successors_of(d->views.at, d->views.count, refs);
  d->views_to = stow_ir_predecessors_of(d->views.at, d->views.count, refs);
  d->taken_of = stow_ir_successors_of(d->takeovers.at, d->takeovers.count, refs);
  d->taken_to = stow_ir_predecessors_of(d->takeovers.at, d->takeovers.count, refs);
  d->incoming_of = stow_index_of(STOW_COLUMN(d->incoming.at, d->incoming.count, phi), refs);
  stow_dealloc_find_needs_no_owner(d, all_freed);
  d->forwarded_of = forwarded_of(d);
}

static void add_result(stow_domain *domain) {
  int32_t id = stow_domain_add_ref(domain, (MlirValue){NULL});
  domain->refs.at[id].origin = STOW_PHI;
}

static void add_results(stow_domain *domain, MlirOperation function) {
  domain->result = (int32_t)domain->refs.count;
  domain->result_count = (int32_t)stow_bridge_function_result_count(function);
  for (int32_t i = 0; i < domain->result_count; ++i)
    add_result(domain);
}

void stow_domain_read(MlirOperation op, const stow_region_control *control,
                      const stow_domain_context *context, stow_domain *out_domain) {
  stow_domain *d = out_domain;
  *d = (stow_domain){.op = op, .region = control->regions.at[0].region, .control = control};
  d->splits = context->splits;
  d->split_count = context->split_count;
  d->is_function = stow_bridge_op_is_function(op);
  if (d->is_function)
    add_results(d, op);
  for (size_t s = 0; s < control->flow.segments.count; ++s)
    stow_domain_add_segment(d, control->flow.segments.at[s]);
  for (size_t s = 0; s < control->flow.segments.count; ++s)
    read_segment(d, context, (int32_t)s);
  read_promised_arguments(d, context->promised);
  stow_dealloc_lay_edges(d);
  index_tables(d, context->ignored != NULL);
  stow_dealloc_mark_unfilled(d);
  stow_dealloc_find_local_names(d);
  d->dominance = stow_ir_dominators_of(d->edges.at, d->edges.count, d->segments.count);
}
