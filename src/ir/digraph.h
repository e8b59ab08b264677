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

// Nodes to visit, each once: those that are added during the walk are visited, too, after those
// added before. The nodes added are items[0] up to but not items[count].
typedef struct stow_walk {
  int32_t *added; // per node: the last round in which it was added
  int32_t *items;
  size_t count, next;
  int32_t round;
} stow_walk;

// Freed with stow_walk_free.
stow_walk stow_walk_create(size_t node_count);
void stow_walk_free(stow_walk *walk);
void stow_walk_restart(stow_walk *walk); // empties it, in constant time

void stow_walk_add(stow_walk *walk, int32_t node); // if it is not there yet
void stow_walk_add_all(stow_walk *walk, const stow_index *nodes, int32_t key);
bool stow_walk_has(const stow_walk *walk, int32_t node);

// The next node to visit. False: all have been visited.
bool stow_walk_next(stow_walk *walk, int32_t *out_node);

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
