//===- transfer.c - what an op does to buffers ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enters what op.h says of an op into the tables of the flow. For each buffer operand that is
// one or more of: an edge (a result or an argument may be it), a use (its memory is touched),
// a free, an escape. For what is not known the rule is always the same: assume the worst, and
// record which op is the reason.
//
//===----------------------------------------------------------------------===//

#include "ir/build.h"
#include "ir/flow_tables.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct transfer {
  stow_flow *flow;
  const stow_flow_context *context;
  const stow_visit *visit;
  const bool *forwarded; // per operand: edges tell what becomes of it; NULL: none
} transfer;

//===----------------------------------------------------------------------===//
// What an operand may become
//===----------------------------------------------------------------------===//

static bool is_only_buffer(MlirOperation op) {
  int buffers = 0;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    buffers += stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return buffers == 1;
}

static void flow_to_results(const transfer *t, int32_t value, const uint8_t *result_effects,
                            bool foreign) {
  MlirOperation op = t->visit->op;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (!stow_ir_is_buffer(mlirValueGetType(result)) ||
        (result_effects && (result_effects[i] & STOW_ALLOCATE)))
      continue;
    int32_t to = stow_flow_value(t->flow, result);
    t->flow->values.at[to].foreign |= foreign;
    t->flow->values.at[to].marked |=
        !foreign && is_only_buffer(op) && t->flow->values.at[value].marked;
    stow_flow_add_edge(t->flow, value, to, t->visit);
  }
}

static void flow_to_regions(const transfer *t, int32_t value) {
  MlirOperation op = t->visit->op;
  const intptr_t entered = t->visit->passed_over ? 0 : mlirOperationGetNumRegions(op);
  for (intptr_t r = 0; r < entered; ++r) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (mlirBlockIsNull(entry))
      continue;
    for (intptr_t i = 0, k = mlirBlockGetNumArguments(entry); i < k; ++i)
      if (stow_ir_is_buffer(mlirValueGetType(mlirBlockGetArgument(entry, i))))
        stow_flow_add_edge(t->flow, value, stow_flow_value(t->flow, mlirBlockGetArgument(entry, i)),
                           t->visit);
  }
}

// Whoever keeps the address of a marked value has no use of it after the end of its life. What ends
// a block may be its terminator, though it is not known as one, and forward its operands.
static void unknown_operand(const transfer *t, int32_t value, stow_reason reason) {
  MlirOperation op = t->visit->op;
  bool later = stow_ir_makes_handle(op) || stow_ir_starts_work(op);
  bool ends = mlirOperationIsNull(mlirOperationGetNextInBlock(op));
  bool kept = t->context->unknown_ops != STOW_UNKNOWN_OPS_USE && !t->flow->values.at[value].marked;
  if (later || ends || kept) {
    stow_flow_add_escape(t->flow, value, later ? STOW_ASYNC : reason, op);
    return;
  }
  stow_flow_add_use(t->flow, value, t->visit, false);
  flow_to_results(t, value, NULL, true);
  flow_to_regions(t, value);
}

// An op without effects only makes new names: a view, a choice, a cast. One with effects uses all
// its buffers, whichever it ties them to, and may give others. Whatever is promised distinct is
// not: to LLVM, slices of one arena are one object.
static void known_operand(const transfer *t, intptr_t index, int32_t value, unsigned fates,
                          const stow_effects *e) {
  MlirOperation op = t->visit->op;
  const bool touches = e->all != 0;
  if (fates & STOW_FATE_WORK)
    stow_flow_add_escape(t->flow, value, STOW_ASYNC, op);
  else if (fates & (STOW_FATE_HANDLE | STOW_FATE_NUMBER))
    stow_flow_add_escape(t->flow, value, STOW_POINTER, op);
  if (fates & STOW_FATE_FREED)
    stow_flow_add_escape(t->flow, value, STOW_FREED_BY, op);
  if (fates & STOW_FATE_STORED)
    stow_flow_add_escape(t->flow, value, STOW_STORED, op);
  if (fates & STOW_FATE_DISTINCT)
    stow_flow_add_escape(t->flow, value, STOW_DISTINCT, op);
  if (touches)
    stow_flow_add_use(
        t->flow, value, t->visit,
        e->operands[index] == STOW_WRITE &&
            stow_ir_overwrites_with(op, mlirOperationGetOperand(op, index), t->visit->traits));
  flow_to_results(t, value, e->results, touches);
  flow_to_regions(t, value);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// The operand is a buffer, and no edge tells what becomes of it; gives its value.
static bool pending_operand(const transfer *t, intptr_t index, int32_t *out_value) {
  MlirValue operand = mlirOperationGetOperand(t->visit->op, index);
  if (!stow_ir_is_buffer(mlirValueGetType(operand)) || (t->forwarded && t->forwarded[index]))
    return false;
  *out_value = stow_flow_value(t->flow, operand);
  return true;
}

// What was promised of a buffer must stay right: an op's `alignment` is that of the memory it is
// given.
static void note_alignment(const transfer *t, int32_t value, uint64_t alignment) {
  if (alignment > t->flow->values.at[value].alignment)
    t->flow->values.at[value].alignment = alignment;
}

static void follow_view(void *user, MlirValue source, MlirValue target) {
  const transfer *t = user;
  if (!mlirValueIsAOpResult(target) || !stow_ir_is_buffer(mlirValueGetType(source)) ||
      !stow_ir_is_buffer(mlirValueGetType(target)))
    return;
  int32_t to = stow_flow_value(t->flow, target);
  t->flow->values.at[to].foreign = true; // it may be something else as well
  stow_flow_add_edge(t->flow, stow_flow_value(t->flow, source), to, t->visit);
}

// Whether an op of unknown effects tells where its buffers go, and leaves nothing behind that may
// use them later.
static bool tells_views(const transfer *t) {
  MlirOperation op = t->visit->op;
  return mlirOperationGetNumRegions(op) == 0 && !stow_ir_makes_handle(op) &&
         !stow_ir_starts_work(op) && stow_bridge_view_flow(op, follow_view, (void *)t);
}

static void transfer_plain(const transfer *t) {
  MlirOperation op = t->visit->op;
  stow_effects e;
  stow_effects_of(op, &e);
  const unsigned common = stow_ir_common_fates(op, t->visit->facts, t->visit->traits, &e);
  const uint64_t alignment = stow_ir_alignment_attribute(op);
  bool views = !(t->visit->facts & STOW_OP_EFFECTS_KNOWN) && tells_views(t);
  int32_t value;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    if (!pending_operand(t, i, &value))
      continue;
    const unsigned fates = stow_fates_of(op, common, &e, i);
    note_alignment(t, value, alignment);
    if (fates & STOW_FATE_BY_BIT)
      stow_flow_add_escape(t->flow, value, STOW_FREED_BY, op);
    else if (views)
      stow_flow_add_use(t->flow, value, t->visit, false);
    else if (fates & (STOW_FATE_UNKNOWN | STOW_FATE_REGIONS))
      unknown_operand(t, value, STOW_UNKNOWN_OP);
    else
      known_operand(t, i, value, fates, &e);
  }
  stow_effects_free(&e);
}

// Whether memref.copy takes these types.
static bool can_copy(MlirType source, MlirType target) {
  if (!mlirTypeEqual(mlirShapedTypeGetElementType(source), mlirShapedTypeGetElementType(target)))
    return false;
  if (!mlirTypeIsAMemRef(source) || !mlirTypeIsAMemRef(target))
    return true;
  intptr_t rank = mlirShapedTypeGetRank(source);
  bool same = rank == mlirShapedTypeGetRank(target);
  for (intptr_t i = 0; i < rank && same; ++i)
    same = mlirShapedTypeIsDynamicDim(source, i) || mlirShapedTypeIsDynamicDim(target, i) ||
           mlirShapedTypeGetDimSize(source, i) == mlirShapedTypeGetDimSize(target, i);
  return same;
}

// A clone may be the same memory as its source as long as nobody writes either. The rewrite can
// make a copy of it wherever that matters, but for types it cannot allocate or copy.
static void transfer_clone(const transfer *t) {
  MlirType from = mlirValueGetType(mlirOperationGetOperand(t->visit->op, 0));
  MlirValue clone = mlirOperationGetResult(t->visit->op, 0);
  MlirType to = mlirValueGetType(clone);
  bool copied = can_copy(from, to);
  int32_t source;
  if (pending_operand(t, 0, &source)) {
    stow_flow_add_use(t->flow, source, t->visit, false);
    stow_flow_add_clone(t->flow, source, clone);
    if (!copied || !stow_ir_can_alloc(to))
      stow_flow_add_escape(t->flow, source, STOW_STORED, t->visit->op);
  }
  if (!copied)
    return;
  stow_flow_add_alloc(t->flow, t->visit);
  stow_flow_add_use(t->flow, stow_flow_value(t->flow, clone), t->visit, true);
}

// A callee clones an argument and returns the clone.
static void clone_to_results(const transfer *t, int32_t value) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(t->visit->op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(t->visit->op, i);
    if (stow_ir_is_buffer(mlirValueGetType(result)))
      stow_flow_add_clone(t->flow, value, result);
  }
}

static void transfer_known_argument(const transfer *t, int32_t value, stow_argument argument) {
  if (argument.escapes)
    stow_flow_add_escape(t->flow, value, STOW_CALLED, t->visit->op);
  if (argument.freed)
    stow_flow_add_escape(t->flow, value, STOW_FREED_BY, t->visit->op);
  note_alignment(t, value, argument.alignment);
  if (argument.returned)
    flow_to_results(t, value, NULL, true);
  if (argument.cloned)
    clone_to_results(t, value);
  stow_flow_add_use(t->flow, value, t->visit, false);
}

// What a call does with an argument. `others`: it may call what is not known, too.
static void transfer_argument(const transfer *t, int32_t value, const stow_summary *callee,
                              bool others, intptr_t argument) {
  const bool known = callee && (size_t)argument < callee->argument_count;
  const bool borrowed = !known && t->context->borrows(t->context->user, t->visit->op, argument);
  if (known)
    transfer_known_argument(t, value, callee->arguments[argument]);
  if (borrowed)
    stow_flow_add_use(t->flow, value, t->visit, false);
  if (known ? others : !borrowed)
    unknown_operand(t, value, STOW_CALLED);
}

static void transfer_call(const transfer *t) {
  MlirOperation op = t->visit->op;
  intptr_t first, count;
  stow_bridge_call_arguments(op, &first, &count);
  bool others = false;
  const stow_summary *callee = t->context->callee(t->context->user, op, &others);
  bool later = stow_ir_makes_handle(op) || stow_ir_starts_work(op);
  int32_t value;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    if (!pending_operand(t, i, &value))
      continue;
    if (later || (callee && callee->keeps_all))
      stow_flow_add_escape(t->flow, value, later ? STOW_ASYNC : STOW_CALLED, op);
    else if (i >= first && i < first + count)
      transfer_argument(t, value, callee, others, i - first);
    else
      unknown_operand(t, value, STOW_CALLED);
  }
}

// Control carries an operand to a block's argument or an op's result.
static void follow_pass(const transfer *t, const stow_control_edge *edge, stow_pass pass) {
  stow_flow *flow = t->flow;
  const bool to_token = stow_bridge_type_is_token(mlirValueGetType(pass.target));
  const bool to_buffer = stow_ir_is_buffer(mlirValueGetType(pass.target));
  if (pass.operand < 0) {
    if (to_buffer)
      flow->values.at[stow_flow_value(flow, pass.target)].foreign = true;
    return;
  }
  MlirOperation from = mlirOperationIsNull(edge->end) ? t->visit->op : edge->end;
  MlirValue source = mlirOperationGetOperand(from, pass.operand);
  if (!stow_ir_is_buffer(mlirValueGetType(source)) && !to_token)
    return;
  int32_t value = stow_flow_value(flow, source);
  if (!to_buffer && !to_token)
    stow_flow_add_escape(flow, value, STOW_POINTER, from);
  else if (edge->successor >= 0)
    stow_flow_add_branch(flow, value, stow_flow_value(flow, pass.target), t->visit);
  else
    stow_flow_add_transfer(flow, value, stow_flow_value(flow, pass.target),
                           stow_ir_goes_back(edge) ? t->visit->inner : -1, t->visit, edge->end);
}

static void follow(void *user, const stow_control_edge *edge) {
  const transfer *t = user;
  if (edge->successor < 0)
    stow_control_follow(&t->flow->control, t->visit->op, edge);
  for (size_t i = 0; i < edge->count; ++i)
    follow_pass(t, edge, edge->passes[i]);
}

static void transfer_branch(const transfer *t) {
  stow_bridge_branch_edges(t->visit->op, follow, (void *)t);
  transfer_plain(t);
}

static void transfer_end(const transfer *t, stow_reason reason) {
  int32_t value;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(t->visit->op); i < n; ++i)
    if (pending_operand(t, i, &value))
      stow_flow_add_escape(t->flow, value, reason, t->visit->op);
}

static void transfer_terminator(const transfer *t) {
  const stow_visit *visit = t->visit;
  bool leaves_function =
      (visit->facts & STOW_OP_RETURN) &&
      mlirOperationEqual(mlirOperationGetParentOperation(visit->op), t->flow->function);
  transfer_end(t, leaves_function ? STOW_RETURNED : STOW_UNKNOWN_OP);
}

// What is freed is the last operand: tokens stand in front of it.
static void transfer_dealloc(const transfer *t) {
  int32_t value;
  if (pending_operand(t, mlirOperationGetNumOperands(t->visit->op) - 1, &value))
    stow_flow_add_free(t->flow, value, t->visit);
}

static bool allocates(const transfer *t) {
  const unsigned more_allocs = t->context->more_allocs;
  return (t->visit->traits & STOW_ALLOCATES_HEAP) ||
         ((more_allocs & STOW_STACK_ALLOCS) && (t->visit->traits & STOW_ALLOCATES_STACK)) ||
         ((more_allocs & STOW_DEVICE_ALLOCS) && (t->visit->traits & STOW_ALLOCATES_DEVICE));
}

static bool deallocates(const transfer *t) {
  return (t->visit->traits & STOW_DEALLOCATES) || ((t->context->more_allocs & STOW_DEVICE_ALLOCS) &&
                                                   (t->visit->traits & STOW_DEALLOCATES_DEVICE));
}

// Whether the op may start work, wait for some, or pass what stands for it. async.add_to_group
// does, by the last trait, which all ops of its dialect have.
static bool is_of_work(stow_traits traits) {
  return traits & (STOW_GIVES_TOKEN | STOW_WAITS | STOW_STARTS_WORK | STOW_REGIONS_MAY_LAST);
}

static void transfer_op(const transfer *t) {
  const uint32_t facts = t->visit->facts;
  const stow_traits traits = t->visit->traits;
  if (facts & STOW_OP_REGION_BRANCH)
    stow_bridge_region_edges(t->visit->op, follow, (void *)t);
  MlirValue settled = {NULL};
  const bool works = is_of_work(traits);
  if (works && stow_ir_is_settled(&t->flow->completions, t->visit->op))
    settled = stow_ir_token_of(t->visit->op);
  if (works)
    stow_ir_transfer_tokens(t->flow, t->visit, settled);
  if (allocates(t))
    stow_flow_add_alloc(t->flow, t->visit);
  else if (deallocates(t))
    transfer_dealloc(t);
  else if (traits & STOW_DEALLOCATES_DEVICE)
    transfer_plain(t);
  else if (!mlirValueIsNull(settled))
    stow_ir_transfer_work(t->flow, t->visit, settled);
  else if (traits & STOW_CLONES)
    transfer_clone(t);
  else if (traits & STOW_MARKS)
    stow_ir_transfer_marker(t->flow, t->visit);
  else if (works &&
           (stow_ir_transfer_copy(t->flow, t->visit) || stow_ir_transfer_launch(t->flow, t->visit)))
    return;
  else if (facts & STOW_OP_CALL)
    transfer_call(t);
  else if (facts & STOW_OP_BRANCH)
    transfer_branch(t);
  else if (facts & STOW_OP_TERMINATOR)
    transfer_terminator(t);
  else
    transfer_plain(t);
}

void stow_flow_transfer(stow_flow *flow, const stow_flow_context *context,
                        const stow_visit *visit) {
  const uint32_t forwarding = STOW_OP_BRANCH | STOW_OP_REGION_BRANCH | STOW_OP_REGION_TERMINATOR;
  transfer t = {flow, context, visit, NULL};
  bool *forwarded = NULL;
  if (visit->facts & forwarding) {
    forwarded = stow_ir_allocate((size_t)mlirOperationGetNumOperands(visit->op), sizeof *forwarded);
    stow_bridge_forwarded_operands(visit->op, forwarded);
    t.forwarded = forwarded;
  }
  transfer_op(&t);
  free(forwarded);
}
