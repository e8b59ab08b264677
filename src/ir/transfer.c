//===- transfer.c - what an op does to buffers ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that decides from an op's interfaces what becomes of the buffers it
// is given. Each operand ends in one or more of: an edge (a result or an argument
// may be it), a use (its memory is touched), a free, an escape. The rule for what is
// not known is always the same: assume the worst, and say which op is to blame.
//
//===----------------------------------------------------------------------===//

#include "ir/build.h"
#include "ir/flow_tables.h"
#include "ir/kinds.h"
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
    buffers += stow_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return buffers == 1;
}

static void flow_to_results(const transfer *t, int32_t value, const uint8_t *result_effects,
                            bool foreign) {
  MlirOperation op = t->visit->op;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (!stow_is_buffer(mlirValueGetType(result)) ||
        (result_effects && (result_effects[i] & STOW_ALLOCATE)))
      continue;
    int32_t to = stow_flow_value(t->flow, result);
    t->flow->values[to].foreign |= foreign;
    t->flow->values[to].marked |= !foreign && is_only_buffer(op) && t->flow->values[value].marked;
    stow_flow_add_edge(t->flow, value, to, t->visit);
  }
}

static void flow_to_regions(const transfer *t, int32_t value) {
  MlirOperation op = t->visit->op;
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (mlirBlockIsNull(entry))
      continue;
    for (intptr_t i = 0, k = mlirBlockGetNumArguments(entry); i < k; ++i)
      if (stow_is_buffer(mlirValueGetType(mlirBlockGetArgument(entry, i))))
        stow_flow_add_edge(t->flow, value, stow_flow_value(t->flow, mlirBlockGetArgument(entry, i)),
                           t->visit);
  }
}

// Whoever keeps the address of a marked value has no use of it after the end of its life. What ends
// a block may be its terminator, though nobody knows it, and hand on what it is given.
static void unknown_operand(const transfer *t, int32_t value, stow_reason reason) {
  MlirOperation op = t->visit->op;
  bool later = stow_makes_handle(op) || stow_starts_work(op);
  bool ends = mlirOperationIsNull(mlirOperationGetNextInBlock(op));
  bool kept = t->context->unknown_ops == STOW_UNKNOWN_OPS_ESCAPE && !t->flow->values[value].marked;
  if (later || ends || kept) {
    stow_flow_add_escape(t->flow, value, later ? STOW_ASYNC : reason, op);
    return;
  }
  stow_flow_add_use(t->flow, value, t->visit, false);
  flow_to_results(t, value, NULL, true);
  flow_to_regions(t, value);
}

// An op without effects only makes new names: a view, a choice, a cast. Or a promise: to LLVM,
// slices of one arena are not distinct objects.
static void pure_operand(const transfer *t, int32_t value) {
  MlirOperation op = t->visit->op;
  if (stow_makes_handle(op) || (stow_makes_number(op) && !stow_tells_shape(op)))
    stow_flow_add_escape(t->flow, value, STOW_POINTER, op);
  if (stow_op_is(op, "memref.distinct_objects"))
    stow_flow_add_escape(t->flow, value, STOW_DISTINCT, op);
  flow_to_results(t, value, NULL, false);
  flow_to_regions(t, value);
}

typedef struct effects {
  uint8_t *operands, *results, other;
  bool any, writes; // somewhere
} effects;

// An op with effects uses all its buffers, whichever it ties them to. One that it does nothing
// with may still be stored by it, if it writes at all: the value operand of a memref.store to a
// memref of memrefs.
static void touched_operand(const transfer *t, intptr_t index, int32_t value, const effects *e) {
  MlirOperation op = t->visit->op;
  const uint8_t mask = e->operands[index];
  if (stow_makes_handle(op))
    stow_flow_add_escape(t->flow, value, STOW_POINTER, op);
  if (stow_starts_work(op))
    stow_flow_add_escape(t->flow, value, STOW_ASYNC, op);
  if (mask & STOW_FREE)
    stow_flow_add_escape(t->flow, value, STOW_FREED_BY, op);
  if (mask == 0 && e->writes)
    stow_flow_add_escape(t->flow, value, STOW_STORED, op);
  bool overwrites = mask == STOW_WRITE && stow_overwrites(op, mlirOperationGetOperand(op, index));
  stow_flow_add_use(t->flow, value, t->visit, overwrites);
  flow_to_results(t, value, e->results, true);
  flow_to_regions(t, value);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static effects read_effects(MlirOperation op) {
  intptr_t operands = mlirOperationGetNumOperands(op), results = mlirOperationGetNumResults(op);
  effects e = {.operands = stow_allocate((size_t)operands, 1),
               .results = stow_allocate((size_t)results, 1)};
  stow_op_effects(op, e.operands, e.results, &e.other);
  unsigned all = e.other;
  for (intptr_t i = 0; i < operands; ++i)
    all |= e.operands[i];
  for (intptr_t i = 0; i < results; ++i)
    all |= e.results[i];
  e.any = all != 0;
  e.writes = (all & (STOW_WRITE | STOW_FREE)) != 0;
  return e;
}

// The operand is a buffer, and no edge tells what becomes of it; gives its value.
static bool pending_operand(const transfer *t, intptr_t index, int32_t *out_value) {
  MlirValue operand = mlirOperationGetOperand(t->visit->op, index);
  if (!stow_is_buffer(mlirValueGetType(operand)) || (t->forwarded && t->forwarded[index]))
    return false;
  *out_value = stow_flow_value(t->flow, operand);
  return true;
}

// What was promised of a buffer must stay right: an op's `alignment` is that of the memory it is
// given.
static void note_alignment(const transfer *t, int32_t value, uint64_t alignment) {
  if (alignment > t->flow->values[value].alignment)
    t->flow->values[value].alignment = alignment;
}

static void follow_view(void *user, MlirValue source, MlirValue target) {
  const transfer *t = user;
  if (!mlirValueIsAOpResult(target) || !stow_is_buffer(mlirValueGetType(source)) ||
      !stow_is_buffer(mlirValueGetType(target)))
    return;
  int32_t to = stow_flow_value(t->flow, target);
  t->flow->values[to].foreign = true; // it may be something else as well
  stow_flow_add_edge(t->flow, stow_flow_value(t->flow, source), to, t->visit);
}

// Whether an op of unknown effects tells where its buffers go, and leaves nothing behind that may
// use them later.
static bool tells_views(const transfer *t) {
  MlirOperation op = t->visit->op;
  return mlirOperationGetNumRegions(op) == 0 && !stow_makes_handle(op) && !stow_starts_work(op) &&
         stow_view_flow(op, follow_view, (void *)t);
}

static void transfer_plain(const transfer *t) {
  MlirOperation op = t->visit->op;
  bool known = t->visit->facts & STOW_OP_EFFECTS_KNOWN;
  bool told = !known && tells_views(t);
  bool nested = mlirOperationGetNumRegions(op) > 0;
  effects e = {0};
  if (known)
    e = read_effects(op);
  int32_t value;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    if (!pending_operand(t, i, &value))
      continue;
    note_alignment(t, value, stow_alignment_attribute(op));
    if (stow_op_is(op, "bufferization.dealloc"))
      stow_flow_add_escape(t->flow, value, STOW_FREED_BY, op);
    else if (told)
      stow_flow_add_use(t->flow, value, t->visit, false);
    else if (!known || (nested && e.operands[i] == 0)) // its regions may get at it
      unknown_operand(t, value, STOW_UNKNOWN_OP);
    else if (!e.any)
      pure_operand(t, value);
    else
      touched_operand(t, i, value, &e);
  }
  free(e.operands), free(e.results);
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
    if (!copied || !stow_can_alloc(to))
      stow_flow_add_escape(t->flow, source, STOW_STORED, t->visit->op);
  }
  if (!copied)
    return;
  stow_flow_add_alloc(t->flow, t->visit);
  stow_flow_add_use(t->flow, stow_flow_value(t->flow, clone), t->visit, true);
}

static void transfer_known_argument(const transfer *t, int32_t value, stow_argument argument) {
  if (argument.escapes)
    stow_flow_add_escape(t->flow, value, STOW_CALLED, t->visit->op);
  if (argument.freed)
    stow_flow_add_escape(t->flow, value, STOW_FREED_BY, t->visit->op);
  note_alignment(t, value, argument.alignment);
  if (argument.returned)
    flow_to_results(t, value, NULL, true);
  stow_flow_add_use(t->flow, value, t->visit, false);
}

static void transfer_call(const transfer *t) {
  MlirOperation op = t->visit->op;
  intptr_t first, count;
  stow_call_arguments(op, &first, &count);
  const stow_summary *callee = t->context->callee(t->context->user, op);
  bool later = stow_makes_handle(op) || stow_starts_work(op);
  int32_t value;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    if (!pending_operand(t, i, &value))
      continue;
    size_t argument = (size_t)(i - first);
    if (later || (callee && callee->keeps_all))
      stow_flow_add_escape(t->flow, value, later ? STOW_ASYNC : STOW_CALLED, op);
    else if (callee && i >= first && i < first + count && argument < callee->argument_count)
      transfer_known_argument(t, value, callee->arguments[argument]);
    else if (i >= first && i < first + count &&
             t->context->borrows(t->context->user, op, i - first))
      stow_flow_add_use(t->flow, value, t->visit, false);
    else
      unknown_operand(t, value, STOW_CALLED);
  }
}

static void transfer_branch(const transfer *t) {
  stow_flow *flow = t->flow;
  MlirOperation op = t->visit->op;
  for (intptr_t s = 0, n = mlirOperationGetNumSuccessors(op); s < n; ++s) {
    MlirBlock block = mlirOperationGetSuccessor(op, s);
    for (intptr_t i = 0, k = mlirBlockGetNumArguments(block); i < k; ++i) {
      MlirValue argument = mlirBlockGetArgument(block, i);
      if (!stow_is_buffer(mlirValueGetType(argument)))
        continue;
      int32_t to = stow_flow_value(flow, argument);
      MlirValue operand = stow_branch_operand(op, s, i);
      if (mlirValueIsNull(operand)) {
        flow->values[to].foreign = true;
        continue;
      }
      stow_flow_add_branch(flow, stow_flow_value(flow, operand), to, t->visit);
    }
  }
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

static void transfer_dealloc(const transfer *t) {
  int32_t value;
  if (pending_operand(t, 0, &value))
    stow_flow_add_free(t->flow, value, t->visit);
}

// A value that travels along an edge between regions.
static void follow(void *user, intptr_t from, intptr_t to, MlirOperation terminator,
                   MlirValue source, MlirValue target) {
  const transfer *t = user;
  if (mlirValueIsNull(source)) {
    stow_flow_add_region_jump(t->flow, t->visit, from, to, terminator);
    return;
  }
  if (!stow_is_buffer(mlirValueGetType(source)))
    return;
  int32_t value = stow_flow_value(t->flow, source);
  if (!stow_is_buffer(mlirValueGetType(target))) {
    stow_flow_add_escape(t->flow, value, STOW_POINTER,
                         mlirOperationIsNull(terminator) ? t->visit->op : terminator);
    return;
  }
  stow_flow_add_transfer(t->flow, value, stow_flow_value(t->flow, target),
                         stow_goes_back(from, to) ? t->visit->inner : -1, t->visit, terminator);
}

static void transfer_op(const transfer *t) {
  const uint32_t facts = t->visit->facts;
  if (facts & STOW_OP_REGION_BRANCH)
    stow_region_flow(t->visit->op, follow, (void *)t);
  MlirValue settled = stow_settled_token(t->visit->op);
  stow_transfer_tokens(t->flow, t->visit, settled);
  if (!mlirValueIsNull(settled))
    stow_transfer_work(t->flow, t->visit, settled);
  else if ((facts & STOW_OP_ALLOC) || ((facts & STOW_OP_ALLOCA) && t->context->stack))
    stow_flow_add_alloc(t->flow, t->visit);
  else if (facts & STOW_OP_CLONE)
    transfer_clone(t);
  else if (stow_is_marker(t->visit->op))
    stow_transfer_marker(t->flow, t->visit);
  else if (facts & STOW_OP_DEALLOC)
    transfer_dealloc(t);
  else if (facts & STOW_OP_CALL)
    transfer_call(t);
  else if (facts & STOW_OP_BRANCH)
    transfer_branch(t);
  else if (facts & STOW_OP_TERMINATOR)
    transfer_terminator(t);
  else
    transfer_plain(t);
}

void stow_transfer(stow_flow *flow, const stow_flow_context *context, const stow_visit *visit) {
  const uint32_t forwarding = STOW_OP_BRANCH | STOW_OP_REGION_BRANCH | STOW_OP_REGION_TERMINATOR;
  transfer t = {flow, context, visit, NULL};
  bool *forwarded = NULL;
  if (visit->facts & forwarding) {
    forwarded = stow_allocate((size_t)mlirOperationGetNumOperands(visit->op), sizeof *forwarded);
    stow_forwarded_operands(visit->op, forwarded);
    t.forwarded = forwarded;
  }
  transfer_op(&t);
  free(forwarded);
}
