//===- graph.c - edges by value -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/graph.h"

#include <stdlib.h>

static int32_t source_of(const void *edges, size_t e) { return ((const stow_edge *)edges)[e].from; }
static int32_t target_of(const void *edges, size_t e) { return ((const stow_edge *)edges)[e].to; }

stow_graph stow_graph_of(const stow_flow *flow, bool reversed) {
  stow_index index = stow_index_of(flow->edges.at, flow->edges.count, flow->values.count,
                                   reversed ? target_of : source_of);
  return (stow_graph){index.first, index.items};
}

void stow_graph_free(stow_graph *graph) {
  free(graph->first), free(graph->edge);
  *graph = (stow_graph){0};
}

stow_index stow_value_successors_of(const stow_flow *flow) {
  stow_index index =
      stow_index_of(flow->edges.at, flow->edges.count, flow->values.count, source_of);
  for (size_t i = 0; i < flow->edges.count; ++i)
    index.items[i] = flow->edges.at[index.items[i]].to;
  return index;
}
