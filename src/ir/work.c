//===- work.c - buffers in flight ------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What work uses that is settled (completion.h) is in use until it is done: the token is one more
// name of its buffers, is carried as they are, and waiting for it is a use. A transfer has no
// token; each wait that may complete it is a use of its buffers. Buffers of other work escape.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"
#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"

// Where a group is from outside of a loop, it stands for the work of all of its iterations.
static void join_group(stow_flow *flow, const stow_visit *visit, int32_t token) {
  const int32_t group = stow_flow_value(flow, mlirOperationGetOperand(visit->op, 1));
  const int32_t home = flow->values.at[group].nest;
  stow_flow_add_edge(flow, token, group, visit);
  for (int32_t nest = visit->nest; !stow_nest_holds(flow, nest, home);
       nest = flow->nests.at[nest].parent)
    if (flow->nests.at[nest].flags & STOW_NEST_REPEATS)
      flow->edges.at[flow->edges.count - 1].carried = nest;
}

void stow_ir_transfer_tokens(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  const bool works = visit->traits & (STOW_GIVES_TOKEN | STOW_WAITS);
  const bool joins = stow_ir_is(visit->op, STOW_ASYNC_ADD_TO_GROUP);
  if (!works && !joins)
    return;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(visit->op); i < n; ++i) {
    const MlirValue operand = mlirOperationGetOperand(visit->op, i);
    if (!stow_bridge_type_is_token(mlirValueGetType(operand)))
      continue;
    const int32_t value = stow_flow_value(flow, operand);
    stow_flow_add_use(flow, value, visit, false);
    if (!mlirValueIsNull(settled))
      stow_flow_add_edge(flow, value, stow_flow_value(flow, settled), visit);
    if (joins && i == 0)
      join_group(flow, visit, value);
  }
}

static void hold(const stow_visit *visit, stow_flow *flow, int32_t value, MlirValue settled) {
  stow_flow_add_edge(flow, value, stow_flow_value(flow, settled), visit);
}

static void hold_operands(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(visit->op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(visit->op, i);
    if (!stow_ir_is_buffer(mlirValueGetType(operand)))
      continue;
    int32_t value = stow_flow_value(flow, operand);
    stow_flow_add_use(flow, value, visit, false);
    hold(visit, flow, value, settled);
  }
}

// What its regions use from outside.
static void hold_outside(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  size_t uses = flow->uses.count, edges = flow->edges.count;
  for (size_t u = visit->first_use; u < uses; ++u)
    if (!stow_nest_holds(flow, visit->inner, flow->values.at[flow->uses.at[u].value].nest))
      hold(visit, flow, flow->uses.at[u].value, settled);
  for (size_t e = visit->first_edge; e < edges; ++e)
    if (!stow_nest_holds(flow, visit->inner, flow->values.at[flow->edges.at[e].from].nest))
      hold(visit, flow, flow->edges.at[e].from, settled);
}

void stow_ir_transfer_work(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  hold_operands(flow, visit, settled);
  if (mlirOperationGetNumRegions(visit->op) > 0)
    hold_outside(flow, visit, settled);
}

static void use_buffers(stow_flow *flow, const stow_visit *visit, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))))
      stow_flow_add_use(flow, stow_flow_value(flow, mlirOperationGetOperand(op, i)), visit, false);
}

// Whether a launch is queued in a stream that is an operand, the last.
static bool is_queued(MlirOperation launch) {
  const MlirAttribute segments = stow_attribute_of(launch, "operandSegmentSizes");
  return mlirAttributeIsNull(segments) ||
         mlirDenseI32ArrayGetElement(segments, mlirDenseArrayGetNumElements(segments) - 1) > 0;
}

// A launch without a token is done when its kernel is.
bool stow_ir_transfer_launch(stow_flow *flow, const stow_visit *visit) {
  if (!stow_ir_is(visit->op, STOW_GPU_LAUNCH_FUNC) ||
      !mlirValueIsNull(stow_ir_token_of(visit->op)) || is_queued(visit->op))
    return false;
  use_buffers(flow, visit, visit->op);
  return true;
}

bool stow_ir_transfer_copy(stow_flow *flow, const stow_visit *visit) {
  const bool waits = stow_ir_is(visit->op, STOW_MEMREF_DMA_WAIT);
  if (!waits && !(stow_ir_is(visit->op, STOW_MEMREF_DMA_START) &&
                  stow_ir_is_settled(&flow->completions, visit->op)))
    return false;
  use_buffers(flow, visit, visit->op);
  size_t count;
  const stow_wait_for *done =
      stow_ir_waited_for(&flow->completions, visit->op, visit->traits, &count);
  for (size_t i = 0; i < count; ++i)
    use_buffers(flow, visit, done[i].start);
  return true;
}
