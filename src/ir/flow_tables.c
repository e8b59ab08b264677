//===- flow_tables.c - filling the tables of flow.h -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every table grows at its end and is never sorted, so that an index, once given, stays
// right: values by where they are first met, nests and blocks before what is inside
// them, segments by position.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"

#include <stdlib.h>

int32_t stow_flow_value(stow_flow *flow, MlirValue value) {
  int32_t id = stow_map_get(&flow->index, value.ptr);
  if (id >= 0)
    return id;
  MlirType type = mlirValueGetType(value);
  const bool buffer = stow_ir_is_buffer(type);
  const uint64_t alignment = buffer ? stow_ir_natural_alignment(&flow->layout, type) : 0;
  id = (int32_t)STOW_PUSH(flow->values,
                          (stow_value){.value = value,
                                       .alloc = STOW_NO_ALLOC,
                                       .token = !buffer && stow_bridge_type_is_token(type),
                                       .alignment = alignment});
  stow_map_add(&flow->index, value.ptr, id);
  return id;
}

void stow_flow_add_edge(stow_flow *flow, int32_t from, int32_t to, const stow_visit *visit) {
  STOW_PUSH(flow->edges, (stow_edge){from, to, -1, -1, false, visit->begin});
}

// Whether it is a back edge shows only when its target has been visited.
void stow_flow_add_branch(stow_flow *flow, int32_t from, int32_t to, const stow_visit *visit) {
  const int32_t branch =
      flow->blocks.at[visit->block].reachable ? visit->nest : STOW_UNREACHED_BRANCH;
  STOW_PUSH(flow->edges, (stow_edge){from, to, -1, branch, true, visit->end - 1});
}

// A terminator has the last position of its block.
static int64_t position_of_end(const stow_flow *flow, MlirOperation terminator) {
  int32_t block = stow_map_get(&flow->block_index, mlirOperationGetBlock(terminator).ptr);
  return flow->blocks.at[block].end - 1;
}

void stow_flow_add_transfer(stow_flow *flow, int32_t from, int32_t to, int32_t carried,
                            const stow_visit *visit, MlirOperation terminator) {
  bool entering = mlirOperationIsNull(terminator);
  int64_t position = entering ? visit->begin : position_of_end(flow, terminator);
  STOW_PUSH(flow->edges, (stow_edge){from, to, carried, -1, true, position});
}

void stow_flow_add_use(stow_flow *flow, int32_t value, const stow_visit *visit, bool overwrites) {
  STOW_PUSH(flow->uses, (stow_use){value, visit->nest, visit->begin, visit->end, overwrites});
}

void stow_flow_add_free(stow_flow *flow, int32_t value, const stow_visit *visit) {
  STOW_PUSH(flow->frees, (stow_free){value, visit->block, visit->op,
                                     (visit->traits & STOW_DEALLOCATES_DEVICE) != 0});
}

int32_t stow_flow_add_escape(stow_flow *flow, int32_t value, stow_reason reason, MlirOperation op) {
  return (int32_t)STOW_PUSH(flow->escapes, (stow_escape){value, reason, op});
}

void stow_flow_add_clone(stow_flow *flow, int32_t source, MlirValue clone) {
  const int32_t value = stow_flow_value(flow, clone);
  STOW_PUSH(flow->clones, (stow_jump){source, value});
}

void stow_flow_add_alloc(stow_flow *flow, const stow_visit *visit) {
  const MlirValue result = mlirOperationGetResult(visit->op, 0);
  const int32_t value = stow_flow_value(flow, result);
  const int32_t scope = flow->nests.at[visit->nest].scope;
  flow->values.at[value].alloc = (int32_t)STOW_PUSH(
      flow->allocs, (stow_alloc){.op = visit->op,
                                 .on_stack = (visit->traits & STOW_ALLOCATES_STACK) != 0,
                                 .on_device = (visit->traits & STOW_ALLOCATES_DEVICE) != 0,
                                 .value = value,
                                 .block = visit->block,
                                 .scope = scope,
                                 .position = visit->begin,
                                 .type = mlirValueGetType(result),
                                 .alignment = stow_ir_alignment_attribute(visit->op)});
}

int32_t stow_flow_add_nest(stow_flow *flow, int32_t parent, unsigned flags) {
  return (int32_t)STOW_PUSH(flow->nests,
                            (stow_nest){.parent = parent,
                                        .depth = parent < 0 ? 0 : flow->nests.at[parent].depth + 1,
                                        .scope = parent < 0 ? -1 : flow->nests.at[parent].scope,
                                        .escape = -1,
                                        .flags = flags,
                                        .begin = (int64_t)flow->ops.count});
}

static bool has_end(MlirRegion region) {
  STOW_EACH_BLOCK(b, region)
    if (mlirOperationIsNull(mlirBlockGetTerminator(b)))
      return false;
  return true;
}

int32_t stow_flow_add_scope(stow_flow *flow, MlirOperation op, MlirRegion region,
                            int32_t parent_nest, uint32_t facts) {
  int32_t nest = stow_flow_add_nest(flow, parent_nest, STOW_NEST_SCOPE);
  const bool unordered = (facts & STOW_OP_GRAPH_REGION) || !has_end(region);
  flow->nests.at[nest].scope =
      (int32_t)STOW_PUSH(flow->scopes, (stow_scope){op, region, nest, unordered, INT64_MAX});
  return nest;
}

int32_t stow_flow_add_block(stow_flow *flow, MlirBlock block, int32_t parent, bool same_runs,
                            bool reachable) {
  int32_t id = (int32_t)flow->blocks.count;
  STOW_PUSH(
      flow->blocks,
      (stow_block){.block = block,
                   .parent = parent,
                   .depth = parent < 0 ? 0 : flow->blocks.at[parent].depth + 1,
                   .once = same_runs ? flow->blocks.at[parent].once : id,
                   .reachable = reachable && (parent < 0 || flow->blocks.at[parent].reachable)});
  stow_map_add(&flow->block_index, block.ptr, id);
  return id;
}

int64_t stow_flow_take_position(stow_flow *flow, MlirOperation op) {
  return (int64_t)STOW_PUSH(flow->ops, op);
}

void stow_flow_free(stow_flow *flow) {
  stow_map_free(&flow->index);
  stow_map_free(&flow->block_index);
  free(flow->values.at);
  free(flow->edges.at);
  stow_index_free(&flow->targets);
  stow_index_free(&flow->sources);
  free(flow->uses.at);
  free(flow->frees.at);
  free(flow->escapes.at);
  free(flow->clones.at);
  free(flow->allocs.at);
  free(flow->nests.at);
  free(flow->scopes.at);
  free(flow->blocks.at);
  stow_control_free(&flow->control);
  free(flow->ops.at);
  stow_completions_free(&flow->completions);
  *flow = (stow_flow){0};
}

void stow_flow_index_edges(stow_flow *f) {
  const stow_column from = STOW_COLUMN(f->edges.at, f->edges.count, from);
  const stow_column to = STOW_COLUMN(f->edges.at, f->edges.count, to);
  f->targets = stow_index_of_values(from, to, f->values.count);
  f->sources = stow_index_of_values(to, from, f->values.count);
}

int32_t stow_flow_only_source(const stow_flow *flow, int32_t value) {
  const int32_t first = flow->sources.first[value];
  return flow->sources.first[value + 1] == first + 1 ? flow->sources.items[first] : -1;
}

stow_index stow_flow_clones(const stow_flow *f) {
  return stow_ir_successors_of(f->clones.at, f->clones.count, f->values.count);
}

bool stow_nest_holds(const stow_flow *flow, int32_t outer, int32_t inner) {
  while (inner >= 0 && flow->nests.at[inner].depth > flow->nests.at[outer].depth)
    inner = flow->nests.at[inner].parent;
  return inner == outer;
}
