//===- effects.c - what an op of a block does -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that is understood reads and writes what its operands name, and nothing else. Any
// other keeps its place: nothing passes it. Ops that run between two such ops are the same
// before and after, so whatever goes on at the same time may see them in any order.
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include "ir/flow_tables.h"
#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"

enum { TOUCH = STOW_READ | STOW_WRITE | STOW_FREE };

//===----------------------------------------------------------------------===//
// Ops that nothing passes
//===----------------------------------------------------------------------===//

static bool has_token_or_tensor(MlirOperation op, bool (*is)(MlirType)) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (is(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

// What may be plain says so in its ordering, of which 0 is none.
static bool is_atomic(MlirOperation op) {
  if (!(stow_ir_op_traits(op) & STOW_ATOMIC))
    return false;
  const MlirAttribute ordering = stow_attribute_of(op, "ordering");
  return stow_ir_has_attribute(op, "volatile_") || mlirAttributeIsNull(ordering) ||
         !mlirAttributeIsAInteger(ordering) || mlirIntegerAttrGetValueInt(ordering) != 0;
}

static bool is_asynchronous(MlirOperation op, uint32_t facts) {
  const stow_traits work = STOW_STARTS_WORK | STOW_GIVES_TOKEN | STOW_WAITS | STOW_RUNS_LATER |
                           STOW_REGIONS_MAY_LAST | STOW_SUSPENDS;
  return (stow_ir_op_traits(op) & work) || stow_ir_starts_work(op) ||
         has_token_or_tensor(op, stow_bridge_type_is_token) ||
         (mlirOperationGetNumRegions(op) > 0 &&
          stow_region_manner_of(op, facts, stow_ir_op_traits(op), STOW_UNKNOWN_OPS_USE).opaque !=
              STOW_PLANNED);
}

// Whether what its regions do is known from what stands in them.
static bool runs_as_told(MlirOperation op, uint32_t facts) {
  return mlirOperationGetNumRegions(op) == 0 ||
         (!(facts & STOW_OP_GRAPH_REGION) &&
          stow_region_manner_of(op, facts, stow_ir_op_traits(op), STOW_UNKNOWN_OPS_ESCAPE).opaque ==
              STOW_PLANNED);
}

static stow_reorder_reason reason_of(MlirOperation op, uint32_t facts, const stow_effects *e) {
  if (has_token_or_tensor(op, stow_bridge_type_is_tensor))
    return STOW_REORDER_TENSOR;
  if (facts & STOW_OP_CALL)
    return STOW_REORDER_CALL;
  if (is_asynchronous(op, facts))
    return STOW_REORDER_ASYNC;
  if (is_atomic(op))
    return STOW_REORDER_ATOMIC;
  if (stow_ir_op_may_not_end(op))
    return STOW_REORDER_ENDLESS;
  if (!(facts & STOW_OP_EFFECTS_KNOWN) || !runs_as_told(op, facts))
    return STOW_REORDER_UNKNOWN;
  return e->other != 0 ? STOW_REORDER_OTHER : STOW_REORDER_FREE;
}

//===----------------------------------------------------------------------===//
// What the others touch
//===----------------------------------------------------------------------===//

typedef struct seer {
  const stow_reorder_facts *facts;
  MlirOperation op;
  stow_reorder_effects *out;
} seer;

static void add_access(seer *s, MlirValue value, bool writes) {
  if (!writes && stow_reorder_is_constant(s->facts, value))
    return;
  const stow_reorder_access access = {stow_reorder_memory_of(s->facts, value), writes, value};
  STOW_PUSH(s->out->accesses, access);
}

// Whether the value is memory, or a token that stands for some, or has an effect all the same.
static void add_operand(seer *s, MlirValue value, uint8_t own, uint8_t all, bool kept) {
  const bool known = stow_map_get(&s->facts->memory->flow.index, value.ptr) >= 0 ||
                     stow_ir_is_buffer(mlirValueGetType(value));
  const uint8_t mask = own != 0 || !known ? own : all;
  if (known && kept)
    add_access(s, value, true);
  else if (mask & TOUCH)
    add_access(s, value, mask & (STOW_WRITE | STOW_FREE));
}

static void add_accesses(seer *s, MlirOperation op, const stow_effects *e, bool kept) {
  const bool marks = stow_ir_op_traits(op) & STOW_MARKS;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    add_operand(s, mlirOperationGetOperand(op, i), e->operands[i], e->all, kept || marks);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (e->results[i] & TOUCH)
      add_access(s, mlirOperationGetResult(op, i), true);
}

static void note_heap(seer *s, MlirOperation op, const stow_effects *e) {
  s->out->allocates |= (e->all & STOW_ALLOCATE) && !stow_reorder_is_planned(s->facts, op);
  if (!(e->all & STOW_FREE))
    return;
  MlirValue freed =
      mlirOperationGetNumOperands(op) > 0 ? mlirOperationGetOperand(op, 0) : (MlirValue){NULL};
  s->out->frees |= mlirValueIsNull(freed) || !mlirValueIsAOpResult(freed) ||
                   !stow_reorder_is_planned(s->facts, mlirOpResultGetOwner(freed));
}

// A terminator of the op's own regions only forwards values; the flow knows where.
static bool only_forwards(const seer *s, MlirOperation op, uint32_t facts) {
  return (facts & STOW_OP_TERMINATOR) && !mlirOperationEqual(op, s->op) &&
         mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumSuccessors(op) == 0 &&
         !(stow_ir_op_traits(op) & STOW_NEVER_RETURNS);
}

static void see(seer *s, MlirOperation op) {
  const uint32_t facts = stow_op_facts(op);
  if (only_forwards(s, op, facts))
    return;
  stow_effects e;
  stow_effects_of(op, &e);
  const stow_reorder_reason reason = reason_of(op, facts, &e);
  if (reason != STOW_REORDER_FREE && s->out->kept == STOW_REORDER_FREE) {
    s->out->kept = reason;
    s->out->culprit = op;
  }
  add_accesses(s, op, &e, s->out->kept != STOW_REORDER_FREE);
  note_heap(s, op, &e);
  s->out->computes &= e.all == 0 && (facts & STOW_OP_EFFECTS_KNOWN);
  stow_effects_free(&e);
}

stow_reorder_effects stow_reorder_effects_of(const stow_reorder_facts *facts, MlirOperation op) {
  stow_reorder_effects out = {.computes = true};
  seer s = {facts, op, &out};
  STOW_EACH_OP_OF(at, op)
    see(&s, at);
  out.computes &= out.kept == STOW_REORDER_FREE && out.accesses.count == 0;
  return out;
}
