//===- control.c - how control moves between segments ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Called by the walk as it meets blocks and regions. A jump is added when both of its
// ends have been numbered: between blocks when the walk leaves their region, between
// regions when it leaves their op.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"

int32_t stow_flow_open_segment(stow_flow *flow) {
  int64_t here = (int64_t)flow->ops.count;
  return (int32_t)STOW_PUSH(flow->segments, (stow_segment){here, here});
}

void stow_flow_close_segment(stow_flow *flow, int32_t segment) {
  flow->segments.at[segment].end = (int64_t)flow->ops.count;
}

static void add_jump(stow_flow *flow, int32_t from, int32_t to) {
  if (from >= 0 && to >= 0)
    STOW_PUSH(flow->jumps, (stow_jump){from, to});
}

static const stow_block *entry_of(const stow_flow *flow, MlirBlock block) {
  return &flow->blocks.at[stow_map_get(&flow->block_index, block.ptr)];
}

static int32_t first_segment(const stow_flow *flow, MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  return mlirBlockIsNull(block) ? -1 : entry_of(flow, block)->first_segment;
}

void stow_flow_add_region_jumps(stow_flow *flow, MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (intptr_t i = 0, n = mlirBlockGetNumSuccessors(block); i < n; ++i)
      add_jump(flow, entry_of(flow, block)->last_segment,
               entry_of(flow, mlirBlockGetSuccessor(block, i))->first_segment);
}

void stow_flow_add_region_jump(stow_flow *flow, const stow_visit *visit,
                               const stow_control_edge *edge) {
  if (visit->before < 0 || (edge->to != STOW_PARENT && mlirBlockIsNull(edge->block)))
    return;
  add_jump(flow,
           mlirOperationIsNull(edge->end)
               ? visit->before
               : entry_of(flow, mlirOperationGetBlock(edge->end))->last_segment,
           edge->to == STOW_PARENT ? visit->after : entry_of(flow, edge->block)->first_segment);
}

void stow_flow_add_hub_jump(stow_flow *flow, MlirBlock from, int32_t hub) {
  add_jump(flow, entry_of(flow, from)->last_segment, hub);
}

void stow_flow_add_any_jumps(stow_flow *flow, const stow_visit *visit) {
  add_jump(flow, visit->before, visit->hub);
  add_jump(flow, visit->hub, visit->after);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(visit->op); r < n; ++r) {
    MlirRegion region = mlirOperationGetRegion(visit->op, r);
    add_jump(flow, visit->hub, first_segment(flow, region));
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      if (mlirBlockGetNumSuccessors(block) == 0)
        stow_flow_add_hub_jump(flow, block, visit->hub);
  }
}
