//===- control_read.c - where control goes in a region ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk takes one region after another from a list, so that nesting costs memory
// and not the C stack.
//
//===----------------------------------------------------------------------===//

#include "ir/control.h"
#include "ir/op.h"

//===----------------------------------------------------------------------===//
// Ops that tell
//===----------------------------------------------------------------------===//

typedef struct region_flow {
  stow_map ends;    // terminators that control leaves regions by
  stow_map entered; // regions, by index + 1, that control enters
  bool sound;       // no region is entered that has no block, and all ends are among `ends`
} region_flow;

static void note_edge(void *user, const stow_control_edge *edge) {
  region_flow *flow = user;
  if (edge->to != STOW_PARENT)
    stow_map_note(&flow->entered, (const void *)(edge->to + 1));
  flow->sound &= edge->to == STOW_PARENT || !mlirBlockIsNull(edge->block);
  if (!mlirOperationIsNull(edge->end))
    stow_map_note(&flow->ends, edge->end.ptr);
}

// Whether the interface knows every end of the region; `entered`: control ever gets there.
static bool all_ends_known(MlirRegion region, bool entered, const stow_map *ends) {
  STOW_EACH_BLOCK(b, region) {
    MlirOperation end = mlirBlockGetTerminator(b);
    if (mlirOperationIsNull(end))
      return false;
    if (entered && mlirOperationGetNumSuccessors(end) == 0 && stow_map_get(ends, end.ptr) < 0 &&
        !(stow_ir_op_traits(end) & STOW_NEVER_RETURNS))
      return false;
  }
  return true;
}

bool stow_ir_tells_control_flow(MlirOperation op, uint32_t facts) {
  const uint32_t others = STOW_OP_ISOLATED | STOW_OP_GRAPH_REGION | STOW_OP_STRUCTURED;
  if (!(facts & STOW_OP_REGION_BRANCH) || (facts & others) ||
      (stow_ir_op_traits(op) & STOW_REGIONS_MAY_LAST))
    return false;
  region_flow flow = {.sound = true};
  stow_bridge_region_edges(op, note_edge, &flow);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n && flow.sound; ++r) {
    bool entered = stow_map_get(&flow.entered, (const void *)(r + 1)) >= 0;
    flow.sound = all_ends_known(mlirOperationGetRegion(op, r), entered, &flow.ends);
  }
  stow_map_free(&flow.ends);
  stow_map_free(&flow.entered);
  return flow.sound;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

static void open_segment(stow_region_control *c, MlirBlock block, MlirOperation after,
                         int32_t region) {
  int32_t segment = stow_control_open(&c->flow, (int64_t)c->ops.count, block, after);
  c->flow.segments.at[segment].region = region;
}

static void add_region(stow_region_control *c, MlirRegion region, int32_t parent) {
  const int32_t depth = parent < 0 ? 0 : c->regions.at[parent].depth + 1;
  STOW_PUSH(c->regions, (stow_control_region){region, parent, depth});
}

static void read_block(stow_region_control *c, MlirBlock block, int32_t region) {
  const MlirOperation none = {NULL}, terminator = mlirBlockGetTerminator(block);
  open_segment(c, block, none, region);
  STOW_EACH_OP(op, block) {
    STOW_PUSH(c->ops, op);
    const intptr_t inner = mlirOperationGetNumRegions(op);
    if (inner == 0 || mlirOperationEqual(op, terminator) ||
        !stow_ir_tells_control_flow(op, stow_op_facts(op)))
      continue;
    stow_control_close(&c->flow, (int64_t)c->ops.count, op);
    open_segment(c, block, op, region);
    for (intptr_t r = 0; r < inner; ++r)
      add_region(c, mlirOperationGetRegion(op, r), region);
  }
  stow_control_close(&c->flow, (int64_t)c->ops.count, none);
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

typedef struct laying {
  stow_region_control *control;
  MlirOperation op; // a branch, or an op with regions
} laying;

bool stow_control_follows(MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return stow_ir_is_buffer(type) || stow_bridge_type_is_token(type);
}

static void lay_edge(void *user, const stow_control_edge *edge) {
  const laying *l = user;
  int32_t jump = stow_control_follow(&l->control->flow, l->op, edge);
  for (size_t i = 0; i < edge->count; ++i)
    if (edge->passes[i].operand >= 0 && stow_control_follows(edge->passes[i].target))
      STOW_PUSH(l->control->carried,
                (stow_carried){jump, edge->passes[i].operand, edge->passes[i].target});
}

static void lay_edges(stow_region_control *c, const stow_segment *segment) {
  laying l = {c, segment->last};
  if (mlirOperationIsNull(l.op))
    return;
  if (stow_map_get(&c->flow.starts, l.op.ptr) >= 0)
    stow_bridge_region_edges(l.op, lay_edge, &l);
  else if (mlirOperationGetNumSuccessors(l.op) == 0)
    return;
  else if (stow_op_facts(l.op) & STOW_OP_BRANCH)
    stow_bridge_branch_edges(l.op, lay_edge, &l);
  else
    stow_control_branch(&c->flow, segment->block);
}

static void mark_reachable(stow_control *c) {
  const size_t count = c->segments.count;
  bool *marked = stow_ir_allocate(count + 1, sizeof *marked);
  marked[0] = true;
  stow_index successors = stow_ir_successors_of(c->jumps.at, c->jumps.count, count);
  stow_ir_mark_reached(&successors, count, marked);
  for (size_t s = 0; s < count; ++s)
    c->segments.at[s].reachable = marked[s];
  stow_index_free(&successors);
  free(marked);
}

void stow_control_read(MlirRegion region, stow_region_control *out) {
  *out = (stow_region_control){0};
  add_region(out, region, -1);
  for (size_t r = 0; r < out->regions.count; ++r)
    STOW_EACH_BLOCK(block, out->regions.at[r].region)
      read_block(out, block, (int32_t)r);
  for (size_t s = 0; s < out->flow.segments.count; ++s)
    lay_edges(out, &out->flow.segments.at[s]);
  mark_reachable(&out->flow);
}

void stow_region_control_free(stow_region_control *control) {
  stow_control_free(&control->flow);
  free(control->ops.at);
  free(control->regions.at);
  free(control->carried.at);
  *control = (stow_region_control){0};
}
