//===- skyline.c - a plan that grows upwards ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "skyline.h"
#include "limits.h"
#include "partial.h"

#include <string.h>

struct stow_sky_floor {
  uint32_t item;
  uint64_t floor;
};

struct stow_sky_level {
  uint32_t clique;
  uint64_t level, slack;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

bool stow_skyline_suits(const stow_plan_graph *graph) {
  bool suits = graph->contiguous && graph->item_count;
  for (uint32_t i = 0; i < graph->item_count && suits; ++i) {
    const stow_plan_item *item = &graph->items[i];
    suits = stow_plan_is_free(item);
    for (uint32_t m = item->first_member; m < item->past_member; ++m)
      suits &= graph->members[m].height == item->size;
  }
  return suits;
}

static uint64_t least_alignment(const stow_plan_graph *graph) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < graph->item_count; ++i)
    least = graph->items[i].alignment < least ? graph->items[i].alignment : least;
  return least;
}

// Every offset is a multiple of the least alignment, so sizes may be rounded up to it.
static bool set_units(stow_skyline *skyline) {
  const stow_plan_graph *graph = skyline->graph;
  uint64_t unit = 0;
  skyline->least_alignment = least_alignment(graph);
  for (uint32_t i = 0; i < graph->item_count; ++i) {
    if (!stow_plan_align_up(graph->items[i].size, skyline->least_alignment, &skyline->heights[i]))
      return false;
    unit = stow_plan_common_divisor(unit, skyline->heights[i]);
  }
  for (uint32_t i = 0; i < graph->item_count; ++i)
    if (unit % graph->items[i].alignment)
      unit = stow_plan_common_divisor(unit, graph->items[i].alignment);
  skyline->unit = unit;
  for (uint32_t i = 0; i < graph->item_count; ++i) {
    const uint64_t alignment = graph->items[i].alignment;
    skyline->heights[i] /= unit;
    skyline->alignments[i] = alignment > unit ? alignment / unit : 1;
  }
  return true;
}

static bool sum_loads(stow_skyline *skyline) {
  const stow_plan_graph *graph = skyline->graph;
  bool fits = true;
  memset(skyline->loads, 0, graph->clique_count * sizeof *skyline->loads);
  for (uint32_t i = 0; i < graph->item_count; ++i)
    for (uint32_t c = graph->items[i].begin; c < graph->items[i].end; ++c)
      fits &= !__builtin_add_overflow(skyline->loads[c], skyline->heights[i], &skyline->loads[c]);
  return fits;
}

static void index_by_begin(stow_skyline *skyline) {
  const stow_plan_graph *graph = skyline->graph;
  memset(skyline->first_from, 0, ((size_t)graph->clique_count + 1) * sizeof(uint32_t));
  for (uint32_t i = 0; i < graph->item_count; ++i)
    ++skyline->first_from[graph->items[i].begin];
  for (uint32_t c = 0, sum = 0; c <= graph->clique_count; ++c)
    skyline->first_from[c] = sum += skyline->first_from[c];
  for (uint32_t i = graph->item_count; i-- > 0;)
    skyline->by_begin[--skyline->first_from[graph->items[i].begin]] = i;
}

static bool take_arrays(stow_skyline *skyline, stow_memory *memory) {
  const size_t items = skyline->graph->item_count, cliques = skyline->graph->clique_count;
  skyline->heights = STOW_TAKE(memory, uint64_t, items);
  skyline->alignments = STOW_TAKE(memory, uint64_t, items);
  skyline->tops = STOW_TAKE(memory, uint64_t, items);
  skyline->floors = STOW_TAKE(memory, uint64_t, items);
  skyline->placed = STOW_TAKE(memory, unsigned char, items);
  skyline->by_begin = STOW_TAKE(memory, uint32_t, items);
  skyline->first_from = STOW_TAKE(memory, uint32_t, cliques + 1);
  skyline->loads = STOW_TAKE(memory, uint64_t, cliques);
  skyline->levels = STOW_TAKE(memory, uint64_t, cliques);
  skyline->slack = STOW_TAKE(memory, uint64_t, cliques);
  skyline->left = STOW_TAKE(memory, uint32_t, cliques);
  skyline->witness = STOW_TAKE(memory, uint32_t, cliques);
  skyline->failures = STOW_TAKE(memory, uint32_t, cliques);
  return skyline->heights && skyline->alignments && skyline->tops && skyline->floors &&
         skyline->placed && skyline->by_begin && skyline->first_from && skyline->loads &&
         skyline->levels && skyline->slack && skyline->left && skyline->witness &&
         skyline->failures;
}

// A change adds at most one entry per item and one per clique, and there are no more than about
// four changes per item.
static bool take_trails(stow_skyline *skyline, stow_memory *memory) {
  const stow_plan_graph *graph = skyline->graph;
  const size_t items = graph->item_count, cliques = graph->clique_count;
  const size_t edges = graph->items[items - 1].past_edge;
  const size_t members = graph->items[items - 1].past_member;
  const size_t raises = 4 * items < STOW_SKYLINE_MOST_RAISES ? 4 * items : STOW_SKYLINE_MOST_RAISES;
  skyline->max_floors = (uint32_t)(edges / 2 + raises * items);
  skyline->max_levels = (uint32_t)(members + raises * cliques);
  skyline->words = (uint32_t)(cliques + 63) / 64;
  skyline->reason = STOW_TAKE(memory, uint64_t, skyline->words);
  skyline->floor_trail = STOW_TAKE(memory, struct stow_sky_floor, skyline->max_floors + 2 * items);
  skyline->level_trail =
      STOW_TAKE(memory, struct stow_sky_level, skyline->max_levels + 2 * cliques);
  return skyline->reason && skyline->floor_trail && skyline->level_trail;
}

bool stow_skyline_make(stow_skyline *skyline, const stow_plan_graph *graph, stow_memory *memory) {
  *skyline = (stow_skyline){.graph = graph};
  if (!take_arrays(skyline, memory) || !take_trails(skyline, memory) || !set_units(skyline))
    return false;
  index_by_begin(skyline);
  return sum_loads(skyline);
}

bool stow_skyline_clear(stow_skyline *skyline) {
  const stow_plan_graph *graph = skyline->graph;
  bool fits = true;
  memset(skyline->floors, 0, graph->item_count * sizeof *skyline->floors);
  memset(skyline->placed, 0, graph->item_count);
  memset(skyline->levels, 0, graph->clique_count * sizeof *skyline->levels);
  skyline->floor_count = skyline->level_count = 0;
  skyline->unplaced = graph->item_count;
  for (uint32_t c = 0; c < graph->clique_count; ++c) {
    skyline->left[c] = graph->clique_past[c] - graph->clique_first[c];
    skyline->witness[c] = graph->clique_items[graph->clique_first[c]];
    skyline->slack[c] = skyline->capacity - skyline->loads[c];
    fits &= skyline->loads[c] <= skyline->capacity;
  }
  return fits;
}

// An item's end, rounded up, may lie past the capacity, but not past the capacity rounded up.
void stow_skyline_reset(stow_skyline *skyline, uint64_t capacity) {
  const stow_plan_graph *graph = skyline->graph;
  uint64_t rounded;
  if (!stow_plan_align_up(capacity, skyline->least_alignment, &rounded))
    rounded = UINT64_MAX;
  skyline->capacity = rounded / skyline->unit;
  for (uint32_t i = 0; i < graph->item_count; ++i) {
    const uint64_t top = (capacity - graph->items[i].size) / skyline->unit;
    skyline->tops[i] = top - top % skyline->alignments[i];
  }
  memset(skyline->failures, 0, graph->clique_count * sizeof *skyline->failures);
  skyline->failure_count = skyline->effort = 0;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

// The bits of cliques [begin, end) in the word that has `begin`.
static uint64_t mask_of(uint32_t begin, uint32_t end) {
  const uint32_t low = begin % 64, high = end - begin + low;
  return (high >= 64 ? UINT64_MAX : (UINT64_C(1) << high) - 1) & (UINT64_MAX << low);
}

static uint32_t next_word(uint32_t clique) { return (clique / 64 + 1) * 64; }

void stow_skyline_set_add(uint64_t *set, uint32_t begin, uint32_t end) {
  for (uint32_t c = begin; c < end; c = next_word(c))
    set[c / 64] |= mask_of(c, end);
}

bool stow_skyline_set_touches(const uint64_t *set, uint32_t begin, uint32_t end) {
  for (uint32_t c = begin; c < end; c = next_word(c))
    if (set[c / 64] & mask_of(c, end))
      return true;
  return false;
}

void stow_skyline_fail(stow_skyline *skyline, uint32_t clique) {
  memset(skyline->reason, 0, skyline->words * sizeof *skyline->reason);
  ++skyline->failures[clique];
  ++skyline->failure_count;
}

// The item no longer fits: what lies in its cliques is why.
static bool fail_at_item(stow_skyline *skyline, uint32_t item) {
  const stow_plan_item *it = &skyline->graph->items[item];
  stow_skyline_fail(skyline, it->begin);
  stow_skyline_set_add(skyline->reason, it->begin, it->end);
  return false;
}

// All unplaced items of the clique lie too high for its slack: so does what lies in their cliques.
static bool fail_at_clique(stow_skyline *skyline, uint32_t clique) {
  const stow_plan_graph *graph = skyline->graph;
  stow_skyline_fail(skyline, clique);
  stow_skyline_set_add(skyline->reason, clique, clique + 1);
  for (uint32_t at = graph->clique_first[clique]; at < graph->clique_past[clique]; ++at) {
    const stow_plan_item *it = &graph->items[graph->clique_items[at]];
    if (!skyline->placed[graph->clique_items[at]])
      stow_skyline_set_add(skyline->reason, it->begin, it->end);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

// The cliques of all items whose floors a change raised.
struct reach {
  uint32_t begin, end;
};

static void set_level(stow_skyline *skyline, uint32_t clique, uint64_t level, uint64_t waste) {
  skyline->level_trail[skyline->level_count++] =
      (struct stow_sky_level){clique, skyline->levels[clique], skyline->slack[clique]};
  skyline->levels[clique] = level;
  skyline->slack[clique] -= waste;
}

// False where the item no longer fits.
static bool raise_floor(stow_skyline *skyline, uint32_t item, uint64_t least, struct reach *reach) {
  const stow_plan_item *it = &skyline->graph->items[item];
  if (skyline->placed[item] || least <= skyline->floors[item])
    return true;
  const uint64_t past = least % skyline->alignments[item];
  const uint64_t floor = past ? least + (skyline->alignments[item] - past) : least;
  skyline->floor_trail[skyline->floor_count++] =
      (struct stow_sky_floor){item, skyline->floors[item]};
  skyline->floors[item] = floor;
  reach->begin = it->begin < reach->begin ? it->begin : reach->begin;
  reach->end = it->end > reach->end ? it->end : reach->end;
  return floor <= skyline->tops[item];
}

// Whether some unplaced item of the clique lies low enough for its slack. Looks no further than one
// that lies at its level.
static bool has_low_item(stow_skyline *skyline, uint32_t clique) {
  const stow_plan_graph *graph = skyline->graph;
  const uint64_t level = skyline->levels[clique];
  uint64_t lowest = UINT64_MAX;
  uint32_t at = graph->clique_first[clique], witness = skyline->witness[clique];
  for (; at < graph->clique_past[clique] && lowest > level; ++at) {
    const uint32_t item = graph->clique_items[at];
    const uint64_t floor = skyline->floors[item] | -(uint64_t)skyline->placed[item];
    const bool lower = floor < lowest;
    lowest = lower ? floor : lowest;
    witness = lower ? item : witness;
  }
  skyline->witness[clique] = witness;
  skyline->effort += at - graph->clique_first[clique];
  return lowest - level <= skyline->slack[clique];
}

static bool check_cliques(stow_skyline *skyline, const struct reach *reach) {
  skyline->effort += reach->end - reach->begin;
  for (uint32_t c = reach->begin; c < reach->end; ++c) {
    const uint32_t witness = skyline->witness[c];
    const bool seen = !skyline->placed[witness] && skyline->floors[witness] == skyline->levels[c];
    if (!seen && skyline->left[c] && !has_low_item(skyline, c))
      return fail_at_clique(skyline, c);
  }
  return true;
}

static bool fits_slack(const stow_skyline *skyline, uint32_t item) {
  const stow_plan_item *it = &skyline->graph->items[item];
  for (uint32_t c = it->begin; c < it->end; ++c)
    if (skyline->floors[item] - skyline->levels[c] > skyline->slack[c])
      return false;
  return true;
}

static void lay(stow_skyline *skyline, uint32_t item, bool fits) {
  const stow_plan_item *it = &skyline->graph->items[item];
  const uint64_t floor = skyline->floors[item];
  skyline->placed[item] = 1;
  --skyline->unplaced;
  for (uint32_t c = it->begin; c < it->end; ++c) {
    --skyline->left[c];
    set_level(skyline, c, floor + skyline->heights[item], fits ? floor - skyline->levels[c] : 0);
  }
  skyline->effort += 2 * (it->end - it->begin);
}

bool stow_skyline_place(stow_skyline *skyline, uint32_t item) {
  const stow_plan_graph *graph = skyline->graph;
  const stow_plan_item *it = &graph->items[item];
  const uint64_t top = skyline->floors[item] + skyline->heights[item];
  struct reach reach = {it->begin, it->end};
  const bool fits = fits_slack(skyline, item);
  lay(skyline, item, fits);
  if (!fits)
    return fail_at_item(skyline, item);
  skyline->effort += it->past_edge - it->first_edge;
  for (uint32_t e = it->first_edge; e < it->past_edge; ++e)
    if (!raise_floor(skyline, graph->edges[e].to, top, &reach))
      return fail_at_item(skyline, graph->edges[e].to);
  return check_cliques(skyline, &reach);
}

// All items in the range are those in its first clique and those that begin in the others.
bool stow_skyline_raise(stow_skyline *skyline, uint32_t begin, uint32_t end, uint64_t level) {
  const stow_plan_graph *graph = skyline->graph;
  struct reach reach = {begin, end};
  for (uint32_t c = begin; c < end; ++c)
    set_level(skyline, c, level, level - skyline->levels[c]);
  for (uint32_t at = graph->clique_first[begin]; at < graph->clique_past[begin]; ++at)
    if (!raise_floor(skyline, graph->clique_items[at], level, &reach))
      return fail_at_item(skyline, graph->clique_items[at]);
  for (uint32_t i = skyline->first_from[begin + 1]; i < skyline->first_from[end]; ++i)
    if (!raise_floor(skyline, skyline->by_begin[i], level, &reach))
      return fail_at_item(skyline, skyline->by_begin[i]);
  skyline->effort += graph->clique_past[begin] - graph->clique_first[begin] + (end - begin);
  return check_cliques(skyline, &reach);
}

static void take_up(stow_skyline *skyline, uint32_t item) {
  const stow_plan_item *it = &skyline->graph->items[item];
  skyline->placed[item] = 0;
  ++skyline->unplaced;
  for (uint32_t c = it->begin; c < it->end; ++c)
    ++skyline->left[c];
}

void stow_skyline_take_back(stow_skyline *skyline, uint32_t item, uint32_t floor_count,
                            uint32_t level_count) {
  if (item != STOW_NO_ITEM)
    take_up(skyline, item);
  while (skyline->floor_count > floor_count) {
    const struct stow_sky_floor *old = &skyline->floor_trail[--skyline->floor_count];
    skyline->floors[old->item] = old->floor;
  }
  while (skyline->level_count > level_count) {
    const struct stow_sky_level *old = &skyline->level_trail[--skyline->level_count];
    skyline->levels[old->clique] = old->level;
    skyline->slack[old->clique] = old->slack;
  }
}

bool stow_skyline_has_room(const stow_skyline *skyline) {
  return skyline->floor_count < skyline->max_floors && skyline->level_count < skyline->max_levels;
}
