//===- control.c - where control goes -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/control.h"

#include "ir/op.h"

void stow_control_free(stow_control *control) {
  free(control->segments.at);
  free(control->jumps.at);
  free(control->exits.at);
  stow_map_free(&control->starts);
  stow_map_free(&control->ends);
  *control = (stow_control){0};
}

int32_t stow_control_open(stow_control *control, int64_t position, MlirBlock block,
                          MlirOperation after) {
  int32_t segment = (int32_t)STOW_PUSH(
      control->segments,
      (stow_segment){.begin = position, .end = position, .block = block, .after = after});
  if (!mlirBlockIsNull(block))
    stow_map_add(&control->starts, mlirOperationIsNull(after) ? block.ptr : after.ptr, segment);
  return segment;
}

void stow_control_close(stow_control *control, int64_t position, MlirOperation op) {
  const int32_t last = (int32_t)control->segments.count - 1;
  stow_segment *segment = &control->segments.at[last];
  const bool goes_on = !mlirOperationIsNull(op);
  segment->end = position;
  segment->last = goes_on ? op : mlirBlockGetTerminator(segment->block);
  stow_map_add(&control->ends, goes_on ? op.ptr : segment->block.ptr, last);
}

static const stow_exit unknown_exit = {-1, -1};

static int32_t add_jump(stow_control *control, int32_t from, int32_t to, stow_exit how) {
  if (from < 0 || to < 0)
    return -1;
  STOW_PUSH(control->exits, how);
  return (int32_t)STOW_PUSH(control->jumps, (stow_jump){from, to});
}

// Where an scf.if or affine.if has no block for its condition's being false.
static intptr_t empty_else(MlirOperation op, const stow_control_edge *edge) {
  if (!mlirOperationIsNull(edge->end) || edge->to != STOW_PARENT ||
      !(stow_ir_is(op, STOW_SCF_IF) || stow_ir_is(op, STOW_AFFINE_IF)))
    return -1;
  return mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1))) ? 1 : -1;
}

int32_t stow_control_follow(stow_control *control, MlirOperation op,
                            const stow_control_edge *edge) {
  const void *end = mlirOperationIsNull(edge->end) ? op.ptr : mlirOperationGetBlock(edge->end).ptr;
  const void *start = mlirBlockIsNull(edge->block) ? op.ptr : edge->block.ptr;
  if (edge->to != STOW_PARENT && mlirBlockIsNull(edge->block))
    return -1;
  return add_jump(control, stow_map_get(&control->ends, end), stow_map_get(&control->starts, start),
                  (stow_exit){edge->successor, empty_else(op, edge)});
}

static int32_t start_of(const stow_control *control, MlirBlock block) {
  return mlirBlockIsNull(block) ? -1 : stow_map_get(&control->starts, block.ptr);
}

void stow_control_branch(stow_control *control, MlirBlock block) {
  const int32_t from = stow_map_get(&control->ends, block.ptr);
  for (intptr_t i = 0, n = mlirBlockGetNumSuccessors(block); i < n; ++i)
    add_jump(control, from, start_of(control, mlirBlockGetSuccessor(block, i)), unknown_exit);
}

void stow_control_to_hub(stow_control *control, MlirBlock from, int32_t hub) {
  add_jump(control, stow_map_get(&control->ends, from.ptr), hub, unknown_exit);
}

void stow_control_any_order(stow_control *control, MlirOperation op, int32_t hub) {
  add_jump(control, stow_map_get(&control->ends, op.ptr), hub, unknown_exit);
  add_jump(control, hub, stow_map_get(&control->starts, op.ptr), unknown_exit);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    add_jump(control, hub, start_of(control, block), unknown_exit);
    for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      if (mlirBlockGetNumSuccessors(block) == 0)
        stow_control_to_hub(control, block, hub);
  }
}
