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
  id = (int32_t)flow->value_count;
  flow->values =
      stow_grow(flow->values, flow->value_count, &flow->value_capacity, sizeof *flow->values);
  MlirType type = mlirValueGetType(value);
  flow->values[flow->value_count++] = (stow_value){
      .value = value,
      .alloc = STOW_NO_ALLOC,
      .alignment = stow_is_buffer(type) ? stow_natural_alignment(&flow->layout, type) : 0};
  stow_map_add(&flow->index, value.ptr, id);
  return id;
}

static void add_edge(stow_flow *flow, stow_edge edge) {
  flow->edges = stow_grow(flow->edges, flow->edge_count, &flow->edge_capacity, sizeof *flow->edges);
  flow->edges[flow->edge_count++] = edge;
}

void stow_flow_add_edge(stow_flow *flow, int32_t from, int32_t to, const stow_visit *visit) {
  add_edge(flow, (stow_edge){from, to, -1, -1, false, visit->begin});
}

// Whether it is a back edge shows only when its target has been visited.
void stow_flow_add_branch(stow_flow *flow, int32_t from, int32_t to, const stow_visit *visit) {
  add_edge(flow, (stow_edge){from, to, -1, visit->nest, true, visit->end - 1});
}

// A terminator has the last position of its block.
static int64_t position_of_end(const stow_flow *flow, MlirOperation terminator) {
  int32_t block = stow_map_get(&flow->block_index, mlirOperationGetBlock(terminator).ptr);
  return flow->blocks[block].end - 1;
}

void stow_flow_add_transfer(stow_flow *flow, int32_t from, int32_t to, int32_t carried,
                            const stow_visit *visit, MlirOperation terminator) {
  bool entering = mlirOperationIsNull(terminator);
  int64_t position = entering ? visit->begin : position_of_end(flow, terminator);
  add_edge(flow, (stow_edge){from, to, carried, -1, true, position});
}

void stow_flow_add_use(stow_flow *flow, int32_t value, const stow_visit *visit, bool overwrites) {
  flow->uses = stow_grow(flow->uses, flow->use_count, &flow->use_capacity, sizeof *flow->uses);
  flow->uses[flow->use_count++] =
      (stow_use){value, visit->nest, visit->begin, visit->end, overwrites};
}

void stow_flow_add_free(stow_flow *flow, int32_t value, const stow_visit *visit) {
  flow->frees = stow_grow(flow->frees, flow->free_count, &flow->free_capacity, sizeof *flow->frees);
  flow->frees[flow->free_count++] = (stow_free){value, visit->block, visit->op};
}

int32_t stow_flow_add_escape(stow_flow *flow, int32_t value, stow_reason reason, MlirOperation op) {
  flow->escapes =
      stow_grow(flow->escapes, flow->escape_count, &flow->escape_capacity, sizeof *flow->escapes);
  flow->escapes[flow->escape_count] = (stow_escape){value, reason, op};
  return (int32_t)flow->escape_count++;
}

void stow_flow_add_alloc(stow_flow *flow, const stow_visit *visit) {
  int32_t value = stow_flow_value(flow, mlirOperationGetResult(visit->op, 0));
  flow->values[value].alloc = (int32_t)flow->alloc_count;
  flow->allocs =
      stow_grow(flow->allocs, flow->alloc_count, &flow->alloc_capacity, sizeof *flow->allocs);
  flow->allocs[flow->alloc_count++] =
      (stow_alloc){visit->op, value, visit->block, flow->nests[visit->nest].scope, visit->begin};
}

int32_t stow_flow_add_nest(stow_flow *flow, int32_t parent, unsigned flags) {
  flow->nests = stow_grow(flow->nests, flow->nest_count, &flow->nest_capacity, sizeof *flow->nests);
  flow->nests[flow->nest_count] =
      (stow_nest){.parent = parent,
                  .depth = parent < 0 ? 0 : flow->nests[parent].depth + 1,
                  .scope = parent < 0 ? -1 : flow->nests[parent].scope,
                  .escape = -1,
                  .flags = flags,
                  .begin = (int64_t)flow->position_count};
  return (int32_t)flow->nest_count++;
}

static bool has_end(MlirRegion region) {
  for (MlirBlock b = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(b);
       b = mlirBlockGetNextInRegion(b))
    if (mlirOperationIsNull(mlirBlockGetTerminator(b)))
      return false;
  return true;
}

int32_t stow_flow_add_scope(stow_flow *flow, MlirOperation op, MlirRegion region,
                            int32_t parent_nest, uint32_t facts) {
  int32_t nest = stow_flow_add_nest(flow, parent_nest, STOW_NEST_SCOPE);
  flow->nests[nest].scope = (int32_t)flow->scope_count;
  flow->scopes =
      stow_grow(flow->scopes, flow->scope_count, &flow->scope_capacity, sizeof *flow->scopes);
  flow->scopes[flow->scope_count++] =
      (stow_scope){op, region, nest, (facts & STOW_OP_GRAPH_REGION) || !has_end(region), INT64_MAX};
  return nest;
}

int32_t stow_flow_add_block(stow_flow *flow, MlirBlock block, int32_t parent, bool same_runs,
                            bool reachable) {
  int32_t id = (int32_t)flow->block_count;
  flow->blocks =
      stow_grow(flow->blocks, flow->block_count, &flow->block_capacity, sizeof *flow->blocks);
  flow->blocks[flow->block_count++] =
      (stow_block){.block = block,
                   .parent = parent,
                   .depth = parent < 0 ? 0 : flow->blocks[parent].depth + 1,
                   .once = same_runs ? flow->blocks[parent].once : id,
                   .reachable = reachable && (parent < 0 || flow->blocks[parent].reachable),
                   .first_segment = -1,
                   .last_segment = -1};
  stow_map_add(&flow->block_index, block.ptr, id);
  return id;
}

int64_t stow_flow_take_position(stow_flow *flow, MlirOperation op) {
  flow->op_at =
      stow_grow(flow->op_at, flow->position_count, &flow->op_capacity, sizeof *flow->op_at);
  flow->op_at[flow->position_count] = op;
  return (int64_t)flow->position_count++;
}

void stow_flow_free(stow_flow *flow) {
  stow_map_free(&flow->index), stow_map_free(&flow->block_index);
  free(flow->values), free(flow->edges), free(flow->uses), free(flow->frees);
  free(flow->escapes), free(flow->allocs), free(flow->nests), free(flow->scopes);
  free(flow->blocks), free(flow->segments), free(flow->jumps), free(flow->op_at);
  *flow = (stow_flow){0};
}

bool stow_nest_holds(const stow_flow *flow, int32_t outer, int32_t inner) {
  while (inner >= 0 && flow->nests[inner].depth > flow->nests[outer].depth)
    inner = flow->nests[inner].parent;
  return inner == outer;
}
