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
// of those it meets and may not overlap. Where a node has many of them already,
// further ones are not named and in everybody's way, unless they are fixed: a plan
// may get larger by that, and queries stay short.
//
// Where all blocks begin at multiples of an alignment, bytes up to the next one are
// of no use, so ranges are rounded up to it, and merge.
//
//===----------------------------------------------------------------------===//

#include "occupancy.h"
#include "ranges.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

struct node {
  stow_ranges whole, part;
};

struct named {
  uint64_t begin, end;
  uint32_t buffer;
  uint32_t below; // the next one of the same list, or NO_NAMED
};

#define NO_NAMED UINT32_MAX

struct named_lists {
  uint32_t whole, part; // heads
  uint32_t count;       // of both
};

enum { MANY_NAMED = 512 };

// A list of ranges that takes part in a query, for the span [low, high) of the block. The block can
// be anywhere between the candidate and `limit`, exclusive, as far as this list is concerned.
struct runner {
  uint64_t limit;
  uint64_t low, high;
  const stow_range *ranges;
  uint32_t count, next; // ranges before `next` end at or below the candidate
  stow_ranges *list;    // NULL where the ranges are scratch
};

// Of more runners than this the one in the way is not looked for in a row.
enum { MANY_RUNNERS = 512 };

struct stow_occupancy {
  stow_memory *memory;
  struct node *nodes;  // 1 is the root; the children of v are 2v and 2v + 1
  uint32_t leaf_count; // a power of two; section s is node leaf_count + s
  uint32_t log_leaves;
  uint64_t rounding; // ranges end at multiples of it, a power of two
  stow_ranges_pool pool;
  struct runner *runners;
  uint32_t runner_count, runner_capacity;
  uint32_t *entered; // per node, the last query that entered its list from above; for blocks of
  uint32_t query;    // many spans
  uint64_t effort;

  const stow_relations *relations;
  struct named_lists *named_of; // per node; NULL while nothing is named
  struct named *named;
  uint32_t named_count, named_capacity;
  stow_range *met; // scratch of a query: the named ranges that count
  uint32_t met_count, met_capacity;
};

stow_occupancy *stow_occupancy_create(const stow_model *model, stow_memory *memory) {
  stow_occupancy *occupancy = STOW_TAKE_ZEROED(memory, stow_occupancy, 1);
  if (!occupancy)
    return NULL;
  occupancy->memory = memory;
  occupancy->pool.memory = memory;
  occupancy->relations = &model->relations;
  occupancy->rounding = model->flat ? model->common_alignment : 1;
  while ((UINT32_C(1) << occupancy->log_leaves) < model->section_count)
    ++occupancy->log_leaves;
  occupancy->leaf_count = UINT32_C(1) << occupancy->log_leaves;
  occupancy->nodes = STOW_TAKE_ZEROED(memory, struct node, (size_t)occupancy->leaf_count * 2);
  return occupancy->nodes ? occupancy : NULL;
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
    occupancy->named_of[i] = (struct named_lists){NO_NAMED, NO_NAMED, 0};
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
  bool added = true;
  for (uint32_t i = 0; i < set->cover_count && added; ++i) {
    struct named_lists *lists = &occupancy->named_of[set->cover[i]];
    added = push_named(occupancy, &lists->whole, named);
    ++lists->count;
  }
  for (uint32_t i = 0; i < set->above_count && added; ++i) {
    struct named_lists *lists = &occupancy->named_of[set->above[i]];
    added = push_named(occupancy, &lists->part, named);
    ++lists->count;
  }
  return added;
}

static bool are_many_named(const stow_occupancy *occupancy, const struct node_set *set) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < set->cover_count; ++i)
    if (occupancy->named_of[set->cover[i]].count > most)
      most = occupancy->named_of[set->cover[i]].count;
  for (uint32_t i = 0; i < set->above_count; ++i)
    if (occupancy->named_of[set->above[i]].count > most)
      most = occupancy->named_of[set->above[i]].count;
  return most >= MANY_NAMED;
}

static bool meet_named(stow_occupancy *occupancy, uint32_t head, uint32_t buffer) {
  for (uint32_t at = head; at != NO_NAMED; at = occupancy->named[at].below) {
    const struct named *named = &occupancy->named[at];
    occupancy->effort += 8;
    if (stow_are_exclusive(occupancy->relations, named->buffer, buffer))
      continue;
    if (occupancy->met_count == occupancy->met_capacity)
      occupancy->met = grow(occupancy, occupancy->met, occupancy->met_count,
                            &occupancy->met_capacity, sizeof *occupancy->met);
    if (!occupancy->met)
      return false;
    occupancy->met[occupancy->met_count++] = (stow_range){named->begin, named->end};
  }
  return true;
}

// Merges the ranges met from `first` on, which are sorted already, and returns how many remain.
static uint32_t merge_met(stow_range *met, uint32_t count) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (made && met[i].begin <= met[made - 1].end)
      met[made - 1].end = met[i].end > met[made - 1].end ? met[i].end : met[made - 1].end;
    else
      met[made++] = met[i];
  }
  return made;
}

static stow_status sort_met(stow_occupancy *occupancy, stow_range *met, uint32_t count) {
  stow_sort_pair *pairs = STOW_TAKE(occupancy->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(occupancy->memory, stow_sort_pair, count);
  stow_range *sorted = STOW_TAKE(occupancy->memory, stow_range, count);
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

static bool enter(stow_occupancy *occupancy, stow_ranges *list, const stow_range *ranges,
                  uint32_t count, const stow_span *span) {
  if (!count)
    return true;
  if (occupancy->runner_count == occupancy->runner_capacity)
    occupancy->runners = grow(occupancy, occupancy->runners, occupancy->runner_count,
                              &occupancy->runner_capacity, sizeof *occupancy->runners);
  if (!occupancy->runners)
    return false;
  occupancy->runners[occupancy->runner_count++] =
      (struct runner){0, span->low, span->high, ranges, count, 0, list};
  return true;
}

static bool enter_list(stow_occupancy *occupancy, stow_ranges *list, const stow_span *span) {
  return enter(occupancy, list, list->at, list->count, span);
}

// Runners over named ranges remember the index of the first, for the array may still move.
static stow_status enter_named(stow_occupancy *occupancy, const struct node_set *set,
                               const stow_span *span) {
  uint32_t first, count;
  const stow_status status = collect_named(occupancy, set, span, &first, &count);
  if (status != STOW_OK || !count)
    return status;
  if (!enter(occupancy, NULL, NULL, count, span))
    return STOW_NO_MEMORY;
  occupancy->runners[occupancy->runner_count - 1].next = first;
  return STOW_OK;
}

static void settle_named(stow_occupancy *occupancy) {
  for (uint32_t i = 0; i < occupancy->runner_count; ++i) {
    struct runner *runner = &occupancy->runners[i];
    if (runner->ranges)
      continue;
    runner->ranges = occupancy->met + runner->next;
    runner->next = 0;
  }
}

// Spans of one block with the same bytes meet the same lists above them: the first of them enters.
static bool is_entered(stow_occupancy *occupancy, uint32_t node, const stow_span *span,
                       const stow_block *block) {
  if (block->span_count == 1 || span->low != block->spans->low || span->high != block->spans->high)
    return false;
  const bool entered = occupancy->entered[node] == occupancy->query;
  occupancy->entered[node] = occupancy->query;
  return entered;
}

static stow_status enter_span(stow_occupancy *occupancy, const stow_span *span,
                              const stow_block *block) {
  struct node_set set;
  bool good = true;
  list_cover(occupancy, span, &set);
  list_above(occupancy, span, &set);
  for (uint32_t i = 0; i < set.cover_count && good; ++i) {
    struct node *node = &occupancy->nodes[set.cover[i]];
    good = enter_list(occupancy, &node->part, span) && enter_list(occupancy, &node->whole, span);
  }
  for (uint32_t i = 0; i < set.above_count && good; ++i)
    if (!is_entered(occupancy, set.above[i], span, block))
      good = enter_list(occupancy, &occupancy->nodes[set.above[i]].whole, span);
  if (!good)
    return STOW_NO_MEMORY;
  return occupancy->named_of ? enter_named(occupancy, &set, span) : STOW_OK;
}

static bool may_mark(stow_occupancy *occupancy) {
  const size_t count = (size_t)occupancy->leaf_count * 2;
  if (!occupancy->entered)
    occupancy->entered = STOW_TAKE_ZEROED(occupancy->memory, uint32_t, count);
  if (occupancy->entered && ++occupancy->query == 0)
    memset(occupancy->entered, 0xff, count * sizeof *occupancy->entered);
  return occupancy->entered != NULL;
}

static stow_status enter_block(stow_occupancy *occupancy, const stow_block *block) {
  if (block->span_count > 1 && !may_mark(occupancy))
    return STOW_NO_MEMORY;
  occupancy->runner_count = occupancy->met_count = 0;
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < block->span_count && status == STOW_OK; ++i)
    status = enter_span(occupancy, &block->spans[i], block);
  occupancy->effort += 10 * occupancy->runner_count + 4 * block->span_count;
  settle_named(occupancy);
  return status;
}

// Brings a runner up to the candidate and moves the candidate past the ranges in the way.
static stow_status run(struct runner *runner, const stow_block *block, uint64_t *inout_offset,
                       uint64_t *inout_steps) {
  uint64_t offset = *inout_offset, past;
  const stow_range *ranges = runner->ranges;
  uint32_t next = stow_ranges_find(ranges, runner->count, runner->next, offset + runner->low + 1);
  while (next < runner->count && ranges[next].begin < offset + runner->high) {
    const uint32_t behind =
        runner->list ? stow_ranges_skip(runner->list, next, runner->high - runner->low) : next;
    const uint32_t last = behind > next ? behind - 1 : next;
    if (!stow_align_up(ranges[last].end - runner->low, block->alignment, &offset) ||
        __builtin_add_overflow(offset, block->size, &past))
      return STOW_OVERFLOW;
    *inout_steps += 1 + (last - next) / 16;
    for (next = last + 1; next < runner->count && ranges[next].end <= offset + runner->low;)
      ++next;
  }
  runner->next = next;
  runner->limit = next < runner->count ? ranges[next].begin - runner->high + 1 : UINT64_MAX;
  *inout_offset = offset;
  return STOW_OK;
}

// A row: the race ends when every runner in it agrees with the candidate. One that does not steps
// forward in the row, so that those most often in the way come to be asked first.
static stow_status race_in_row(stow_occupancy *occupancy, const stow_block *block,
                               uint64_t *inout_candidate, uint64_t *inout_steps) {
  struct runner *const runners = occupancy->runners;
  const uint32_t count = occupancy->runner_count;
  uint64_t candidate = *inout_candidate;
  uint32_t at = 0;
  while (at < count) {
    const uint64_t before = candidate;
    if (candidate < runners[at].limit) {
      ++at;
      continue;
    }
    if (run(&runners[at], block, &candidate, inout_steps) != STOW_OK)
      return STOW_OVERFLOW;
    if (candidate == before) {
      ++at;
      continue;
    }
    const struct runner moved = runners[at];
    runners[at] = runners[at / 2];
    runners[at / 2] = moved;
    at = 0;
    *inout_steps += 8;
  }
  *inout_candidate = candidate;
  return STOW_OK;
}

static void sift(struct runner *heap, uint32_t count) {
  const struct runner moved = heap[0];
  uint32_t at = 0;
  for (uint32_t child = 1; child < count; child = 2 * at + 1) {
    child += child + 1 < count && heap[child + 1].limit < heap[child].limit;
    if (moved.limit <= heap[child].limit)
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

// A heap, for very many: on top is who objects to the candidate first. All limits are 0 at first.
static stow_status race_in_heap(stow_occupancy *occupancy, const stow_block *block,
                                uint64_t *inout_candidate, uint64_t *inout_steps) {
  struct runner *runners = occupancy->runners;
  while (runners[0].limit <= *inout_candidate) {
    if (run(&runners[0], block, inout_candidate, inout_steps) != STOW_OK)
      return STOW_OVERFLOW;
    sift(runners, occupancy->runner_count);
    *inout_steps += 8;
  }
  return STOW_OK;
}

static stow_status race(stow_occupancy *occupancy, const stow_block *block, uint64_t *offset) {
  uint64_t steps = 0;
  const stow_status status = occupancy->runner_count <= MANY_RUNNERS
                                 ? race_in_row(occupancy, block, offset, &steps)
                                 : race_in_heap(occupancy, block, offset, &steps);
  occupancy->effort += steps;
  return status;
}

static uint64_t room_above(const stow_occupancy *occupancy, uint64_t offset) {
  uint64_t room = UINT64_MAX;
  for (uint32_t i = 0; i < occupancy->runner_count; ++i) {
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

stow_status stow_occupancy_find_next(stow_occupancy *occupancy, const stow_block *block,
                                     stow_place *inout_place) {
  uint64_t past, from = inout_place->offset + inout_place->room + 1;
  if (!stow_align_up(from, block->alignment, &from) ||
      __builtin_add_overflow(from, block->size, &past) || race(occupancy, block, &from) != STOW_OK)
    return STOW_OVERFLOW;
  *inout_place = (stow_place){from, room_above(occupancy, from)};
  return STOW_OK;
}

uint64_t stow_occupancy_effort(const stow_occupancy *occupancy) { return occupancy->effort; }

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static bool add_span(stow_occupancy *occupancy, const stow_span *span, uint64_t offset,
                     bool is_fixed) {
  const uint64_t begin = offset + span->low, end = offset + span->high;
  uint64_t rounded;
  struct node_set set;
  list_cover(occupancy, span, &set);
  list_above(occupancy, span, &set);
  if (stow_has_exclusives(occupancy->relations, span->buffer)) {
    if (!start_naming(occupancy))
      return false;
    if (is_fixed || !are_many_named(occupancy, &set))
      return add_named(occupancy, &set, (struct named){begin, end, span->buffer, NO_NAMED});
  }
  if (!stow_align_up(end, occupancy->rounding, &rounded))
    rounded = end;
  bool added = true;
  for (uint32_t i = 0; i < set.cover_count && added; ++i)
    added =
        stow_ranges_add(&occupancy->nodes[set.cover[i]].whole, &occupancy->pool, begin, rounded);
  for (uint32_t i = 0; i < set.above_count && added; ++i)
    added = stow_ranges_add(&occupancy->nodes[set.above[i]].part, &occupancy->pool, begin, rounded);
  return added;
}

stow_status stow_occupancy_add(stow_occupancy *occupancy, const stow_block *block,
                               uint64_t offset) {
  for (uint32_t i = 0; i < block->span_count; ++i)
    if (!add_span(occupancy, &block->spans[i], offset, block->fixed != STOW_ANY_OFFSET))
      return STOW_NO_MEMORY;
  return STOW_OK;
}
