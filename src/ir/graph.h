//===- graph.h - edges by value -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_GRAPH_H
#define STOWAGE_IR_GRAPH_H

#include "ir/flow.h"
#include "ir/index.h"

// The edges that leave value v are edge[first[v]] up to but not edge[first[v + 1]], as indices of
// flow->edges.at; those that enter it, in a reversed graph.
typedef struct stow_graph {
  int32_t *first, *edge;
} stow_graph;

stow_graph stow_graph_of(const stow_flow *flow, bool reversed);
void stow_graph_free(stow_graph *graph);

// By value: the values that its edges lead to. Freed with stow_index_free.
stow_index stow_value_successors_of(const stow_flow *flow);

#endif // STOWAGE_IR_GRAPH_H
