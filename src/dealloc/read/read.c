//===- read.c - a region read --------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk takes one region after another from a list, so that nesting costs memory
// and not the C stack. When all stretches are known, paths are laid between them.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

static void add_room(stow_domain *domain, MlirRegion region, int32_t parent) {
  STOW_PUSH(domain->rooms,
            (stow_room){region, parent, parent < 0 ? 0 : domain->rooms.at[parent].depth + 1});
}

static int32_t add_stretch(stow_domain *domain, MlirBlock block, MlirOperation after,
                           int32_t room) {
  int32_t id = stow_domain_add_stretch(domain, block, room);
  domain->stretches.at[id].after = after;
  stow_map_add(&domain->stretch_at, mlirOperationIsNull(after) ? block.ptr : after.ptr, id);
  return id;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static void define(stow_domain *domain, MlirValue value, int32_t stretch, int64_t position,
                   stow_origin origin) {
  if (!stow_is_buffer(mlirValueGetType(value)))
    return;
  int32_t id = stow_domain_ref(domain, value);
  stow_ref *ref = &domain->refs.at[id];
  ref->stretch = stretch;
  ref->position = position;
  ref->origin = origin;
}

// Results of what clones by a bit are settled.
static void leave_results_by_bit(stow_domain *domain, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (stow_is_buffer(mlirValueGetType(result)))
      stow_domain_add_managed(domain, stow_domain_ref(domain, result), op, STOW_BY_BITS,
                              "it is cloned already, by a bit");
  }
}

static void define_arguments(stow_domain *domain, MlirBlock block, int32_t stretch,
                             stow_origin origin) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
    define(domain, mlirBlockGetArgument(block, i), stretch, -1, origin);
}

// Those that the function owns it frees, as it does what it allocates. Of which nobody can tell,
// the program frees in its own way.
static void read_promised_arguments(stow_domain *domain, const stow_contract *promised) {
  MlirBlock entry = mlirRegionGetFirstBlock(domain->region);
  for (size_t i = 0; promised && i < promised->argument_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, (intptr_t)i);
    if (promised->arguments[i].owned)
      domain->refs.at[stow_domain_ref(domain, argument)].origin = STOW_MADE;
    else if (promised->arguments[i].unclear)
      stow_domain_add_managed(domain, stow_domain_ref(domain, argument), domain->op, STOW_MANAGED,
                              "it meets an argument that is freed on some paths only, and "
                              "returned on others");
  }
}

static void define_results(stow_domain *domain, MlirOperation op, int32_t stretch, int64_t position,
                           stow_origin origin) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    define(domain, mlirOperationGetResult(op, i), stretch, position, origin);
}

// Whether it is not known where control goes from the end of the domain's own region.
static bool forwards(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  bool ends = mlirOperationEqual(mlirOperationGetParentOperation(op), domain->op);
  return (facts & (STOW_OP_BRANCH | STOW_OP_REGION_BRANCH)) ||
         ((facts & STOW_OP_REGION_TERMINATOR) && !ends);
}

// Which operands are passed along paths.
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

static void close_stretch(stow_domain *domain, const stow_ending *ending, stow_domain_place place) {
  stow_stretch *stretch = &domain->stretches.at[place.stretch];
  stretch->end = ending->op;
  stretch->stop = place.position;
  stretch->handover = (int32_t)domain->handovers.count;
  stow_map_add(&domain->stretch_ended, ending->op.ptr, place.stretch);
  for (int32_t i = ending->hand; i < ending->hand + ending->hand_count; ++i)
    stow_domain_add_handover(domain, place.stretch, domain->hands.at[i].operand,
                             domain->hands.at[i].ref);
}

// The op ends its stretch: what it forwards is passed along paths that are laid later. Gives the
// stretch that it ends, a new one where a choice is to be made before it.
static int32_t end_stretch(stow_domain *domain, const stow_domain_context *context,
                           MlirOperation op, uint32_t facts, stow_domain_place place) {
  bool *forwarded = forwarded_operands(domain, op, facts);
  int32_t ending = stow_domain_add_ending(domain, op, place.stretch);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (forwarded[i] && stow_is_buffer(mlirValueGetType(operand)))
      stow_domain_add_hand(domain, (int32_t)i, stow_domain_ref(domain, operand), -1);
  }
  stow_domain_choose(domain, ending);
  place.stretch = domain->endings.at[ending].stretch;
  close_stretch(domain, &domain->endings.at[ending], place);
  stow_domain_read_op(domain, context, op, facts, place, forwarded);
  free(forwarded);
  return place.stretch;
}

static bool concerns_buffers(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (stow_is_buffer(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return mlirOperationGetNumRegions(op) > 0;
}

static int32_t enter_regions(stow_domain *domain, MlirOperation op, int32_t around) {
  int32_t room = domain->stretches.at[around].room;
  MlirBlock block = domain->stretches.at[around].block;
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    add_room(domain, mlirOperationGetRegion(op, r), room);
  int32_t next = add_stretch(domain, block, op, room);
  define_results(domain, op, next, -1, STOW_TARGET);
  if (stow_is_by_bit(op))
    leave_results_by_bit(domain, op);
  return next;
}

static void walk_block(stow_domain *domain, const stow_domain_context *context, MlirBlock block,
                       int32_t room, bool entry) {
  int32_t stretch = add_stretch(domain, block, (MlirOperation){NULL}, room);
  define_arguments(domain, block, stretch, room == 0 && entry ? STOW_OUTSIDE : STOW_TARGET);
  MlirOperation terminator = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    stow_domain_place place = {stretch, stow_domain_take_position(domain, op)};
    bool last = mlirOperationEqual(op, terminator);
    if (context->ignored && stow_map_get(context->ignored, op.ptr) >= 0) {
      stow_domain_add_ask(domain, op, place);
      continue;
    }
    if (!last && !concerns_buffers(op)) {
      stow_domain_read_other(domain, context, op, place);
      continue;
    }
    uint32_t facts = stow_op_facts(op);
    if (last) {
      end_stretch(domain, context, op, facts, place);
    } else if (stow_tells_control_flow(op, facts)) {
      stretch = end_stretch(domain, context, op, facts, place);
      stretch = enter_regions(domain, op, stretch);
    } else {
      define_results(domain, op, stretch, place.position, STOW_VIEW);
      stow_domain_read_op(domain, context, op, facts, place, NULL);
    }
  }
}

static void walk(stow_domain *domain, const stow_domain_context *context) {
  add_room(domain, domain->region, -1);
  for (size_t r = 0; r < domain->rooms.count; ++r) {
    bool entry = true;
    for (MlirBlock block = mlirRegionGetFirstBlock(domain->rooms.at[r].region);
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      walk_block(domain, context, block, (int32_t)r, entry);
      entry = false;
    }
  }
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static int32_t path_from(const void *t, size_t i) { return ((const stow_path *)t)[i].from; }

static int32_t path_to(const void *t, size_t i) { return ((const stow_path *)t)[i].to; }

static int32_t view_from(const void *t, size_t i) { return ((const stow_view *)t)[i].from; }

static int32_t view_to(const void *t, size_t i) { return ((const stow_view *)t)[i].to; }

static int32_t handed_ref(const void *t, size_t i) {
  const stow_handover *h = (const stow_handover *)t + i;
  return h->idle ? -1 : h->ref;
}

static int32_t pass_target(const void *t, size_t i) { return ((const stow_pass *)t)[i].target; }

static void index_tables(stow_domain *d, bool all_freed) {
  size_t stretches = d->stretches.count, refs = d->refs.count;
  d->leaving = stow_index_of(d->paths.at, d->paths.count, stretches, path_from);
  d->entering = stow_index_of(d->paths.at, d->paths.count, stretches, path_to);
  d->views_of = stow_index_of(d->views.at, d->views.count, refs, view_from);
  d->views_to = stow_index_of(d->views.at, d->views.count, refs, view_to);
  d->taken_of = stow_index_of(d->takeovers.at, d->takeovers.count, refs, view_from);
  d->taken_to = stow_index_of(d->takeovers.at, d->takeovers.count, refs, view_to);
  d->handed_to = stow_index_of(d->passes.at, d->passes.count, refs, pass_target);
  stow_find_idle(d, all_freed);
  d->handed = stow_index_of(d->handovers.at, d->handovers.count, refs, handed_ref);
}

static void add_result(stow_domain *domain) {
  int32_t id = stow_domain_add_ref(domain, (MlirValue){NULL});
  domain->refs.at[id].origin = STOW_TARGET;
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
  out_domain->wishes = context->wishes;
  out_domain->wish_count = context->wish_count;
  out_domain->is_function = stow_op_is_function(op);
  if (out_domain->is_function)
    add_results(out_domain, op);
  walk(out_domain, context);
  read_promised_arguments(out_domain, context->promised);
  stow_lay_paths(out_domain);
  index_tables(out_domain, context->ignored != NULL);
  stow_mark_unfilled(out_domain);
  stow_find_mere_names(out_domain);
  stow_find_dominators(out_domain);
}
