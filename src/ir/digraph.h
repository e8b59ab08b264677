//===- digraph.h - what jumps lead to, and cycles of them -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of any graph: of segments, of values, of functions that call each other. The jumps from node n
// lead to successors->items[successors->first[n]] up to but not
// successors->items[successors->first[n + 1]].
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_DIGRAPH_H
#define STOWAGE_IR_DIGRAPH_H

#include "ir/index.h"

#include <stdbool.h>

typedef struct stow_jump {
  int32_t from, to; // nodes
} stow_jump;

// By node: the jumps that lead from it, and those that lead to it; the nodes that they lead to, and
// those that they come from. Freed with stow_index_free.
stow_index stow_jumps_from(const stow_jump *jumps, size_t count, size_t node_count);
stow_index stow_jumps_to(const stow_jump *jumps, size_t count, size_t node_count);
stow_index stow_ir_successors_of(const stow_jump *jumps, size_t count, size_t node_count);
stow_index stow_ir_predecessors_of(const stow_jump *jumps, size_t count, size_t node_count);

// Strongly connected components, each after all that its jumps lead to. Component c consists of
// members[first[c]] up to but not members[first[c + 1]].
typedef struct stow_components {
  int32_t *members, *first;
  int32_t *of_node;
  int32_t count;
} stow_components;

// Nodes are tried in their order. Linear. Freed with stow_components_free.
stow_components stow_components_of(const stow_index *successors, size_t node_count);
void stow_components_free(stow_components *components);

// Marks, too, all nodes that jumps lead to from those marked.
void stow_ir_mark_reached(const stow_index *successors, size_t node_count, bool *marked);

// One node in the tree of dominators of those that node 0 reaches. As intervals: a dominates b if
// a's holds b's. All zero for a node that is not reached.
typedef struct stow_dominance {
  int32_t enter, leave;
  int32_t immediate; // of node 0: itself
  int32_t rpo;       // number in reverse postorder
} stow_dominance;

// By node. Freed with free().
stow_dominance *stow_ir_dominators_of(const stow_jump *jumps, size_t count, size_t node_count);

// Sets of nodes that are joined, by leaders: a node's chain of leaders ends at its set's. At first
// each node leads itself. Freed with free().
int32_t *stow_ir_sets_of(size_t node_count);
int32_t stow_ir_leader(int32_t *leaders, int32_t node); // shortens the chain for the next who asks
void stow_ir_unite(int32_t *leaders, int32_t a, int32_t b);

#endif // STOWAGE_IR_DIGRAPH_H
