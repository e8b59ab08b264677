//===- graph.h - edges by value, jumps by segment, components -------------===//
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
  int32_t value_count;
  bool reversed;
} stow_graph;

stow_graph stow_graph_of(const stow_flow *flow, bool reversed);
void stow_graph_free(stow_graph *graph);

// By segment: the segments that its jumps lead to, and those whose jumps lead to it. Freed with
// stow_index_free.
stow_index stow_successors_of(const stow_jump *jumps, size_t count, size_t segment_count);
stow_index stow_predecessors_of(const stow_jump *jumps, size_t count, size_t segment_count);

// Strongly connected components, each after all that its edges lead to. Component c consists of
// members[first[c]] up to but not members[first[c + 1]].
typedef struct stow_components {
  int32_t *members, *first;
  int32_t count;
} stow_components;

stow_components stow_components_of(const stow_graph *graph, const stow_flow *flow);
void stow_components_free(stow_components *components);

#endif // STOWAGE_IR_GRAPH_H
