//===- tokens.c - buffers in flight ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that starts work and returns (async.execute, GPU ops with the keyword async) may use
// its buffers until its token has been waited for. Where it is certain that this happens,
// because it stands in the same block, the token becomes one more name of those buffers, and
// waiting for it a use. Otherwise they escape.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"
#include "ir/op.h"

static MlirValue token_of(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (stow_type_is_token(mlirValueGetType(mlirOperationGetResult(op, i))))
      return mlirOperationGetResult(op, i);
  return (MlirValue){NULL};
}

static bool waits(MlirOperation op) {
  return (stow_op_traits(op) & STOW_WAITS) && mlirValueIsNull(token_of(op));
}

// What gives a token for work of its own, or for that of the tokens it is given.
static bool passes_token(MlirOperation op) {
  return !mlirValueIsNull(token_of(op)) && (stow_op_traits(op) & (STOW_GIVES_TOKEN | STOW_WAITS));
}

// The user of a token, in the block of `op` which makes it, that waits for it, itself or by a token
// of its own; null where there is none. In another block it might wait for the last of several.
static MlirOperation next_wait(MlirValue token, MlirOperation op) {
  MlirOperation found = {NULL};
  STOW_EACH_USE(use, token) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(op)))
      continue;
    if (waits(user))
      return user;
    if (passes_token(user))
      found = user;
  }
  return found;
}

bool stow_is_waited_for(MlirOperation op) {
  const MlirValue token = token_of(op);
  const MlirOperation wait = mlirValueIsNull(token) ? (MlirOperation){NULL} : next_wait(token, op);
  return !mlirOperationIsNull(wait) && waits(wait);
}

MlirValue stow_settled_token(MlirOperation op) {
  const MlirValue none = {NULL};
  if (!passes_token(op))
    return none;
  const MlirValue token = token_of(op);
  for (MlirValue next = token; !mlirValueIsNull(next); next = token_of(op)) {
    op = next_wait(next, op);
    if (mlirOperationIsNull(op))
      return none;
    if (waits(op))
      return token;
  }
  return none;
}

static int32_t token_value(stow_flow *flow, const stow_visit *visit, MlirValue token) {
  int32_t value = stow_flow_value(flow, token);
  flow->values.at[value].token = true;
  flow->values.at[value].nest = visit->nest;
  flow->values.at[value].defined = visit->end - 1;
  return value;
}

void stow_transfer_tokens(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(visit->op); i < n; ++i) {
    int32_t value = stow_map_get(&flow->index, mlirOperationGetOperand(visit->op, i).ptr);
    if (value < 0 || !flow->values.at[value].token)
      continue;
    stow_flow_add_use(flow, value, visit, false);
    if (!mlirValueIsNull(settled))
      stow_flow_add_edge(flow, value, token_value(flow, visit, settled), visit);
  }
}

static void hold(const stow_visit *visit, stow_flow *flow, int32_t value, MlirValue settled) {
  stow_flow_add_edge(flow, value, token_value(flow, visit, settled), visit);
}

static void hold_operands(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(visit->op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(visit->op, i);
    if (!stow_is_buffer(mlirValueGetType(operand)))
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

void stow_transfer_work(stow_flow *flow, const stow_visit *visit, MlirValue settled) {
  hold_operands(flow, visit, settled);
  if (mlirOperationGetNumRegions(visit->op) > 0)
    hold_outside(flow, visit, settled);
}
