//===- occupancy.c - which bytes are taken, over time ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment tree over the sections. A range of sections is the disjoint union of
// at most 2 log T nodes, its *cover*. Every node has two lists of byte ranges,
// sorted, disjoint and not touching:
//
//     whole    taken in every section of the node: the blocks whose cover has it
//     part     taken in some section of it: the blocks whose cover has a node below
//
// A block's bytes are free exactly if they are free in `whole` and `part` of
// every node of its cover and in `whole` of every node above them. So a query is
// a race of some dozen sorted lists: each in turn moves the candidate offset past
// the range it collides with, until all have agreed on one. Touching ranges are
// merged, so that lists stay short where the arena is well filled.
//
// Spans of buffers that are exclusive with others cannot be merged with anything:
// whether they are in the way depends on who asks. They are *named*: each lies as
// it is in a plain list of the same nodes, and a query makes one more sorted list
// of those it meets and may not overlap.
//
// Lists grow by doubling; what they outgrow is kept per size for the next.
//
//===----------------------------------------------------------------------===//

#include "occupancy.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

typedef struct range {
  uint64_t begin, end;
} range;

struct range_list {
  range *ranges;
  uint32_t count;
  uint32_t log_capacity; // meaningful where ranges is not NULL
};

struct node {
  struct range_list whole, part;
};

struct named {
  uint64_t begin, end;
  uint32_t buffer;
  uint32_t below; // the next one of the same list, or NO_NAMED
};

#define NO_NAMED UINT32_MAX

struct named_lists {
  uint32_t whole, part; // heads
};

// A list of ranges that takes part in a query, for the span [low, high) of the block. The block can
// be anywhere between the candidate and `limit`, exclusive, as far as this list is concerned.
struct runner {
  uint64_t limit;
  uint64_t low, high;
  const range *ranges;
  uint32_t count, next; // ranges before `next` end at or below the candidate
};

enum { LOG_CAPACITIES = 32, CHUNK_RANGES = 4096 };

struct stow_occupancy {
  stow_memory *memory;
  struct node *nodes;  // 1 is the root; the children of v are 2v and 2v + 1
  uint32_t leaf_count; // a power of two; section s is node leaf_count + s
  uint32_t log_leaves;
  range *outgrown[LOG_CAPACITIES]; // linked through the `begin` of the first
  range *chunk;                    // fresh ranges, cut off piece by piece
  size_t chunk_left;
  struct runner *runners;
  size_t runner_count, runner_capacity;
  uint64_t effort;

  const stow_relations *relations;
  struct named_lists *named_of; // per node; NULL while nothing is named
  struct named *named;
  uint32_t named_count, named_capacity;
  range *met; // scratch of a query: the named ranges that count
  uint32_t met_count, met_capacity;
};

stow_occupancy *stow_occupancy_create(const stow_model *model, stow_memory *memory) {
  stow_occupancy *occupancy = STOW_TAKE_ZEROED(memory, stow_occupancy, 1);
  if (!occupancy)
    return NULL;
  occupancy->memory = memory;
  occupancy->relations = &model->relations;
  while ((UINT32_C(1) << occupancy->log_leaves) < model->section_count)
    ++occupancy->log_leaves;
  occupancy->leaf_count = UINT32_C(1) << occupancy->log_leaves;
  occupancy->nodes = STOW_TAKE_ZEROED(memory, struct node, (size_t)occupancy->leaf_count * 2);
  return occupancy->nodes ? occupancy : NULL;
}

//===----------------------------------------------------------------------===//
// Lists of ranges
//===----------------------------------------------------------------------===//

static range *cut_ranges(stow_occupancy *occupancy, uint32_t log_capacity) {
  const size_t capacity = (size_t)1 << log_capacity;
  if (capacity > CHUNK_RANGES)
    return STOW_TAKE(occupancy->memory, range, capacity);
  if (occupancy->chunk_left < capacity) {
    occupancy->chunk = STOW_TAKE(occupancy->memory, range, CHUNK_RANGES);
    if (!occupancy->chunk)
      return NULL;
    occupancy->chunk_left = CHUNK_RANGES;
  }
  occupancy->chunk_left -= capacity;
  return occupancy->chunk + occupancy->chunk_left;
}

static range *new_ranges(stow_occupancy *occupancy, uint32_t log_capacity) {
  range *reused = occupancy->outgrown[log_capacity];
  if (!reused)
    return cut_ranges(occupancy, log_capacity);
  occupancy->outgrown[log_capacity] = (range *)(uintptr_t)reused->begin;
  return reused;
}

static void keep_outgrown(stow_occupancy *occupancy, range *ranges, uint32_t log_capacity) {
  ranges->begin = (uint64_t)(uintptr_t)occupancy->outgrown[log_capacity];
  occupancy->outgrown[log_capacity] = ranges;
}

static bool make_room(stow_occupancy *occupancy, struct range_list *list) {
  if (list->ranges && list->count < UINT32_C(1) << list->log_capacity)
    return true;
  const uint32_t log_capacity = list->ranges ? list->log_capacity + 1 : 0;
  range *ranges = new_ranges(occupancy, log_capacity);
  if (!ranges)
    return false;
  if (list->ranges) {
    memcpy(ranges, list->ranges, list->count * sizeof *ranges);
    keep_outgrown(occupancy, list->ranges, list->log_capacity);
  }
  list->ranges = ranges;
  list->log_capacity = log_capacity;
  return true;
}

// The first range at or after `from` that ends at `offset` or above it. The search doubles its
// stride, for most answers are near.
static uint32_t first_ending_from(const range *ranges, uint32_t count, uint32_t from,
                                  uint64_t offset) {
  uint32_t below = from, stride = 1;
  while (below + stride <= count && ranges[below + stride - 1].end < offset) {
    below += stride;
    stride *= 2;
  }
  uint32_t above = stride <= count - below ? below + stride - 1 : count;
  while (below < above) {
    const uint32_t middle = below + (above - below) / 2;
    if (ranges[middle].end < offset)
      below = middle + 1;
    else
      above = middle;
  }
  return below;
}

// Adds [begin, end) and merges it with all it meets or touches.
static bool list_add(stow_occupancy *occupancy, struct range_list *list, uint64_t begin,
                     uint64_t end) {
  const uint32_t first = first_ending_from(list->ranges, list->count, 0, begin);
  uint32_t past = first;
  for (; past < list->count && list->ranges[past].begin <= end; ++past) {
    begin = list->ranges[past].begin < begin ? list->ranges[past].begin : begin;
    end = list->ranges[past].end > end ? list->ranges[past].end : end;
  }
  if (past == first && !make_room(occupancy, list))
    return false;
  memmove(list->ranges + first + 1, list->ranges + past,
          (list->count - past) * sizeof *list->ranges);
  list->count = list->count - (past - first) + 1;
  list->ranges[first] = (range){begin, end};
  return true;
}

//===----------------------------------------------------------------------===//
// Nodes of a span
//===----------------------------------------------------------------------===//

enum { PATH_NODES = 64 }; // two a level

struct node_set {
  uint32_t cover[PATH_NODES]; // nodes inside the span whose parent is not
  uint32_t above[PATH_NODES]; // their proper ancestors
  uint32_t cover_count, above_count;
};

static bool lies_inside(const stow_occupancy *occupancy, const stow_span *span, uint32_t at,
                        uint32_t height) {
  const uint32_t begin = (at << height) - occupancy->leaf_count;
  const uint32_t end = begin + (UINT32_C(1) << height);
  return span->begin <= begin && end <= span->end;
}

static void list_above(const stow_occupancy *occupancy, const stow_span *span,
                       struct node_set *set) {
  set->above_count = 0;
  for (uint32_t height = 1; height <= occupancy->log_leaves; ++height) {
    const uint32_t left = (occupancy->leaf_count + span->begin) >> height;
    const uint32_t right = (occupancy->leaf_count + span->end - 1) >> height;
    if (!lies_inside(occupancy, span, left, height))
      set->above[set->above_count++] = left;
    if (left != right && !lies_inside(occupancy, span, right, height))
      set->above[set->above_count++] = right;
  }
}

static void list_cover(const stow_occupancy *occupancy, const stow_span *span,
                       struct node_set *set) {
  set->cover_count = 0;
  uint32_t left = occupancy->leaf_count + span->begin;
  uint32_t right = occupancy->leaf_count + span->end;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2)
      set->cover[set->cover_count++] = left++;
    if (right % 2)
      set->cover[set->cover_count++] = --right;
  }
}

//===----------------------------------------------------------------------===//
// Named spans
//===----------------------------------------------------------------------===//

static bool start_naming(stow_occupancy *occupancy) {
  if (occupancy->named_of)
    return true;
  const size_t count = (size_t)occupancy->leaf_count * 2;
  occupancy->named_of = STOW_TAKE(occupancy->memory, struct named_lists, count);
  for (size_t i = 0; occupancy->named_of && i < count; ++i)
    occupancy->named_of[i] = (struct named_lists){NO_NAMED, NO_NAMED};
  return occupancy->named_of != NULL;
}

static void *grow(stow_occupancy *occupancy, void *old, uint32_t count, uint32_t *capacity,
                  size_t size) {
  *capacity = *capacity ? 2 * *capacity : 64;
  void *grown = stow_memory_take(occupancy->memory, *capacity, size);
  if (grown && old)
    memcpy(grown, old, count * size);
  stow_memory_drop(occupancy->memory, old);
  return grown;
}

static bool push_named(stow_occupancy *occupancy, uint32_t *head, struct named named) {
  if (occupancy->named_count == occupancy->named_capacity)
    occupancy->named = grow(occupancy, occupancy->named, occupancy->named_count,
                            &occupancy->named_capacity, sizeof named);
  if (!occupancy->named)
    return false;
  named.below = *head;
  *head = occupancy->named_count;
  occupancy->named[occupancy->named_count++] = named;
  return true;
}

static bool add_named(stow_occupancy *occupancy, const struct node_set *set, struct named named) {
  bool added = start_naming(occupancy);
  for (uint32_t i = 0; i < set->cover_count && added; ++i)
    added = push_named(occupancy, &occupancy->named_of[set->cover[i]].whole, named);
  for (uint32_t i = 0; i < set->above_count && added; ++i)
    added = push_named(occupancy, &occupancy->named_of[set->above[i]].part, named);
  return added;
}

static bool meet_named(stow_occupancy *occupancy, uint32_t head, uint32_t buffer) {
  for (uint32_t at = head; at != NO_NAMED; at = occupancy->named[at].below) {
    const struct named *named = &occupancy->named[at];
    if (stow_are_exclusive(occupancy->relations, named->buffer, buffer))
      continue;
    if (occupancy->met_count == occupancy->met_capacity)
      occupancy->met = grow(occupancy, occupancy->met, occupancy->met_count,
                            &occupancy->met_capacity, sizeof *occupancy->met);
    if (!occupancy->met)
      return false;
    occupancy->met[occupancy->met_count++] = (range){named->begin, named->end};
  }
  return true;
}

// Merges the ranges met from `first` on, which are sorted already, and returns how many remain.
static uint32_t merge_met(range *met, uint32_t count) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (made && met[i].begin <= met[made - 1].end)
      met[made - 1].end = met[i].end > met[made - 1].end ? met[i].end : met[made - 1].end;
    else
      met[made++] = met[i];
  }
  return made;
}

static stow_status sort_met(stow_occupancy *occupancy, range *met, uint32_t count) {
  stow_sort_pair *pairs = STOW_TAKE(occupancy->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(occupancy->memory, stow_sort_pair, count);
  range *sorted = STOW_TAKE(occupancy->memory, range, count);
  if (!pairs || !scratch || !sorted)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    pairs[i] = (stow_sort_pair){met[i].begin, i};
  stow_sort_pairs(pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    sorted[i] = met[pairs[i].index];
  memcpy(met, sorted, count * sizeof *met);
  stow_memory_drop(occupancy->memory, sorted);
  stow_memory_drop(occupancy->memory, scratch);
  stow_memory_drop(occupancy->memory, pairs);
  return STOW_OK;
}

// Collects what the span meets among the named: met[met_count...], sorted and merged. The ranges of
// all spans of a query share one array, which may move until the last is in.
static stow_status collect_named(stow_occupancy *occupancy, const struct node_set *set,
                                 const stow_span *span, uint32_t *out_first, uint32_t *out_count) {
  const uint32_t first = *out_first = occupancy->met_count;
  bool good = true;
  for (uint32_t i = 0; i < set->above_count && good; ++i)
    good = meet_named(occupancy, occupancy->named_of[set->above[i]].whole, span->buffer);
  for (uint32_t i = 0; i < set->cover_count && good; ++i)
    good = meet_named(occupancy, occupancy->named_of[set->cover[i]].whole, span->buffer) &&
           meet_named(occupancy, occupancy->named_of[set->cover[i]].part, span->buffer);
  const uint32_t count = occupancy->met_count - first;
  if (!good || (count && sort_met(occupancy, occupancy->met + first, count) != STOW_OK))
    return STOW_NO_MEMORY;
  *out_count = count ? merge_met(occupancy->met + first, count) : 0;
  occupancy->met_count = first + *out_count;
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

static bool reserve_runners(stow_occupancy *occupancy, const stow_block *block) {
  const size_t needed = (size_t)block->span_count * (3 * PATH_NODES + 1);
  if (needed <= occupancy->runner_capacity)
    return true;
  stow_memory_drop(occupancy->memory, occupancy->runners);
  occupancy->runners = STOW_TAKE(occupancy->memory, struct runner, needed);
  occupancy->runner_capacity = occupancy->runners ? needed : 0;
  return occupancy->runners != NULL;
}

static void enter(stow_occupancy *occupancy, const range *ranges, uint32_t count,
                  const stow_span *span) {
  if (count)
    occupancy->runners[occupancy->runner_count++] =
        (struct runner){0, span->low, span->high, ranges, count, 0};
}

static void enter_list(stow_occupancy *occupancy, const struct range_list *list,
                       const stow_span *span) {
  enter(occupancy, list->ranges, list->count, span);
}

// Runners over named ranges remember the index of the first, for the array may still move.
static stow_status enter_named(stow_occupancy *occupancy, const struct node_set *set,
                               const stow_span *span) {
  uint32_t first, count;
  const stow_status status = collect_named(occupancy, set, span, &first, &count);
  if (status == STOW_OK && count) {
    enter(occupancy, NULL, count, span);
    occupancy->runners[occupancy->runner_count - 1].next = first;
  }
  return status;
}

static void settle_named(stow_occupancy *occupancy) {
  for (size_t i = 0; i < occupancy->runner_count; ++i) {
    struct runner *runner = &occupancy->runners[i];
    if (runner->ranges)
      continue;
    runner->ranges = occupancy->met + runner->next;
    runner->next = 0;
  }
}

static stow_status enter_span(stow_occupancy *occupancy, const stow_span *span) {
  struct node_set set;
  list_cover(occupancy, span, &set);
  list_above(occupancy, span, &set);
  for (uint32_t i = 0; i < set.cover_count; ++i) {
    enter_list(occupancy, &occupancy->nodes[set.cover[i]].part, span);
    enter_list(occupancy, &occupancy->nodes[set.cover[i]].whole, span);
  }
  for (uint32_t i = 0; i < set.above_count; ++i)
    enter_list(occupancy, &occupancy->nodes[set.above[i]].whole, span);
  return occupancy->named_of ? enter_named(occupancy, &set, span) : STOW_OK;
}

static stow_status enter_block(stow_occupancy *occupancy, const stow_block *block) {
  if (!reserve_runners(occupancy, block))
    return STOW_NO_MEMORY;
  occupancy->runner_count = occupancy->met_count = 0;
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < block->span_count && status == STOW_OK; ++i)
    status = enter_span(occupancy, &block->spans[i]);
  settle_named(occupancy);
  return status;
}

// Brings a runner up to the candidate and moves the candidate past the ranges in the way.
static stow_status run(struct runner *runner, const stow_block *block, uint64_t *inout_offset) {
  const range *ranges = runner->ranges;
  uint64_t offset = *inout_offset;
  uint32_t next = first_ending_from(ranges, runner->count, runner->next, offset + runner->low + 1);
  while (next < runner->count && ranges[next].begin < offset + runner->high) {
    uint64_t past;
    if (!stow_align_up(ranges[next].end - runner->low, block->alignment, &offset) ||
        __builtin_add_overflow(offset, block->size, &past))
      return STOW_OVERFLOW;
    for (++next; next < runner->count && ranges[next].end <= offset + runner->low;)
      ++next;
  }
  runner->next = next;
  runner->limit = next < runner->count ? ranges[next].begin - runner->high + 1 : UINT64_MAX;
  *inout_offset = offset;
  return STOW_OK;
}

// The race ends when every runner in a row agrees with the candidate. One that does not steps
// forward in the row, so that those most often in the way come to be asked first.
static stow_status race(stow_occupancy *occupancy, const stow_block *block, uint64_t *offset) {
  struct runner *runners = occupancy->runners;
  uint64_t candidate = *offset, moves = 0;
  size_t at = 0;
  while (at < occupancy->runner_count) {
    const uint64_t before = candidate;
    if (candidate < runners[at].limit) {
      ++at;
      continue;
    }
    if (run(&runners[at], block, &candidate) != STOW_OK)
      return STOW_OVERFLOW;
    if (candidate == before) {
      ++at;
      continue;
    }
    const struct runner moved = runners[at];
    runners[at] = runners[at / 2];
    runners[at / 2] = moved;
    at = 0;
    ++moves;
  }
  occupancy->effort += 10 * occupancy->runner_count + 12 * moves;
  *offset = candidate;
  return STOW_OK;
}

static uint64_t room_above(const stow_occupancy *occupancy, uint64_t offset) {
  uint64_t room = UINT64_MAX;
  for (size_t i = 0; i < occupancy->runner_count; ++i) {
    const uint64_t limit = occupancy->runners[i].limit;
    if (limit != UINT64_MAX && limit - 1 - offset < room)
      room = limit - 1 - offset;
  }
  return room;
}

stow_status stow_occupancy_find(stow_occupancy *occupancy, const stow_block *block, uint64_t from,
                                stow_place *out_place) {
  uint64_t past;
  *out_place = (stow_place){0, 0};
  if (!stow_align_up(from, block->alignment, &out_place->offset) ||
      __builtin_add_overflow(out_place->offset, block->size, &past))
    return STOW_OVERFLOW;
  stow_status status = enter_block(occupancy, block);
  if (status == STOW_OK)
    status = race(occupancy, block, &out_place->offset);
  if (status == STOW_OK)
    out_place->room = room_above(occupancy, out_place->offset);
  return status;
}

uint64_t stow_occupancy_effort(const stow_occupancy *occupancy) { return occupancy->effort; }

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static bool add_span(stow_occupancy *occupancy, const stow_span *span, uint64_t offset) {
  const uint64_t begin = offset + span->low, end = offset + span->high;
  struct node_set set;
  list_cover(occupancy, span, &set);
  list_above(occupancy, span, &set);
  if (stow_has_exclusives(occupancy->relations, span->buffer))
    return add_named(occupancy, &set, (struct named){begin, end, span->buffer, NO_NAMED});
  bool added = true;
  for (uint32_t i = 0; i < set.cover_count && added; ++i)
    added = list_add(occupancy, &occupancy->nodes[set.cover[i]].whole, begin, end);
  for (uint32_t i = 0; i < set.above_count && added; ++i)
    added = list_add(occupancy, &occupancy->nodes[set.above[i]].part, begin, end);
  return added;
}

stow_status stow_occupancy_add(stow_occupancy *occupancy, const stow_block *block,
                               uint64_t offset) {
  for (uint32_t i = 0; i < block->span_count; ++i)
    if (!add_span(occupancy, &block->spans[i], offset))
      return STOW_NO_MEMORY;
  return STOW_OK;
}
