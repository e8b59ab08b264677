//===- markers.c - lives that the IR tells of ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At lifetime.start the contents are undefined, as if all of the buffer were overwritten;
// lifetime.end is the last touch of a life. A value is *marked* if all of its lives are
// certain to end: an address of it that was kept is then not used after the end.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"
#include "ir/limits.h"
#include "ir/op.h"

// Whether the life that begins at `start` ends in the same block: on some path through
// other blocks it might not.
static bool ends_in_block(MlirOperation start, const MlirOperation *markers, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (stow_ir_is_end(markers[i]) &&
        mlirBlockEqual(mlirOperationGetBlock(start), mlirOperationGetBlock(markers[i])) &&
        mlirOperationIsBeforeInBlock(start, markers[i]))
      return true;
  return false;
}

// The markers of a value, among them the start whose result it is; more than STOW_MOST_MARKERS
// where there are more.
static size_t markers_of(MlirValue value, MlirOperation *out_markers) {
  size_t count = 0;
  if (mlirValueIsAOpResult(value) && stow_ir_is_start(mlirOpResultGetOwner(value)))
    out_markers[count++] = mlirOpResultGetOwner(value);
  STOW_EACH_USE(use, value) {
    if (!stow_ir_is_marker(mlirOpOperandGetOwner(use)))
      continue;
    if (count == STOW_MOST_MARKERS)
      return STOW_MOST_MARKERS + 1;
    out_markers[count++] = mlirOpOperandGetOwner(use);
  }
  return count;
}

static bool all_end(MlirValue value) {
  MlirOperation markers[STOW_MOST_MARKERS];
  size_t count = markers_of(value, markers);
  for (size_t i = 0; i < count; ++i)
    if (count > STOW_MOST_MARKERS ||
        (stow_ir_is_start(markers[i]) && !ends_in_block(markers[i], markers, count)))
      return false;
  return true;
}

// Of a life in the value form only the start's result has it.
void stow_ir_transfer_marker(stow_flow *flow, const stow_visit *visit) {
  MlirOperation op = visit->op;
  bool start = stow_ir_is_start(op), named = mlirOperationGetNumResults(op) > 0;
  MlirValue life = named ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0);
  int32_t value = stow_flow_value(flow, mlirOperationGetOperand(op, 0));
  stow_flow_add_use(flow, value, visit, start);
  if (named)
    stow_flow_add_edge(flow, value, stow_flow_value(flow, life), visit);
  int32_t living = stow_flow_value(flow, life);
  flow->values.at[living].marked |= start && !flow->values.at[living].marked && all_end(life);
}
