//===- pq_tree.h - all orders in which pieces may lie above each other ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A PQ-tree (Booth and Lueker) stands for orders of its leaves: the children of a
// node of kind ANY may be permuted, those of kind ROW reversed. Here the leaves are
// *pieces* that fill the arena at a moment, and the one change is that some of them,
// which must be neighbours for it, are replaced by others of the same total height
// in any order. A change makes new nodes and leaves the old ones as they are, so
// that taking changes back is forgetting what was made since.
//
// The changes are remembered. When the last is done, stow_plan_pq_place goes back through
// them and gives each piece its place.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_PQ_TREE_H
#define STOWAGE_PLAN_PQ_TREE_H

#include "memory.h"

#include <stdbool.h>

enum { STOW_PQ_MOST_LEAVES = 256 }; // of one tree

#define STOW_NO_PIECE UINT32_MAX

typedef struct stow_pq_list {
  uint32_t at[STOW_PQ_MOST_LEAVES];
  uint32_t count;
} stow_pq_list;

// What there is at a moment: to come back to it, keep a copy.
typedef struct stow_pq_state {
  uint32_t root, node_count, kid_count, change_count, split_count, piece_count;
} stow_pq_state;

typedef struct stow_pq_tree {
  stow_pq_state now;
  struct stow_pq_node *nodes;
  uint32_t *kids;
  struct stow_pq_change *changes;
  uint64_t *heights;     // per piece
  uint32_t *halves;      // per piece: the first of two that it was split into, or STOW_NO_PIECE
  uint32_t *splits;      // pieces that were split, in order
  unsigned char *marked; // per piece
  uint32_t max_nodes, max_kids, max_pieces;
  uint64_t effort;
} stow_pq_tree;

// Room for some pieces, of which the first `item_count` have the given heights. False: there is too
// little memory.
bool stow_plan_pq_make(stow_pq_tree *tree, const uint64_t *heights, uint32_t item_count,
                       uint32_t max_pieces, stow_memory *memory);

// A tree of these pieces in any order.
void stow_plan_pq_begin(stow_pq_tree *tree, const stow_pq_list *pieces);

void stow_plan_pq_go_back(stow_pq_tree *tree, const stow_pq_state *state);

// Whether another change has room.
bool stow_plan_pq_has_room(const stow_pq_tree *tree);

uint32_t stow_plan_pq_add_piece(stow_pq_tree *tree, uint64_t height);

void stow_pq_list_leaves(const stow_pq_tree *tree, stow_pq_list *out_pieces);

// The leaves among `pieces` below each node on the way from one of them, `piece`, to the root:
// as sets of bits by their place in `pieces`, of which there are at most 64, each larger than the
// one before. Returns how many, at most `most`.
uint32_t stow_pq_list_nests(stow_pq_tree *tree, const stow_pq_list *pieces, uint32_t piece,
                            uint64_t *out_sets, uint32_t most);

// Replaces pieces by others. False, and nothing is changed, where in no order left they are
// neighbours.
bool stow_plan_pq_replace(stow_pq_tree *tree, const stow_pq_list *old_pieces,
                          const stow_pq_list *new_pieces);

// Splits a piece that was added into one of this height and the rest, which need not be neighbours
// where the piece had its place to itself. Returns the first of the two.
uint32_t stow_plan_pq_split(stow_pq_tree *tree, uint32_t piece, uint64_t height);

// The place of each piece there was: writes as many as there are pieces. False where, with all
// halves, more than STOW_PQ_MOST_LEAVES lay above each other.
bool stow_plan_pq_place(const stow_pq_tree *tree, uint64_t *out_offsets);

#endif // STOWAGE_PLAN_PQ_TREE_H
