//===- bound.c - how small an arena could be ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks alive together lie one above the other. Of those whose alignments are all
// multiples of a, each but the topmost takes its size rounded up to a, and the
// topmost takes its size. Which one is topmost is open, so the bound counts the one
// that gains most by it:
//
//     arena >= sum(rounded) - max(rounded - size)    over these blocks of a section
//
// The bound asks this of every alignment a that occurs, 1 included. What begins
// inside of its block, at no multiple of a, counts from the next one.
//
// Blocks of which some pairs may overlap cannot all be counted: of each such pair
// one is left out, the smaller. Buffers bound to one offset overlap by right and
// count once, with the tallest.
//
// The sum moves from section to section by what ends and what begins there. Both
// are parts of one section's sum, so an overflow of either is one of the load.
// The maxima come from one pass over the heights, most padding first: a section
// keeps the first that covers it, and a chain of "next section without one"
// skips the rest.
//
//===----------------------------------------------------------------------===//

#include "bound.h"
#include "section_tree.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

static uint64_t padding_of(uint64_t bytes, uint64_t unit) { return (unit - bytes % unit) % unit; }

//===----------------------------------------------------------------------===//
// Heights
//===----------------------------------------------------------------------===//

static bool spans_overlap(const stow_plan_block *block) {
  uint32_t end = 0;
  for (uint32_t i = 0; i < block->span_count; ++i) {
    if (block->spans[i].begin < end)
      return true;
    end = block->spans[i].end;
  }
  return false;
}

static void add_height(stow_heights *heights, uint32_t block, uint32_t begin, uint32_t end,
                       const stow_plan_span *span) {
  if (span->high > span->low)
    heights->at[heights->count++] =
        (stow_height){block, begin, end, span->high - span->low, span->low};
}

static void add_raw_heights(stow_heights *heights, const stow_model *model, uint32_t block) {
  const stow_plan_block *b = &model->blocks[block];
  for (uint32_t i = 0; i < b->span_count; ++i)
    add_height(heights, block, b->spans[i].begin, b->spans[i].end, &b->spans[i]);
}

// A heap of spans, tallest first; those that have ended leave it when they come to the top.
struct tallest {
  const stow_plan_span *spans;
  uint32_t *heap;
  uint32_t count;
};

static uint64_t height_at(const struct tallest *tallest, uint32_t at) {
  const stow_plan_span *span = &tallest->spans[tallest->heap[at]];
  return span->high - span->low;
}

static void swap_in_heap(struct tallest *tallest, uint32_t a, uint32_t b) {
  const uint32_t moved = tallest->heap[a];
  tallest->heap[a] = tallest->heap[b];
  tallest->heap[b] = moved;
}

static void push_span(struct tallest *tallest, uint32_t span) {
  uint32_t at = tallest->count++;
  tallest->heap[at] = span;
  for (; at && height_at(tallest, (at - 1) / 2) < height_at(tallest, at); at = (at - 1) / 2)
    swap_in_heap(tallest, at, (at - 1) / 2);
}

static void pop_span(struct tallest *tallest) {
  tallest->heap[0] = tallest->heap[--tallest->count];
  uint32_t at = 0;
  for (uint32_t child = 1; child < tallest->count; child = 2 * at + 1) {
    child +=
        child + 1 < tallest->count && height_at(tallest, child + 1) > height_at(tallest, child);
    if (height_at(tallest, child) <= height_at(tallest, at))
      break;
    swap_in_heap(tallest, at, child);
    at = child;
  }
}

// Buffers that start together and live together count once, with the tallest: from each section
// where a span begins or the tallest ends, to the next.
static void add_tallest(stow_heights *heights, const stow_model *model, uint32_t block,
                        uint32_t *heap) {
  const stow_plan_block *b = &model->blocks[block];
  struct tallest tallest = {b->spans, heap, 0};
  uint32_t next = 0, at = b->spans[0].begin;
  while (next < b->span_count || tallest.count) {
    while (next < b->span_count && b->spans[next].begin <= at)
      push_span(&tallest, next++);
    while (tallest.count && b->spans[tallest.heap[0]].end <= at)
      pop_span(&tallest);
    uint32_t until = next < b->span_count ? b->spans[next].begin : UINT32_MAX;
    if (tallest.count) {
      const uint32_t end = b->spans[tallest.heap[0]].end;
      until = end < until ? end : until;
      add_height(heights, block, at, until, &b->spans[tallest.heap[0]]);
    }
    at = until;
  }
}

static bool is_smaller(const stow_model *model, uint32_t a, uint32_t b) {
  const stow_plan_block *x = &model->blocks[a], *y = &model->blocks[b];
  return x->size != y->size ? x->size < y->size : a > b;
}

static bool lets_overlap(const stow_model *model, const stow_relation *relation) {
  return relation->kind == STOW_EXCLUSIVE ||
         (relation->kind == STOW_MAY_COLOCATE && !model->bonds_decided);
}

// Marks blocks until no two of those unmarked may overlap.
static void leave_out(const stow_model *model, unsigned char *left_out) {
  for (size_t i = 0; i < model->problem->relation_count; ++i) {
    const stow_relation *relation = &model->problem->relations[i];
    const uint32_t a = model->block_of[relation->first], b = model->block_of[relation->second];
    if (a == b || a == STOW_NO_BLOCK || b == STOW_NO_BLOCK || !lets_overlap(model, relation))
      continue;
    if (!left_out[a] && !left_out[b])
      left_out[is_smaller(model, a, b) ? a : b] = 1;
  }
}

static size_t count_spans(const stow_model *model) {
  size_t count = 0;
  for (uint32_t i = 0; i < model->block_count; ++i)
    count += model->blocks[i].span_count;
  return count;
}

stow_status stow_plan_model_heights(const stow_model *model, stow_memory *memory,
                                    stow_heights *out_heights) {
  const size_t count = count_spans(model);
  unsigned char *left_out = STOW_TAKE_ZEROED(memory, unsigned char, model->block_count);
  uint32_t *heap = STOW_TAKE(memory, uint32_t, count);
  *out_heights = (stow_heights){STOW_TAKE(memory, stow_height, 2 * count), 0};
  if (!out_heights->at || !left_out || !heap)
    return STOW_NO_MEMORY;
  leave_out(model, left_out);
  for (uint32_t i = 0; i < model->block_count; ++i) {
    if (left_out[i])
      continue;
    if (spans_overlap(&model->blocks[i]))
      add_tallest(out_heights, model, i, heap);
    else
      add_raw_heights(out_heights, model, i);
  }
  stow_memory_drop(memory, heap);
  stow_memory_drop(memory, left_out);
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

// What begins in a section and what ended before it, each summed.
struct change {
  uint64_t begins, ends;
};

static bool add_change(struct change *changes, uint32_t section_count, const stow_height *height,
                       uint64_t unit) {
  uint64_t bytes;
  if (!stow_plan_align_up(height->bytes, unit, &bytes))
    return false;
  struct change *begin = &changes[height->begin];
  if (__builtin_add_overflow(begin->begins, bytes, &begin->begins))
    return false;
  if (height->end == section_count)
    return true;
  struct change *end = &changes[height->end];
  return !__builtin_add_overflow(end->ends, bytes, &end->ends);
}

// Bytes alive in each section, rounded up to `unit` each.
static stow_status sum_loads(const stow_heights *heights, uint64_t unit, uint32_t section_count,
                             struct change *changes, uint64_t *loads) {
  for (size_t i = 0; i < heights->count; ++i)
    if (!add_change(changes, section_count, &heights->at[i], unit))
      return STOW_OVERFLOW;
  uint64_t load = 0;
  for (uint32_t i = 0; i < section_count; ++i) {
    assert(load >= changes[i].ends);
    if (__builtin_add_overflow(load - changes[i].ends, changes[i].begins, &load))
      return STOW_OVERFLOW;
    loads[i] = load;
  }
  return STOW_OK;
}

static stow_status section_loads(const stow_heights *heights, uint64_t unit, uint32_t section_count,
                                 stow_memory *memory, uint64_t **out_loads) {
  struct change *changes = STOW_TAKE_ZEROED(memory, struct change, section_count);
  *out_loads = STOW_TAKE(memory, uint64_t, section_count);
  if (!changes || !*out_loads)
    return STOW_NO_MEMORY;
  const stow_status status = sum_loads(heights, unit, section_count, changes, *out_loads);
  stow_memory_drop(memory, changes);
  return status;
}

// The first section with the largest load.
static uint32_t peak_of(const uint64_t *loads, uint32_t section_count) {
  uint32_t peak = 0;
  for (uint32_t i = 1; i < section_count; ++i)
    peak = loads[i] > loads[peak] ? i : peak;
  return peak;
}

stow_status stow_heights_load(const stow_heights *heights, uint32_t section_count,
                              stow_memory *memory, uint64_t *out_load) {
  uint64_t *loads;
  const stow_status status = section_loads(heights, 1, section_count, memory, &loads);
  if (status != STOW_OK)
    return status;
  *out_load = section_count ? loads[peak_of(loads, section_count)] : 0;
  stow_memory_drop(memory, loads);
  return STOW_OK;
}

// The largest number below each node of a tree over sections.
static uint64_t *most_below(const stow_section_tree *tree, const uint64_t *loads,
                            uint32_t section_count, stow_memory *memory) {
  uint64_t *most = STOW_TAKE_ZEROED(memory, uint64_t, stow_section_tree_nodes(tree));
  if (!most)
    return NULL;
  memcpy(most + tree->leaf_count, loads, section_count * sizeof *loads);
  for (uint32_t node = tree->leaf_count; node-- > 1;)
    most[node] = most[2 * node] > most[2 * node + 1] ? most[2 * node] : most[2 * node + 1];
  return most;
}

stow_status stow_heights_peaks(const stow_heights *heights, uint32_t section_count,
                               stow_memory *memory, uint64_t *out_peaks) {
  uint64_t *loads;
  const stow_status status = section_loads(heights, 1, section_count, memory, &loads);
  if (status != STOW_OK)
    return status;
  const stow_section_tree tree = stow_section_tree_over(section_count);
  uint64_t *most = most_below(&tree, loads, section_count, memory);
  if (!most)
    return STOW_NO_MEMORY;
  for (size_t i = 0; i < heights->count; ++i)
    out_peaks[heights->at[i].block] = 0;
  for (size_t i = 0; i < heights->count; ++i) {
    const stow_height *height = &heights->at[i];
    const stow_plan_span span = {.begin = height->begin, .end = height->end};
    uint64_t *peak = &out_peaks[height->block];
    stow_node_set nodes;
    stow_section_tree_find(&tree, &span, &nodes);
    for (uint32_t n = 0; n < nodes.cover_count; ++n)
      *peak = most[nodes.cover[n]] > *peak ? most[nodes.cover[n]] : *peak;
  }
  stow_memory_drop(memory, most);
  stow_memory_drop(memory, loads);
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// Paddings
//===----------------------------------------------------------------------===//

// The heights that have padding, most first. Keys are bit complements: the sort ascends.
static size_t list_padded(const stow_heights *heights, uint64_t unit, stow_sort_pair *pairs) {
  size_t count = 0;
  for (size_t i = 0; i < heights->count; ++i) {
    const uint64_t padding = padding_of(heights->at[i].bytes, unit);
    if (padding)
      pairs[count++] = (stow_sort_pair){~padding, (uint32_t)i};
  }
  return count;
}

// The first section at or after `section` that is still open. Halves the path on its way.
static uint32_t next_open(uint32_t *next, uint32_t section) {
  while (next[section] != section)
    section = next[section] = next[next[section]];
  return section;
}

static void subtract_padding(const stow_height *height, uint64_t padding, uint32_t *next,
                             uint64_t *loads) {
  for (uint32_t at = next_open(next, height->begin); at < height->end; at = next_open(next, at)) {
    loads[at] -= padding;
    next[at] = at + 1;
  }
}

// Takes from each section's load the largest padding in it.
static stow_status subtract_top_paddings(const stow_heights *heights, uint64_t unit,
                                         uint32_t section_count, stow_memory *memory,
                                         uint64_t *loads) {
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, heights->count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, heights->count);
  uint32_t *next = STOW_TAKE(memory, uint32_t, (size_t)section_count + 1);
  if (!pairs || !scratch || !next)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i <= section_count; ++i)
    next[i] = i;
  const size_t padded = list_padded(heights, unit, pairs);
  stow_sort_pairs(pairs, scratch, padded);
  for (size_t i = 0; i < padded; ++i)
    subtract_padding(&heights->at[pairs[i].index], ~pairs[i].key, next, loads);
  stow_memory_drop(memory, next);
  stow_memory_drop(memory, scratch);
  stow_memory_drop(memory, pairs);
  return STOW_OK;
}

// The loads with padding, or without it where only the padding does not fit.
static stow_status padded_loads(const stow_heights *heights, uint64_t unit, uint32_t section_count,
                                stow_memory *memory, uint64_t **out_loads) {
  const stow_status status = section_loads(heights, unit, section_count, memory, out_loads);
  if (status == STOW_OVERFLOW && unit > 1)
    return section_loads(heights, 1, section_count, memory, out_loads);
  if (status != STOW_OK || unit == 1)
    return status;
  return subtract_top_paddings(heights, unit, section_count, memory, *out_loads);
}

static uint64_t largest_size(const stow_model *model) {
  uint64_t size = 0;
  for (uint32_t i = 0; i < model->block_count; ++i)
    size = model->blocks[i].size > size ? model->blocks[i].size : size;
  return size;
}

// Leaves the heights of blocks aligned to `unit`, each from the first multiple of it on.
static void keep_aligned(const stow_model *model, uint64_t unit, stow_heights *heights) {
  size_t kept = 0;
  for (size_t i = 0; i < heights->count; ++i) {
    stow_height height = heights->at[i];
    uint64_t low;
    if (model->blocks[height.block].alignment < unit ||
        !stow_plan_align_up(height.low, unit, &low) || low - height.low >= height.bytes)
      continue;
    height.bytes -= low - height.low;
    height.low = low;
    heights->at[kept++] = height;
  }
  heights->count = kept;
}

// Raises the load to that of blocks aligned to `unit`, with their padding.
static stow_status raise_load(const stow_model *model, uint64_t unit, stow_memory *memory,
                              stow_heights *heights, uint64_t *inout_load, uint32_t *inout_peak) {
  uint64_t *loads = NULL;
  keep_aligned(model, unit, heights);
  const stow_status status = padded_loads(heights, unit, model->section_count, memory, &loads);
  if (status != STOW_OK)
    return status;
  const uint32_t peak = peak_of(loads, model->section_count);
  if (unit <= model->common_alignment && loads[peak] >= *inout_load)
    *inout_peak = peak;
  *inout_load = loads[peak] > *inout_load ? loads[peak] : *inout_load;
  stow_memory_drop(memory, loads);
  return STOW_OK;
}

// Alignments are powers of two: a set of them is their sum.
static uint64_t alignments_of(const stow_model *model) {
  uint64_t alignments = 1;
  for (uint32_t i = 0; i < model->block_count; ++i)
    alignments |= model->blocks[i].alignment;
  return alignments;
}

stow_status stow_plan_model_bound(const stow_model *model, stow_memory *memory, uint64_t *out_bound,
                                  uint32_t *out_peak) {
  stow_heights heights;
  uint64_t load = 0;
  uint32_t peak = 0;
  stow_status status = stow_plan_model_heights(model, memory, &heights);
  uint64_t left = model->section_count ? alignments_of(model) : 0;
  for (; left && status == STOW_OK; left &= left - 1)
    status = raise_load(model, left & -left, memory, &heights, &load, &peak);
  if (status != STOW_OK)
    return status;
  const uint64_t size = largest_size(model);
  if (out_peak)
    *out_peak = peak;
  *out_bound = load > size ? load : size;
  *out_bound = model->fixed_end > *out_bound ? model->fixed_end : *out_bound;
  stow_memory_drop(memory, heights.at);
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// The header's functions
//===----------------------------------------------------------------------===//

static stow_status model_load(const stow_model *model, stow_memory *memory, uint64_t *out_load,
                              int64_t *out_point) {
  stow_heights raw = {STOW_TAKE(memory, stow_height, count_spans(model)), 0};
  if (!raw.at)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count; ++i)
    add_raw_heights(&raw, model, i);
  uint64_t *loads;
  const stow_status status = section_loads(&raw, 1, model->section_count, memory, &loads);
  if (status != STOW_OK)
    return status;
  const uint32_t peak = peak_of(loads, model->section_count);
  *out_load = model->section_count ? loads[peak] : 0;
  *out_point = model->section_count ? model->section_points[peak] : 0;
  return STOW_OK;
}

static stow_status read_and_build(const stow_problem *problem, stow_problem *read,
                                  stow_memory *memory, stow_model *model) {
  const stow_selection all = {NULL, NULL};
  const stow_status status = stow_plan_problem_read(problem, read, NULL);
  return status == STOW_OK ? stow_plan_model_build(read, &all, memory, model) : status;
}

stow_status stow_lower_bound(const stow_problem *problem, uint64_t *out_bound) {
  *out_bound = 0;
  stow_memory memory;
  stow_memory_begin(&memory, NULL);
  stow_problem read;
  stow_model model;
  stow_status status = read_and_build(problem, &read, &memory, &model);
  if (status == STOW_OK)
    status = stow_plan_model_bound(&model, &memory, out_bound, NULL);
  stow_memory_end(&memory);
  return status;
}

stow_status stow_load(const stow_problem *problem, uint64_t *out_load, int64_t *out_point) {
  *out_load = 0;
  int64_t point = 0;
  stow_memory memory;
  stow_memory_begin(&memory, NULL);
  stow_problem read;
  stow_model model;
  stow_status status = read_and_build(problem, &read, &memory, &model);
  if (status == STOW_OK)
    status = model_load(&model, &memory, out_load, &point);
  if (out_point)
    *out_point = point;
  stow_memory_end(&memory);
  return status;
}
