//===- graph.c - blocks, which of them meet, and where --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a flat model: then of two blocks that meet the one with the lower
// offset lies below the other wherever they meet, and one rise says it all.
//
// Edges come from a sweep over the spans in order of their begin against those
// still alive. Two blocks of several spans each may meet often: their edges are
// merged, the largest rise is kept.
//
//===----------------------------------------------------------------------===//

#include "graph.h"
#include "limits.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

struct raw_edge {
  uint32_t from, to;
  uint64_t rise;
};

struct builder {
  const stow_model *model;
  const uint32_t *blocks;
  uint32_t count;
  stow_memory *memory;
  const stow_plan_span **spans; // of all items, by begin
  uint32_t *item_of;            // per span
  uint32_t span_count;
  struct raw_edge *raw;
  size_t raw_count, max_raw, steps;
  uint32_t first_section, past_section; // of these blocks
  stow_plan_item *items;
};

//===----------------------------------------------------------------------===//
// Spans in order, and cliques from them
//===----------------------------------------------------------------------===//

static stow_status list_spans(struct builder *builder) {
  for (uint32_t i = 0; i < builder->count; ++i)
    builder->span_count += builder->model->blocks[builder->blocks[i]].span_count;
  stow_sort_pair *pairs = STOW_TAKE(builder->memory, stow_sort_pair, builder->span_count);
  stow_sort_pair *scratch = STOW_TAKE(builder->memory, stow_sort_pair, builder->span_count);
  const stow_plan_span **spans =
      STOW_TAKE(builder->memory, const stow_plan_span *, builder->span_count);
  builder->spans = STOW_TAKE(builder->memory, const stow_plan_span *, builder->span_count);
  builder->item_of = STOW_TAKE(builder->memory, uint32_t, builder->span_count);
  uint32_t *items = STOW_TAKE(builder->memory, uint32_t, builder->span_count);
  if (!pairs || !scratch || !spans || !builder->spans || !builder->item_of || !items)
    return STOW_NO_MEMORY;
  uint32_t at = 0;
  for (uint32_t i = 0; i < builder->count; ++i) {
    const stow_plan_block *block = &builder->model->blocks[builder->blocks[i]];
    for (uint32_t s = 0; s < block->span_count; ++s, ++at) {
      spans[at] = &block->spans[s];
      items[at] = i;
      pairs[at] = (stow_sort_pair){spans[at]->begin, at};
    }
  }
  stow_sort_pairs(pairs, scratch, builder->span_count);
  for (uint32_t i = 0; i < builder->span_count; ++i) {
    builder->spans[i] = spans[pairs[i].index];
    builder->item_of[i] = items[pairs[i].index];
    if (builder->spans[i]->end > builder->past_section)
      builder->past_section = builder->spans[i]->end;
  }
  builder->first_section = builder->span_count ? builder->spans[0]->begin : 0;
  return STOW_OK;
}

// The model's sections that some item begins in, before which some item ended: only there is a set
// of live items that is in no other. Writes, per section, the clique it belongs to.
static uint32_t number_cliques(const struct builder *builder, const unsigned char *ended_before,
                               uint32_t *clique_of) {
  uint32_t opened = 0, next_span = 0;
  bool ended = true;
  for (uint32_t section = builder->first_section; section < builder->past_section; ++section) {
    ended |= ended_before[section - builder->first_section];
    if (next_span < builder->span_count && builder->spans[next_span]->begin == section) {
      opened += ended;
      ended = false;
    }
    while (next_span < builder->span_count && builder->spans[next_span]->begin == section)
      ++next_span;
    clique_of[section - builder->first_section] = opened ? opened - 1 : 0;
  }
  return opened;
}

static stow_status make_cliques(const struct builder *builder, uint32_t **out_clique_of,
                                uint32_t *out_count) {
  const uint32_t section_count = builder->past_section - builder->first_section;
  unsigned char *ended = STOW_TAKE_ZEROED(builder->memory, unsigned char, section_count + 1);
  *out_clique_of = STOW_TAKE(builder->memory, uint32_t, section_count);
  if (!ended || !*out_clique_of)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < builder->span_count; ++i)
    ended[builder->spans[i]->end - builder->first_section] = 1;
  *out_count = number_cliques(builder, ended, *out_clique_of);
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static bool conflict(const struct builder *builder, uint32_t a, uint32_t b) {
  return builder->item_of[a] != builder->item_of[b] &&
         !stow_plan_are_exclusive(&builder->model->relations, builder->spans[a]->buffer,
                                  builder->spans[b]->buffer);
}

static bool add_edges(struct builder *builder, uint32_t a, uint32_t b) {
  if (builder->raw_count + 2 > builder->max_raw)
    return false;
  builder->raw[builder->raw_count++] =
      (struct raw_edge){builder->item_of[a], builder->item_of[b], builder->spans[a]->high};
  builder->raw[builder->raw_count++] =
      (struct raw_edge){builder->item_of[b], builder->item_of[a], builder->spans[b]->high};
  return true;
}

// Returns false where there are too many, or too many that are none.
static bool sweep_edges(struct builder *builder, uint32_t *alive) {
  uint32_t alive_count = 0;
  for (uint32_t i = 0; i < builder->span_count; ++i) {
    uint32_t kept = 0;
    builder->steps += alive_count;
    if (builder->steps > 2 * builder->max_raw)
      return false;
    for (uint32_t k = 0; k < alive_count; ++k)
      if (builder->spans[alive[k]]->end > builder->spans[i]->begin)
        alive[kept++] = alive[k];
    alive_count = kept;
    for (uint32_t k = 0; k < alive_count; ++k)
      if (conflict(builder, alive[k], i) && !add_edges(builder, alive[k], i))
        return false;
    alive[alive_count++] = i;
  }
  return true;
}

// Sorts the raw edges by item and then neighbour, and merges equal ones.
static stow_status group_edges(struct builder *builder, stow_plan_graph *graph) {
  const size_t count = builder->raw_count;
  stow_sort_pair *pairs = STOW_TAKE(builder->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(builder->memory, stow_sort_pair, count);
  stow_plan_edge *edges = STOW_TAKE(builder->memory, stow_plan_edge, count);
  if (!pairs || !scratch || !edges)
    return STOW_NO_MEMORY;
  for (size_t i = 0; i < count; ++i)
    pairs[i] =
        (stow_sort_pair){(uint64_t)builder->raw[i].from << 32 | builder->raw[i].to, (uint32_t)i};
  stow_sort_pairs(pairs, scratch, count);
  uint32_t next = 0, made = 0;
  for (uint32_t i = 0; i < builder->count; ++i) {
    builder->items[i].first_edge = made;
    for (; next < count && builder->raw[pairs[next].index].from == i; ++next) {
      const struct raw_edge *raw = &builder->raw[pairs[next].index];
      const bool again = made > builder->items[i].first_edge && edges[made - 1].to == raw->to;
      if (!again)
        edges[made++] = (stow_plan_edge){raw->to, 0};
      if (raw->rise > edges[made - 1].rise)
        edges[made - 1].rise = raw->rise;
    }
    builder->items[i].past_edge = made;
  }
  graph->edges = edges;
  stow_memory_drop(builder->memory, scratch);
  stow_memory_drop(builder->memory, pairs);
  return STOW_OK;
}

// How far above a's offset b must lie at least if a is the lower one; 0: they are no neighbours.
static uint64_t rise_between(const stow_plan_graph *graph, uint32_t a, uint32_t b) {
  uint32_t low = graph->items[a].first_edge, high = graph->items[a].past_edge;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (graph->edges[middle].to < b)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < graph->items[a].past_edge && graph->edges[low].to == b;
  return found ? graph->edges[low].rise : 0;
}

//===----------------------------------------------------------------------===//
// Memberships
//===----------------------------------------------------------------------===//

static uint32_t first_clique(const struct builder *builder, const uint32_t *clique_of,
                             const stow_plan_span *span) {
  return clique_of[span->begin - builder->first_section];
}

static uint32_t last_clique(const struct builder *builder, const uint32_t *clique_of,
                            const stow_plan_span *span) {
  return clique_of[span->end - 1 - builder->first_section];
}

// Lists the cliques of every item, each once, with the item's height there.
static stow_status list_members(struct builder *builder, const uint32_t *clique_of,
                                uint32_t clique_count, stow_member **out_members) {
  size_t count = 0;
  for (uint32_t i = 0; i < builder->span_count; ++i)
    count += last_clique(builder, clique_of, builder->spans[i]) -
             first_clique(builder, clique_of, builder->spans[i]) + 1;
  stow_member *members = STOW_TAKE(builder->memory, stow_member, count);
  uint32_t *slot_of = STOW_TAKE_ZEROED(builder->memory, uint32_t, clique_count);
  *out_members = members;
  if (!members || !slot_of)
    return STOW_NO_MEMORY;
  assert(count <= UINT32_MAX);
  uint32_t made = 0;
  for (uint32_t i = 0; i < builder->count; ++i) {
    const stow_plan_block *block = &builder->model->blocks[builder->blocks[i]];
    const uint32_t first = builder->items[i].first_member = made;
    for (uint32_t s = 0; s < block->span_count; ++s) {
      const stow_plan_span *span = &block->spans[s];
      const uint32_t last = last_clique(builder, clique_of, span);
      for (uint32_t c = first_clique(builder, clique_of, span); c <= last; ++c) {
        const uint32_t slot = slot_of[c];
        const bool known = slot >= first && slot < made && members[slot].clique == c;
        if (!known)
          members[slot_of[c] = made++] = (stow_member){c, i, span->high};
        else if (members[slot].height < span->high)
          members[slot].height = span->high;
      }
    }
    builder->items[i].past_member = made;
  }
  return STOW_OK;
}

// Lists the items of each clique, from the members: clique_first, clique_past and clique_items.
// False without memory.
static bool list_cliques(stow_plan_graph *graph, uint32_t member_count, stow_memory *memory) {
  uint32_t *first = STOW_TAKE_ZEROED(memory, uint32_t, (size_t)graph->clique_count + 2);
  uint32_t *past = STOW_TAKE(memory, uint32_t, graph->clique_count);
  uint32_t *items = STOW_TAKE(memory, uint32_t, member_count);
  if (!first || !past || !items)
    return false;
  for (uint32_t i = 0; i < member_count; ++i)
    ++first[graph->members[i].clique + 2];
  for (uint32_t c = 0; c < graph->clique_count; ++c)
    first[c + 2] += first[c + 1];
  for (uint32_t i = 0; i < member_count; ++i)
    items[first[graph->members[i].clique + 1]++] = graph->members[i].item;
  memcpy(past, first + 1, graph->clique_count * sizeof *past);
  graph->clique_first = first;
  graph->clique_past = past;
  graph->clique_items = items;
  return true;
}

static void find_ranges(struct builder *builder, stow_plan_graph *graph) {
  graph->contiguous = true;
  for (uint32_t i = 0; i < builder->count; ++i) {
    stow_plan_item *item = &builder->items[i];
    item->begin = UINT32_MAX;
    for (uint32_t m = item->first_member; m < item->past_member; ++m) {
      const uint32_t clique = graph->members[m].clique;
      item->begin = clique < item->begin ? clique : item->begin;
      item->end = clique + 1 > item->end ? clique + 1 : item->end;
    }
    graph->contiguous &= item->end - item->begin == item->past_member - item->first_member;
  }
}

static stow_member *member_in(const stow_plan_graph *graph, stow_member *members, uint32_t item,
                              uint32_t clique) {
  uint32_t low = graph->items[item].first_member, high = graph->items[item].past_member;
  while (members[low].clique != clique) {
    const uint32_t middle = low + (high - low) / 2;
    if (members[middle].clique <= clique)
      low = middle;
    else
      high = middle;
  }
  return &members[low];
}

// Whether the two lie one above the other with all their height here. Blocks of several buffers of
// which only some are exclusive may be neighbours elsewhere and overlap here.
static bool stack_up(const stow_plan_graph *graph, const stow_member *a, const stow_member *b) {
  return rise_between(graph, a->item, b->item) >= a->height &&
         rise_between(graph, b->item, a->item) >= b->height;
}

// Where some pairs may overlap, a section's items are no clique. Of each section those stay that
// stack up with all that stay before them; the others are no longer listed and have no height
// there. So it goes with what can no longer be compared.
static void thin_clique(const stow_plan_graph *graph, stow_member *members, uint32_t clique,
                        uint32_t *items, uint32_t *past, uint32_t *inout_comparisons) {
  const uint32_t first = graph->clique_first[clique];
  uint32_t kept = first;
  for (uint32_t i = kept; i < *past; ++i) {
    stow_member *member = member_in(graph, members, items[i], clique);
    bool stays = true;
    for (uint32_t k = first; k < kept && stays; ++k) {
      stays = *inout_comparisons > 0 &&
              stack_up(graph, member, member_in(graph, members, items[k], clique));
      *inout_comparisons -= stays;
    }
    if (stays)
      items[kept++] = items[i];
    else
      member->height = 0;
  }
  *past = kept;
}

static stow_status make_members(struct builder *builder, const uint32_t *clique_of,
                                stow_plan_graph *graph) {
  stow_member *members;
  stow_status status = list_members(builder, clique_of, graph->clique_count, &members);
  graph->members = members;
  const uint32_t count = builder->count ? builder->items[builder->count - 1].past_member : 0;
  if (status != STOW_OK || !list_cliques(graph, count, builder->memory))
    return STOW_NO_MEMORY;
  find_ranges(builder, graph);
  uint32_t comparisons = STOW_GRAPH_MOST_COMPARISONS;
  if (builder->model->relations.first_exclusive)
    for (uint32_t c = 0; c < graph->clique_count; ++c)
      thin_clique(graph, members, c, (uint32_t *)graph->clique_items,
                  (uint32_t *)&graph->clique_past[c], &comparisons);
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

static bool are_alike(const stow_model *model, const stow_plan_block *a, const stow_plan_block *b) {
  return a->span_count == 1 && b->span_count == 1 && a->spans->begin == b->spans->begin &&
         a->spans->end == b->spans->end && a->spans->high == b->spans->high && a->size == b->size &&
         a->alignment == b->alignment && a->fixed == STOW_ANY_OFFSET &&
         b->fixed == STOW_ANY_OFFSET &&
         !stow_plan_has_exclusives(&model->relations, a->spans->buffer) &&
         !stow_plan_has_exclusives(&model->relations, b->spans->buffer);
}

// Alike items live together, so one is among the other's neighbours.
static void find_twins(struct builder *builder, const stow_plan_graph *graph) {
  const stow_model *model = builder->model;
  for (uint32_t i = 0; i < builder->count; ++i) {
    stow_plan_item *item = &builder->items[i];
    item->twin = i;
    for (uint32_t e = item->first_edge; e < item->past_edge && graph->edges[e].to < i; ++e)
      if (are_alike(model, &model->blocks[builder->blocks[i]],
                    &model->blocks[builder->blocks[graph->edges[e].to]]))
        item->twin = graph->edges[e].to;
  }
}

static void copy_blocks(struct builder *builder) {
  for (uint32_t i = 0; i < builder->count; ++i) {
    const stow_plan_block *block = &builder->model->blocks[builder->blocks[i]];
    builder->items[i] =
        (stow_plan_item){.size = block->size, .alignment = block->alignment, .fixed = block->fixed};
  }
}

static stow_status make_edges(struct builder *builder, uint32_t max_edges, stow_plan_graph *graph,
                              bool *out_fits) {
  uint32_t *alive = STOW_TAKE(builder->memory, uint32_t, builder->span_count);
  const uint64_t all = (uint64_t)builder->span_count * (builder->span_count - 1);
  builder->max_raw = all < max_edges ? all : max_edges;
  builder->raw = STOW_TAKE(builder->memory, struct raw_edge, builder->max_raw);
  if (!alive || !builder->raw)
    return STOW_NO_MEMORY;
  *out_fits = sweep_edges(builder, alive);
  const stow_status status = *out_fits ? group_edges(builder, graph) : STOW_OK;
  stow_memory_drop(builder->memory, builder->raw);
  return status;
}

stow_status stow_plan_graph_build(const stow_model *model, const uint32_t *blocks, uint32_t count,
                                  uint32_t max_edges, stow_memory *memory,
                                  stow_plan_graph *out_graph, bool *out_fits) {
  assert(model->flat);
  struct builder builder = {.model = model, .blocks = blocks, .count = count, .memory = memory};
  *out_graph = (stow_plan_graph){.item_count = count, .blocks = blocks};
  *out_fits = true;
  builder.items = STOW_TAKE(memory, stow_plan_item, count);
  if (!builder.items)
    return STOW_NO_MEMORY;
  out_graph->items = builder.items;
  copy_blocks(&builder);
  uint32_t *clique_of = NULL;
  stow_status status = list_spans(&builder);
  if (status == STOW_OK)
    status = make_edges(&builder, max_edges, out_graph, out_fits);
  if (status == STOW_OK && *out_fits)
    status = make_cliques(&builder, &clique_of, &out_graph->clique_count);
  if (status == STOW_OK && *out_fits)
    status = make_members(&builder, clique_of, out_graph);
  if (status == STOW_OK && *out_fits)
    find_twins(&builder, out_graph);
  return status;
}
