//===- section_tree.h - ranges of sections as nodes of a tree -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A binary tree over the sections. A range of T sections or fewer is the disjoint union
// of at most 2 log T nodes, its *cover*; the proper ancestors of these are *above* it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SECTION_TREE_H
#define STOWAGE_PLAN_SECTION_TREE_H

#include "model.h"

// Node 1 is the root; the children of v are 2v and 2v + 1.
typedef struct stow_section_tree {
  uint32_t leaf_count; // a power of two; section s is node leaf_count + s
  uint32_t log_leaves;
} stow_section_tree;

enum { STOW_PATH_NODES = 64 }; // two a level

typedef struct stow_node_set {
  uint32_t cover[STOW_PATH_NODES]; // nodes inside the span whose parent is not
  uint32_t above[STOW_PATH_NODES]; // their proper ancestors
  uint32_t cover_count, above_count;
} stow_node_set;

stow_section_tree stow_section_tree_over(uint32_t section_count);
size_t stow_section_tree_nodes(const stow_section_tree *tree); // how many to make room for

void stow_section_tree_find(const stow_section_tree *tree, const stow_plan_span *span,
                            stow_node_set *out_set);

#endif // STOWAGE_PLAN_SECTION_TREE_H
