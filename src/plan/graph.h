//===- graph.h - blocks, which of them meet, and where --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exact search sees the problem as a graph of *items*. An edge from i to j
// says that they may not share bytes, and its *rise* how far above i's offset
// that of j must at least lie if i is the lower one. A *clique* is a set of items
// all joined by edges, each with a height: those of one section.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_GRAPH_H
#define STOWAGE_PLAN_GRAPH_H

#include "model.h"

typedef struct stow_plan_item {
  uint64_t size, alignment, fixed;
  uint32_t first_edge, past_edge;     // into edges
  uint32_t first_member, past_member; // into memberships
  uint32_t begin, end;                // cliques [begin, end) contain all it is in
  uint32_t twin;                      // an earlier item like this one in every way, or itself
} stow_plan_item;

typedef struct stow_plan_edge {
  uint32_t to;
  uint64_t rise;
} stow_plan_edge;

// An item in a clique: from the item's side and from the clique's.
typedef struct stow_member {
  uint32_t clique, item;
  uint64_t height;
} stow_member;

typedef struct stow_plan_graph {
  uint32_t item_count, clique_count;
  const stow_plan_item *items;
  const stow_plan_edge *edges;
  const stow_member *members;                 // by item, then clique
  const uint32_t *clique_first, *clique_past; // per clique, into clique_items
  const uint32_t *clique_items;
  bool contiguous;        // every item is in all cliques of its range
  const uint32_t *blocks; // per item, its block in the model
} stow_plan_graph;

// Builds the graph of some blocks of a model, `blocks` ascending, with at most `max_edges` edges.
// `*out_fits` is false where there are more, and then the graph is not built.
stow_status stow_plan_graph_build(const stow_model *model, const uint32_t *blocks, uint32_t count,
                                  uint32_t max_edges, stow_memory *memory,
                                  stow_plan_graph *out_graph, bool *out_fits);

#endif // STOWAGE_PLAN_GRAPH_H
