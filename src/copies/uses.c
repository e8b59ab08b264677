//===- uses.c - who does what with a buffer -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a buffer and the block in which it is rewritten. Computes the views that the block makes
// of it, who touches it or one of them and how, what frees it, and what only asks for its shape. An
// op whose work may go on behind it, or that may keep the address, is `opaque`: it counts as if it
// reads and writes.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "ir/flow_tables.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Ops around
//===----------------------------------------------------------------------===//

// What its regions do is done when the op is.
static bool ends_with_op(MlirOperation op) {
  return stow_region_manner_of(op, stow_op_facts(op), stow_ir_op_traits(op),
                               STOW_UNKNOWN_OPS_ESCAPE)
             .opaque == STOW_PLANNED;
}

bool stow_copies_runs_alone(MlirBlock block, MlirBlock outer) {
  while (!mlirBlockEqual(block, outer)) {
    MlirOperation op = mlirBlockGetParentOperation(block);
    const uint32_t facts = stow_op_facts(op);
    if (!(facts & STOW_OP_REGION_BRANCH) || (facts & (STOW_OP_PARALLEL | STOW_OP_ISOLATED)) ||
        !ends_with_op(op))
      return false;
    block = mlirOperationGetBlock(op);
  }
  return true;
}

// Whether an op is done when the op of the block that has it inside is done.
static bool is_done_in(MlirBlock block, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    op = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(op) || !ends_with_op(op))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

// What an op that makes no view does with an operand.
static stow_copies_touch touch_of(MlirOperation op, stow_traits traits, intptr_t operand,
                                  MlirValue view) {
  const uint32_t facts = stow_op_facts(op);
  stow_effects e;
  stow_effects_of(op, &e);
  const uint8_t own = e.operands[operand];
  const bool plain =
      (own == STOW_READ || own == STOW_WRITE || own == (STOW_READ | STOW_WRITE)) &&
      stow_fates_of(op, stow_ir_common_fates(op, facts, traits, &e), &e, operand) == 0 &&
      !stow_ir_gives_buffer(op) && !(facts & (STOW_OP_CALL | STOW_OP_TERMINATOR)) &&
      !(traits & (STOW_MARKS | STOW_CLONES));
  stow_effects_free(&e);
  return (stow_copies_touch){.op = op,
                             .operand = operand,
                             .view = view,
                             .reads = !plain || (own & STOW_READ),
                             .writes = !plain || (own & STOW_WRITE),
                             .opaque = !plain};
}

static void add_touch(stow_copies_uses *uses, MlirBlock block, stow_copies_touch touch) {
  touch.opaque |= !is_done_in(block, touch.op);
  touch.writes |= touch.opaque;
  if (touch.opaque && mlirOperationIsNull(uses->opaque))
    uses->opaque = touch.op;
  STOW_PUSH(uses->touches, touch);
}

static void add_use(stow_copies_uses *uses, MlirBlock block, MlirOperation op, intptr_t operand,
                    MlirValue view) {
  const stow_traits traits = stow_ir_op_traits(op);
  const bool frees = (traits & STOW_DEALLOCATES) && mlirValueEqual(view, uses->value) &&
                     mlirBlockEqual(mlirOperationGetBlock(op), block);
  if ((traits & STOW_VIEWS) && operand == 0 && is_done_in(block, op))
    STOW_PUSH(uses->views, op);
  else if (stow_ir_only_tells_shape(op, traits) &&
           !mlirOperationIsNull(stow_ir_op_in_block(block, op)))
    STOW_PUSH(uses->asks, op);
  else if (frees)
    STOW_PUSH(uses->deallocs, op);
  else
    add_touch(uses, block, touch_of(op, traits, operand, view));
}

static void add_uses(stow_copies_uses *uses, MlirBlock block, MlirValue view) {
  STOW_EACH_USE(use, view)
    add_use(uses, block, mlirOpOperandGetOwner(use), (intptr_t)mlirOpOperandGetOperandNumber(use),
            view);
}

// Not STOW_EACH_USE_OF_NAMES: a view that another block makes is a touch, its uses are none.
void stow_copies_uses_in(MlirValue value, MlirBlock block, stow_copies_uses *out) {
  *out = (stow_copies_uses){.value = value};
  add_uses(out, block, value);
  for (size_t i = 0; i < out->views.count; ++i)
    add_uses(out, block, mlirOperationGetResult(out->views.at[i], 0));
  stow_copies_assert_uses(out);
}

void stow_copies_uses_of(MlirValue value, stow_copies_uses *out) {
  stow_copies_uses_in(value, stow_block_of(value), out);
}

uint64_t stow_copies_promised_alignment(const stow_copies_uses *uses, MlirOperation *blame) {
  uint64_t most = 0;
  for (size_t i = 0; i < uses->views.count; ++i)
    if (stow_ir_alignment_attribute(uses->views.at[i]) > most) {
      *blame = uses->views.at[i];
      most = stow_ir_alignment_attribute(*blame);
    }
  for (size_t i = 0; i < uses->touches.count; ++i)
    if (stow_ir_alignment_attribute(uses->touches.at[i].op) > most) {
      *blame = uses->touches.at[i].op;
      most = stow_ir_alignment_attribute(*blame);
    }
  return most;
}

bool stow_copies_keeps_elements(const stow_copies_uses *uses, MlirOperation *blame) {
  const MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(uses->value));
  for (size_t i = 0; i < uses->views.count; ++i) {
    *blame = uses->views.at[i];
    MlirType type = mlirValueGetType(mlirOperationGetResult(*blame, 0));
    if (!mlirTypeEqual(mlirShapedTypeGetElementType(type), element))
      return false;
  }
  return true;
}

void stow_copies_uses_free(stow_copies_uses *uses) {
  free(uses->touches.at);
  free(uses->views.at);
  free(uses->asks.at);
  free(uses->deallocs.at);
  *uses = (stow_copies_uses){0};
}
