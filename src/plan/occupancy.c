//===- occupancy.c - which bytes are taken, over time ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment tree over the sections (section_tree.h). Every node has two lists of
// byte ranges, sorted, disjoint and not touching:
//
//     whole    taken in every section of the node: the blocks whose cover has it
//     part     taken in some section of it: the blocks whose cover has a node below
//
// A block's bytes are free exactly if they are free in `whole` and `part` of
// every node of its cover and in `whole` of every node above them. So a query is
// a race of some dozen sorted lists (race.h). Touching ranges are merged, so that
// lists stay short where the arena is well filled.
//
// Spans of buffers that are exclusive with others cannot be merged with anything:
// whether they are in the way depends on who asks (named.h). A query gets one more
// sorted list of those. Where a node has many of them already, further ones are not
// named and in everybody's way, unless they are fixed: a plan may get larger by
// that, and queries stay short.
//
// Where all blocks begin at multiples of an alignment, bytes up to the next one are
// of no use, so ranges are rounded up to it, and merge.
//
// Where the model has the gaps between its blocks, neighbours.c answers and there is no tree.
//
//===----------------------------------------------------------------------===//

#include "occupancy.h"
#include "named.h"
#include "neighbours.h"
#include "race.h"
#include "section_tree.h"

#include <string.h>

struct node {
  stow_plan_ranges whole, part;
};

struct stow_occupancy {
  const stow_model *model;
  stow_memory *memory;
  stow_neighbours neighbours; // answer where the model has its gaps; the rest is not there then
  stow_section_tree tree;
  struct node *nodes;
  uint64_t rounding; // ranges end at multiples of it, a power of two
  stow_ranges_pool pool;
  stow_named named;
  stow_race race;
  uint32_t *entered; // per node, the last query that entered its list from above; for blocks of
  uint32_t query;    // many spans
  const stow_plan_span *at; // the span that `set` is of, or NULL: what is found is added next
  stow_node_set set;
  uint64_t effort;
};

stow_occupancy *stow_occupancy_create(const stow_model *model, stow_memory *memory) {
  stow_occupancy *occupancy = STOW_TAKE_ZEROED(memory, stow_occupancy, 1);
  if (!occupancy)
    return NULL;
  occupancy->model = model;
  if (model->gaps)
    return stow_neighbours_begin(model, memory, &occupancy->neighbours) ? occupancy : NULL;
  occupancy->memory = occupancy->pool.memory = occupancy->race.memory = memory;
  occupancy->named = (stow_named){.memory = memory, .relations = &model->relations};
  occupancy->rounding = model->flat ? model->common_alignment : 1;
  occupancy->tree = stow_section_tree_over(model->section_count);
  occupancy->nodes =
      STOW_TAKE_ZEROED(memory, struct node, stow_section_tree_nodes(&occupancy->tree));
  return occupancy->nodes ? occupancy : NULL;
}

static const stow_node_set *nodes_of(stow_occupancy *occupancy, const stow_plan_span *span) {
  if (occupancy->at != span)
    stow_section_tree_find(&occupancy->tree, span, &occupancy->set);
  occupancy->at = span;
  return &occupancy->set;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static stow_status enter_named(stow_occupancy *occupancy, const stow_node_set *set,
                               const stow_plan_span *span) {
  uint32_t first, count;
  const stow_status status = stow_named_meet(&occupancy->named, set, span, &first, &count);
  if (status != STOW_OK)
    return status;
  return stow_race_enter_later(&occupancy->race, first, count, span) ? STOW_OK : STOW_NO_MEMORY;
}

// Spans of one block with the same bytes meet the same lists above them: the first of them enters.
static bool is_entered(stow_occupancy *occupancy, uint32_t node, const stow_plan_span *span,
                       const stow_plan_block *block) {
  if (block->span_count == 1 || span->low != block->spans->low || span->high != block->spans->high)
    return false;
  const bool entered = occupancy->entered[node] == occupancy->query;
  occupancy->entered[node] = occupancy->query;
  return entered;
}

static stow_status enter_span(stow_occupancy *occupancy, const stow_plan_span *span,
                              const stow_plan_block *block) {
  stow_race *race = &occupancy->race;
  const stow_node_set *set = nodes_of(occupancy, span);
  bool good = true;
  for (uint32_t i = 0; i < set->cover_count && good; ++i) {
    struct node *node = &occupancy->nodes[set->cover[i]];
    good = stow_race_enter(race, &node->part, span) && stow_race_enter(race, &node->whole, span);
  }
  for (uint32_t i = 0; i < set->above_count && good; ++i)
    if (!is_entered(occupancy, set->above[i], span, block))
      good = stow_race_enter(race, &occupancy->nodes[set->above[i]].whole, span);
  if (!good)
    return STOW_NO_MEMORY;
  return occupancy->named.lists ? enter_named(occupancy, set, span) : STOW_OK;
}

static bool may_mark(stow_occupancy *occupancy) {
  const size_t count = stow_section_tree_nodes(&occupancy->tree);
  if (!occupancy->entered)
    occupancy->entered = STOW_TAKE_ZEROED(occupancy->memory, uint32_t, count);
  if (occupancy->entered && ++occupancy->query == 0)
    memset(occupancy->entered, 0xff, count * sizeof *occupancy->entered);
  return occupancy->entered != NULL;
}

static stow_status enter_block(stow_occupancy *occupancy, const stow_plan_block *block) {
  if (block->span_count > 1 && !may_mark(occupancy))
    return STOW_NO_MEMORY;
  occupancy->race.count = occupancy->named.met_count = 0;
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < block->span_count && status == STOW_OK; ++i)
    status = enter_span(occupancy, &block->spans[i], block);
  occupancy->effort += 10 * occupancy->race.count + 4 * block->span_count;
  stow_race_settle(&occupancy->race, occupancy->named.met);
  return status;
}

static uint32_t number_of(const stow_occupancy *occupancy, const stow_plan_block *block) {
  return (uint32_t)(block - occupancy->model->blocks);
}

stow_status stow_occupancy_find(stow_occupancy *occupancy, const stow_plan_block *block,
                                uint64_t from, stow_plan_place *out_place) {
  uint64_t past;
  *out_place = (stow_plan_place){0, 0};
  if (!stow_plan_align_up(from, block->alignment, &out_place->offset) ||
      __builtin_add_overflow(out_place->offset, block->size, &past))
    return STOW_OVERFLOW;
  if (occupancy->model->gaps) {
    if (!stow_neighbours_enter(&occupancy->neighbours, number_of(occupancy, block)))
      return STOW_NO_MEMORY;
    out_place->room =
        stow_neighbours_raise(&occupancy->neighbours, block->alignment, &out_place->offset);
    return STOW_OK;
  }
  stow_status status = enter_block(occupancy, block);
  if (status == STOW_OK)
    status = stow_race_run(&occupancy->race, block, &out_place->offset);
  if (status == STOW_OK)
    out_place->room = stow_race_room(&occupancy->race, out_place->offset);
  return status;
}

stow_status stow_occupancy_find_next(stow_occupancy *occupancy, const stow_plan_block *block,
                                     stow_plan_place *inout_place) {
  uint64_t past, from = inout_place->offset + inout_place->room + 1;
  if (!stow_plan_align_up(from, block->alignment, &from) ||
      __builtin_add_overflow(from, block->size, &past))
    return STOW_OVERFLOW;
  if (occupancy->model->gaps) {
    inout_place->room = stow_neighbours_raise(&occupancy->neighbours, block->alignment, &from);
    inout_place->offset = from;
    return STOW_OK;
  }
  if (stow_race_run(&occupancy->race, block, &from) != STOW_OK)
    return STOW_OVERFLOW;
  *inout_place = (stow_plan_place){from, stow_race_room(&occupancy->race, from)};
  return STOW_OK;
}

uint64_t stow_occupancy_effort(const stow_occupancy *occupancy) {
  return occupancy->effort + occupancy->neighbours.effort + occupancy->named.effort +
         occupancy->race.effort;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static bool add_span(stow_occupancy *occupancy, const stow_plan_span *span, uint64_t offset,
                     bool is_fixed) {
  const uint64_t begin = offset + span->low, end = offset + span->high;
  uint64_t rounded;
  const stow_node_set *set = nodes_of(occupancy, span);
  if (stow_plan_has_exclusives(occupancy->named.relations, span->buffer)) {
    if (!stow_named_start(&occupancy->named, stow_section_tree_nodes(&occupancy->tree)))
      return false;
    if (is_fixed || !stow_named_are_many(&occupancy->named, set))
      return stow_named_add(&occupancy->named, set, (stow_range){begin, end}, span->buffer);
  }
  if (!stow_plan_align_up(end, occupancy->rounding, &rounded))
    rounded = end;
  bool added = true;
  for (uint32_t i = 0; i < set->cover_count && added; ++i)
    added =
        stow_ranges_add(&occupancy->nodes[set->cover[i]].whole, &occupancy->pool, begin, rounded);
  for (uint32_t i = 0; i < set->above_count && added; ++i)
    added =
        stow_ranges_add(&occupancy->nodes[set->above[i]].part, &occupancy->pool, begin, rounded);
  return added;
}

stow_status stow_occupancy_add(stow_occupancy *occupancy, const stow_plan_block *block,
                               uint64_t offset) {
  if (occupancy->model->gaps)
    stow_neighbours_add(&occupancy->neighbours, number_of(occupancy, block), offset);
  for (uint32_t i = 0; i < block->span_count && !occupancy->model->gaps; ++i)
    if (!add_span(occupancy, &block->spans[i], offset, block->fixed != STOW_ANY_OFFSET))
      return STOW_NO_MEMORY;
  return STOW_OK;
}
