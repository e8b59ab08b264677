//===- partial.h - a plan in which some items lie already -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the search in search.c: which items are placed, and what is left for
// the others. Every unplaced item has a *floor*, the lowest offset above all placed
// neighbours; every clique the sum of its unplaced heights and the least floor among
// its unplaced items. A trail remembers old floors, so what is placed last can be
// taken back.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_PARTIAL_H
#define STOWAGE_PLAN_PARTIAL_H

#include "graph.h"

#define STOW_NO_ITEM UINT32_MAX

typedef struct stow_partial {
  const stow_plan_graph *graph;
  uint64_t capacity;
  bool ceiling;       // a neighbour that no longer fits below the capacity is noticed at once
  uint64_t *floors;   // per item: lowest offset above its placed neighbours; the offset once placed
  uint64_t *rests;    // per clique: heights of its unplaced items
  uint64_t *lowest;   // per clique: least floor of its unplaced items
  uint32_t *witness;  // per clique: an unplaced item with that floor, or STOW_NO_ITEM
  uint32_t *crossing; // per clique: unplaced items that are also in the one before it
  unsigned char *placed, *dirty; // per item; per clique
  uint32_t *dirty_list;
  uint32_t dirty_count;
  struct stow_old_floor *trail;
  uint32_t trail_length;
  uint64_t effort;
} stow_partial;

// Takes all memory it will ever need. False: there is too little.
bool stow_partial_make(stow_partial *partial, const stow_plan_graph *graph, stow_memory *memory);

// Nothing is placed.
void stow_partial_reset(stow_partial *partial, uint64_t capacity, bool ceiling);

// Places the item at `offset` and raises its neighbours. Returns false where one of them no longer
// fits; the change is complete all the same.
bool stow_partial_place(stow_partial *partial, uint32_t item, uint64_t offset);

// Takes back the item placed last; `trail_length` is what it was before.
void stow_partial_take_back(stow_partial *partial, uint32_t item, uint32_t trail_length);

static inline bool stow_plan_is_free(const stow_plan_item *item) {
  return item->fixed == STOW_ANY_OFFSET;
}

// Where the item would lie if it were next. False where it cannot lie anywhere.
static inline bool stow_partial_offset(const stow_partial *partial, uint32_t item,
                                       uint64_t *out_offset) {
  const stow_plan_item *it = &partial->graph->items[item];
  *out_offset = stow_plan_is_free(it) ? partial->floors[item] : it->fixed;
  return stow_plan_is_free(it) || partial->floors[item] <= it->fixed;
}

static inline bool stow_partial_ends_below(const stow_partial *partial, uint32_t item,
                                           uint64_t offset) {
  return offset <= partial->capacity - partial->graph->items[item].size;
}

#endif // STOWAGE_PLAN_PARTIAL_H
