//===- partial.c - a plan in which some items lie already -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floors rise while items are placed and fall while they are taken back. Falling, the
// least floor of a clique is known at once. Rising, it may have to be looked for: a
// clique is *dirty* then, but only if the floor that rose was the one it was seen in.
//
//===----------------------------------------------------------------------===//

#include "partial.h"

#include <string.h>

struct stow_old_floor {
  uint32_t item;
  uint64_t floor;
};

bool stow_partial_make(stow_partial *partial, const stow_plan_graph *graph, stow_memory *memory) {
  const size_t items = graph->item_count, cliques = graph->clique_count;
  size_t edges = 0;
  for (size_t i = 0; i < items; ++i)
    edges += graph->items[i].past_edge - graph->items[i].first_edge;
  *partial = (stow_partial){.graph = graph};
  partial->floors = STOW_TAKE(memory, uint64_t, items);
  partial->rests = STOW_TAKE(memory, uint64_t, cliques);
  partial->lowest = STOW_TAKE(memory, uint64_t, cliques);
  partial->witness = STOW_TAKE(memory, uint32_t, cliques);
  partial->crossing = STOW_TAKE(memory, uint32_t, cliques);
  partial->placed = STOW_TAKE(memory, unsigned char, items);
  partial->dirty = STOW_TAKE_ZEROED(memory, unsigned char, cliques);
  partial->dirty_list = STOW_TAKE(memory, uint32_t, cliques);
  partial->trail = STOW_TAKE(memory, struct stow_old_floor, edges / 2 + items);
  return partial->floors && partial->rests && partial->lowest && partial->witness &&
         partial->crossing && partial->placed && partial->dirty && partial->dirty_list &&
         partial->trail;
}

//===----------------------------------------------------------------------===//
// Cliques
//===----------------------------------------------------------------------===//

// Floors only rise while items are placed, so the first one found that is no higher than the last
// least floor is the new least.
static void refresh_lowest(stow_partial *partial, uint32_t clique) {
  const stow_plan_graph *graph = partial->graph;
  const uint64_t last = partial->lowest[clique];
  const uint32_t first = graph->clique_first[clique], past = graph->clique_past[clique];
  uint64_t lowest = UINT64_MAX;
  uint32_t witness = STOW_NO_ITEM, at = first;
  for (; at < past && (witness == STOW_NO_ITEM || lowest > last); ++at) {
    const uint32_t item = graph->clique_items[at];
    if (partial->placed[item] || partial->floors[item] >= lowest)
      continue;
    lowest = partial->floors[item];
    witness = item;
  }
  partial->lowest[clique] = lowest;
  partial->witness[clique] = witness;
  partial->effort += (at - first) / 2 + 1;
}

static void mark_dirty(stow_partial *partial, uint32_t clique) {
  if (partial->dirty[clique])
    return;
  partial->dirty[clique] = 1;
  partial->dirty_list[partial->dirty_count++] = clique;
}

// Marks the cliques whose least floor was seen in the item.
static void mark_where_witness(stow_partial *partial, uint32_t item) {
  const stow_plan_item *it = &partial->graph->items[item];
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const uint32_t clique = partial->graph->members[m].clique;
    if (partial->witness[clique] == item)
      mark_dirty(partial, clique);
  }
  partial->effort += (it->past_member - it->first_member) / 2;
}

static void lower_where_lowest(stow_partial *partial, uint32_t item) {
  const stow_plan_item *it = &partial->graph->items[item];
  const uint64_t floor = partial->floors[item];
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const stow_member *member = &partial->graph->members[m];
    if (!member->height || floor >= partial->lowest[member->clique])
      continue;
    partial->lowest[member->clique] = floor;
    partial->witness[member->clique] = item;
  }
  partial->effort += (it->past_member - it->first_member) / 2;
}

static void refresh_dirty(stow_partial *partial) {
  while (partial->dirty_count) {
    const uint32_t clique = partial->dirty_list[--partial->dirty_count];
    partial->dirty[clique] = 0;
    refresh_lowest(partial, clique);
  }
}

static void count_item(stow_partial *partial, uint32_t item, bool unplaced) {
  const stow_plan_item *it = &partial->graph->items[item];
  for (uint32_t m = it->first_member; m < it->past_member; ++m) {
    const stow_member *member = &partial->graph->members[m];
    if (unplaced)
      partial->rests[member->clique] += member->height;
    else
      partial->rests[member->clique] -= member->height;
  }
  for (uint32_t c = it->begin + 1; c < it->end; ++c)
    partial->crossing[c] += unplaced ? 1 : UINT32_MAX;
  partial->effort += it->past_member - it->first_member;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

static bool fits_below_ceiling(const stow_partial *partial, uint32_t item) {
  uint64_t offset;
  return stow_partial_offset(partial, item, &offset) &&
         stow_partial_ends_below(partial, item, offset);
}

static bool raise_floor(stow_partial *partial, uint32_t item, uint64_t least) {
  const stow_plan_item *it = &partial->graph->items[item];
  uint64_t floor;
  if (!stow_plan_align_up(least, it->alignment, &floor))
    floor = UINT64_MAX;
  if (floor <= partial->floors[item])
    return true;
  partial->trail[partial->trail_length++] = (struct stow_old_floor){item, partial->floors[item]};
  mark_where_witness(partial, item);
  partial->floors[item] = floor;
  return !partial->ceiling || fits_below_ceiling(partial, item);
}

bool stow_partial_place(stow_partial *partial, uint32_t item, uint64_t offset) {
  const stow_plan_graph *graph = partial->graph;
  const stow_plan_item *it = &graph->items[item];
  partial->trail[partial->trail_length++] = (struct stow_old_floor){item, partial->floors[item]};
  mark_where_witness(partial, item);
  partial->floors[item] = offset;
  partial->placed[item] = 1;
  count_item(partial, item, false);
  bool fits = true;
  for (uint32_t e = it->first_edge; e < it->past_edge; ++e)
    if (!partial->placed[graph->edges[e].to])
      fits &= raise_floor(partial, graph->edges[e].to, offset + graph->edges[e].rise);
  partial->effort += it->past_edge - it->first_edge;
  refresh_dirty(partial);
  return fits;
}

void stow_partial_take_back(stow_partial *partial, uint32_t item, uint32_t trail_length) {
  partial->placed[item] = 0;
  count_item(partial, item, true);
  while (partial->trail_length > trail_length) {
    const struct stow_old_floor *old = &partial->trail[--partial->trail_length];
    partial->floors[old->item] = old->floor;
    lower_where_lowest(partial, old->item);
  }
}

void stow_partial_reset(stow_partial *partial, uint64_t capacity, bool ceiling) {
  const stow_plan_graph *graph = partial->graph;
  partial->capacity = capacity;
  partial->ceiling = ceiling;
  partial->effort = 0;
  partial->trail_length = 0;
  memset(partial->floors, 0, graph->item_count * sizeof *partial->floors);
  memset(partial->placed, 0, graph->item_count);
  memset(partial->rests, 0, graph->clique_count * sizeof *partial->rests);
  memset(partial->crossing, 0, graph->clique_count * sizeof *partial->crossing);
  for (uint32_t i = 0; i < graph->item_count; ++i)
    count_item(partial, i, true);
  memset(partial->lowest, 0, graph->clique_count * sizeof *partial->lowest);
  for (uint32_t c = 0; c < graph->clique_count; ++c)
    refresh_lowest(partial, c);
}
