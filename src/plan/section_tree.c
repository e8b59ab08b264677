//===- section_tree.c - ranges of sections as nodes of a tree -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "section_tree.h"

stow_section_tree stow_section_tree_over(uint32_t section_count) {
  stow_section_tree tree = {0};
  while ((UINT32_C(1) << tree.log_leaves) < section_count)
    ++tree.log_leaves;
  tree.leaf_count = UINT32_C(1) << tree.log_leaves;
  return tree;
}

size_t stow_section_tree_nodes(const stow_section_tree *tree) {
  return (size_t)tree->leaf_count * 2;
}

static bool lies_inside(const stow_section_tree *tree, const stow_plan_span *span, uint32_t at,
                        uint32_t height) {
  const uint32_t begin = (at << height) - tree->leaf_count;
  const uint32_t end = begin + (UINT32_C(1) << height);
  return span->begin <= begin && end <= span->end;
}

// Up from both ends of the span. What is above a node that is not inside of it is not, either.
static void list_above(const stow_section_tree *tree, const stow_plan_span *span,
                       stow_node_set *set) {
  uint32_t left = tree->leaf_count + span->begin, right = tree->leaf_count + span->end - 1;
  bool left_above = false, right_above = false;
  set->above_count = 0;
  for (uint32_t height = 1; height <= tree->log_leaves; ++height) {
    left /= 2;
    right /= 2;
    left_above = left_above || !lies_inside(tree, span, left, height);
    if (left_above)
      set->above[set->above_count++] = left;
    if (left == right)
      continue;
    right_above = right_above || !lies_inside(tree, span, right, height);
    if (right_above)
      set->above[set->above_count++] = right;
  }
}

static void list_cover(const stow_section_tree *tree, const stow_plan_span *span,
                       stow_node_set *set) {
  set->cover_count = 0;
  uint32_t left = tree->leaf_count + span->begin;
  uint32_t right = tree->leaf_count + span->end;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2)
      set->cover[set->cover_count++] = left++;
    if (right % 2)
      set->cover[set->cover_count++] = --right;
  }
}

void stow_section_tree_find(const stow_section_tree *tree, const stow_plan_span *span,
                            stow_node_set *out_set) {
  list_cover(tree, span, out_set);
  list_above(tree, span, out_set);
}
