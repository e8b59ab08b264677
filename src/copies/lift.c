//===- lift.c - ops moved up in their block -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a place in a block, and a buffer that what moves must not mention. Computes what must
// move there for a value, or for an op, to exist: allocations, and ops without effects that cannot
// trap. What is of computed size or offset moves past no op that may end the program. The stack of
// ops at hand is of bounded height.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"
#include "copies/limits.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

static bool is_there(const stow_copies_lift *lift, MlirOperation op) {
  MlirOperation at = stow_ir_op_in_block(lift->block, op);
  return mlirOperationIsNull(at) || mlirOperationIsBeforeInBlock(at, lift->to) ||
         stow_map_get(&lift->seen, op.ptr) >= 0;
}

static bool mentions_excluded(const stow_copies_lift *lift, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(stow_ir_root_of(mlirOperationGetOperand(op, i)), lift->without))
      return true;
  return false;
}

static bool makes_floats(MlirOperation op) {
  bool floats = true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    floats &= mlirTypeIsAFloat(mlirValueGetType(mlirOperationGetResult(op, i)));
  return floats;
}

// Between the op and where it goes to, the program may end: what traps stays behind that. Views and
// arithmetic on floats do not, nor do numbers that are defined for all operands.
static bool is_harmless(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && stow_bridge_op_is_pure(op) &&
         (stow_ir_op_is_total(op) || (stow_ir_op_traits(op) & STOW_VIEWS) || makes_floats(op));
}

// Whether the program may end between where the op goes to and the op.
static bool passes_end(const stow_copies_lift *lift, MlirOperation op) {
  for (MlirOperation at = lift->to; !mlirOperationEqual(at, op);
       at = mlirOperationGetNextInBlock(at))
    STOW_EACH_OP_OF(inside, at)
      if (stow_ir_op_may_end(inside))
        return true;
  return false;
}

static bool has_static_shape(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type);
}

// What is behind a view of computed offsets, or in a buffer of computed size, may be memory only
// where the program has not ended: ops that write there follow it up.
static bool is_computed(MlirOperation op) {
  if (stow_ir_is_plain_alloc(op))
    return !has_static_shape(mlirValueGetType(mlirOperationGetResult(op, 0)));
  return (stow_ir_op_traits(op) & STOW_VIEWS) &&
         (mlirOperationGetNumOperands(op) > 1 ||
          !has_static_shape(mlirValueGetType(stow_ir_root_of(mlirOperationGetOperand(op, 0)))));
}

static bool may_move(const stow_copies_lift *lift, MlirOperation op) {
  return mlirBlockEqual(mlirOperationGetBlock(op), lift->block) && !mentions_excluded(lift, op) &&
         (stow_ir_is_plain_alloc(op) || is_harmless(op)) &&
         !(is_computed(op) && passes_end(lift, op));
}

static void add(stow_copies_lift *lift, MlirOperation op) {
  stow_map_add(&lift->seen, op.ptr, 1);
  STOW_PUSH(lift->ops, op);
}

// The op that makes the value, or null where that need not move.
static MlirOperation missing(const stow_copies_lift *lift, MlirValue value) {
  if (!mlirValueIsAOpResult(value) || is_there(lift, mlirOpResultGetOwner(value)))
    return (MlirOperation){NULL};
  return mlirOpResultGetOwner(value);
}

// An op whose operands from `next` on are to be looked at.
typedef struct level {
  MlirOperation op;
  intptr_t next;
} level;

bool stow_copies_lift_value(stow_copies_lift *lift, MlirValue value) {
  level stack[STOW_COPIES_MOST_LIFTED];
  size_t height = 0;
  MlirOperation op = missing(lift, value);
  if (mlirOperationIsNull(op))
    return true;
  stack[height++] = (level){op, 0};
  while (height > 0) {
    level *top = &stack[height - 1];
    if (top->next == 0 && !may_move(lift, top->op))
      return false;
    if (top->next == mlirOperationGetNumOperands(top->op)) {
      add(lift, top->op);
      --height;
      continue;
    }
    op = missing(lift, mlirOperationGetOperand(top->op, top->next++));
    if (mlirOperationIsNull(op))
      continue;
    if (height == STOW_COPIES_MOST_LIFTED)
      return false;
    stack[height++] = (level){op, 0};
  }
  return true;
}

// What is made inside of the op that is lifted moves with it.
static bool lift_operands(stow_copies_lift *lift, MlirOperation lifted, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirOperation at = mlirValueIsAOpResult(value)
                           ? mlirOpResultGetOwner(value)
                           : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (!stow_ir_is_inside(at, lifted) && !stow_copies_lift_value(lift, value))
      return false;
  }
  return true;
}

bool stow_copies_lift_op(stow_copies_lift *lift, MlirOperation lifted) {
  if (is_there(lift, lifted))
    return true;
  STOW_EACH_OP_OF(op, lifted)
    if (mentions_excluded(lift, op) || !lift_operands(lift, lifted, op))
      return false;
  add(lift, lifted);
  return true;
}

void stow_copies_lift_all(const stow_copies_lift *lift) {
  for (size_t i = 0; i < lift->ops.count; ++i) {
    assert(mlirBlockEqual(mlirOperationGetBlock(lift->ops.at[i]), lift->block));
    mlirOperationMoveBefore(lift->ops.at[i], lift->to);
  }
}

void stow_copies_lift_free(stow_copies_lift *lift) {
  free(lift->ops.at);
  stow_map_free(&lift->seen);
}
