//===- holes.c - a search that guesses what stays empty -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From clique to clique the slack rises where a hole begins and falls where one ends.
// So as many holes are open as it takes: a rise opens one, a fall ends the one of that
// height, or two that are as high together, or else a part of one. What cannot be seen
// is decided by chance: whether a hole of which a part ends is cut along time, along
// bytes or both; and whether other holes that are open there are cut, too, which
// leaves more plans to find and makes each harder to find.
//
//===----------------------------------------------------------------------===//

#include "holes.h"
#include "limits.h"
#include "partial.h"
#include "random.h"
#include "skyline.h"
#include "sort.h"
#include "valleys.h"

#include <string.h>

struct hole {
  uint32_t begin, end; // cliques; open ones have no end yet
  uint64_t height;
};

enum order { LONGEST, LATEST, EARLIEST, ORDERS };
enum cut { CUT_BYTES, CUT_TIME, CUT_BOTH, CUTS };

struct guess {
  stow_memory memory;
  stow_skyline skyline; // of the graph without holes
  stow_plan_graph filled;
  struct hole *open, *holes;
  uint32_t open_count, hole_count, max_holes;
  bool too_many;
  uint64_t random;
  unsigned at_rise, at_fall; // chances of 2 that what is open is cut
  bool splits_first;         // before a hole that is too small ends
  enum cut cut;              // CUTS: any
};

//===----------------------------------------------------------------------===//
// Guessing
//===----------------------------------------------------------------------===//

static void open_hole(struct guess *guess, uint32_t begin, uint64_t height) {
  if (guess->open_count == guess->max_holes)
    guess->too_many = true;
  else
    guess->open[guess->open_count++] = (struct hole){.begin = begin, .height = height};
}

static void note_hole(struct guess *guess, uint32_t begin, uint32_t end, uint64_t height) {
  if (begin == end)
    return;
  if (guess->hole_count == guess->max_holes)
    guess->too_many = true;
  else
    guess->holes[guess->hole_count++] = (struct hole){begin, end, height};
}

static void cut_open_holes(struct guess *guess, uint32_t clique, unsigned chance) {
  if (stow_random_next(&guess->random) % 2 >= chance)
    return;
  for (uint32_t i = 0; i < guess->open_count; ++i) {
    note_hole(guess, guess->open[i].begin, clique, guess->open[i].height);
    guess->open[i].begin = clique;
  }
}

static uint32_t find_height(const struct guess *guess, uint64_t height, uint32_t past) {
  for (uint32_t i = past; i-- > 0;)
    if (guess->open[i].height == height)
      return i;
  return STOW_NO_ITEM;
}

// One of two that are as high together.
static uint32_t find_pair(const struct guess *guess, uint64_t height) {
  for (uint32_t i = 0; i < guess->open_count; ++i)
    if (guess->open[i].height < height &&
        find_height(guess, height - guess->open[i].height, i) != STOW_NO_ITEM)
      return i;
  return STOW_NO_ITEM;
}

static uint32_t find_smaller(const struct guess *guess, uint64_t height) {
  uint32_t best = STOW_NO_ITEM;
  for (uint32_t i = 0; i < guess->open_count; ++i)
    if (guess->open[i].height < height &&
        (best == STOW_NO_ITEM || guess->open[i].height > guess->open[best].height))
      best = i;
  return best;
}

static uint32_t find_larger(const struct guess *guess, uint64_t height) {
  uint32_t best = STOW_NO_ITEM;
  for (uint32_t i = 0; i < guess->open_count; ++i)
    if (guess->open[i].height > height &&
        (best == STOW_NO_ITEM || guess->open[i].height < guess->open[best].height))
      best = i;
  return best;
}

// Ends `height` of a hole that is higher.
static void end_part(struct guess *guess, uint32_t index, uint32_t clique, uint64_t height) {
  struct hole *hole = &guess->open[index];
  const enum cut cut =
      guess->cut == CUTS ? (enum cut)(stow_random_next(&guess->random) % CUTS) : guess->cut;
  if (cut == CUT_TIME) {
    note_hole(guess, hole->begin, clique, hole->height);
  } else {
    note_hole(guess, hole->begin, clique, height);
    if (cut == CUT_BOTH)
      note_hole(guess, hole->begin, clique, hole->height - height);
  }
  hole->height -= height;
  if (cut != CUT_BYTES)
    hole->begin = clique;
}

static void end_whole(struct guess *guess, uint32_t index, uint32_t clique) {
  note_hole(guess, guess->open[index].begin, clique, guess->open[index].height);
  guess->open[index] = guess->open[--guess->open_count];
}

// Ends holes of this height together, which the open ones have.
static void end_holes(struct guess *guess, uint32_t clique, uint64_t height) {
  while (height && !guess->too_many) {
    uint32_t index = find_height(guess, height, guess->open_count);
    if (index == STOW_NO_ITEM)
      index = find_pair(guess, height);
    const uint32_t larger = find_larger(guess, height);
    if (index == STOW_NO_ITEM && !(guess->splits_first && larger != STOW_NO_ITEM))
      index = find_smaller(guess, height);
    if (index == STOW_NO_ITEM) {
      end_part(guess, larger, clique, height);
      return;
    }
    height -= guess->open[index].height;
    end_whole(guess, index, clique);
  }
}

// False where it takes too many.
static bool guess_holes(struct guess *guess) {
  const uint32_t count = guess->skyline.graph->clique_count;
  uint64_t slack = 0;
  guess->at_rise = stow_random_next(&guess->random) % 3;
  guess->at_fall = stow_random_next(&guess->random) % 2;
  guess->splits_first = stow_random_next(&guess->random) % 2;
  guess->cut = (enum cut)(stow_random_next(&guess->random) % (CUTS + 1));
  for (uint32_t c = 0; c <= count && !guess->too_many; ++c) {
    const uint64_t next = c < count ? guess->skyline.slack[c] : 0;
    if (next > slack) {
      cut_open_holes(guess, c, guess->at_rise);
      open_hole(guess, c, next - slack);
    } else if (next < slack) {
      end_holes(guess, c, slack - next);
      cut_open_holes(guess, c, guess->at_fall);
    }
    slack = next;
  }
  return !guess->too_many;
}

//===----------------------------------------------------------------------===//
// The graph with holes
//===----------------------------------------------------------------------===//

static bool meet(const stow_plan_item *a, const stow_plan_item *b) {
  return a->begin < b->end && b->begin < a->end;
}

static bool are_alike(const stow_plan_item *a, const stow_plan_item *b) {
  return a->begin == b->begin && a->end == b->end && a->size == b->size &&
         a->alignment == b->alignment;
}

static void list_items(struct guess *guess, stow_plan_item *items) {
  const stow_skyline *skyline = &guess->skyline;
  const uint32_t count = skyline->graph->item_count;
  memcpy(items, skyline->graph->items, count * sizeof *items);
  for (uint32_t i = 0; i < guess->hole_count; ++i) {
    const struct hole *hole = &guess->holes[i];
    items[count + i] = (stow_plan_item){.size = hole->height * skyline->unit,
                                        .alignment = skyline->least_alignment,
                                        .fixed = STOW_ANY_OFFSET,
                                        .begin = hole->begin,
                                        .end = hole->end,
                                        .twin = count + i};
  }
}

static bool make_edges(struct guess *guess, stow_plan_item *items, uint32_t count) {
  size_t edges = 0, made = 0;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < count; ++k)
      edges += meet(&items[i], &items[k]);
  stow_plan_edge *edge = STOW_TAKE(&guess->memory, stow_plan_edge, edges);
  guess->filled.edges = edge;
  for (uint32_t i = 0; i < count && edge; ++i) {
    items[i].first_edge = (uint32_t)made;
    for (uint32_t k = 0; k < count; ++k)
      if (k != i && meet(&items[i], &items[k]))
        edge[made++] = (stow_plan_edge){k, items[i].size};
    items[i].past_edge = (uint32_t)made;
    for (uint32_t k = 0; k < i && items[i].twin == i; ++k)
      if (are_alike(&items[k], &items[i]))
        items[i].twin = k;
  }
  return edge != NULL;
}

static bool make_members(struct guess *guess, stow_plan_item *items, uint32_t count) {
  size_t members = 0;
  for (uint32_t i = 0; i < count; ++i)
    members += items[i].end - items[i].begin;
  stow_member *member = STOW_TAKE(&guess->memory, stow_member, members);
  if (!member)
    return false;
  uint32_t made = 0;
  for (uint32_t i = 0; i < count; ++i) {
    items[i].first_member = made;
    for (uint32_t c = items[i].begin; c < items[i].end; ++c)
      member[made++] = (stow_member){c, i, items[i].size};
    items[i].past_member = made;
  }
  guess->filled.members = member;
  return stow_graph_list_cliques(&guess->filled, made, &guess->memory);
}

static bool fill(struct guess *guess) {
  const uint32_t count = guess->skyline.graph->item_count + guess->hole_count;
  stow_plan_item *items = STOW_TAKE(&guess->memory, stow_plan_item, count);
  if (!items)
    return false;
  list_items(guess, items);
  guess->filled = (stow_plan_graph){.item_count = count,
                                    .clique_count = guess->skyline.graph->clique_count,
                                    .items = items,
                                    .contiguous = true};
  return make_edges(guess, items, count) && make_members(guess, items, count);
}

// Either key comes first in an order, the other decides between equals.
static uint64_t first_key(const stow_plan_item *item, enum order order) {
  const uint64_t length = item->end - item->begin;
  return order == LONGEST ? ~length : order == LATEST ? ~(uint64_t)item->end : item->begin;
}

static uint64_t second_key(const stow_plan_item *item, enum order order) {
  const uint64_t length = item->end - item->begin;
  return order == LONGEST ? ~item->size : order == LATEST ? ~length : item->size;
}

static bool rank(struct guess *guess, enum order order, uint32_t *ranks) {
  const uint32_t count = guess->filled.item_count;
  stow_sort_pair *pairs = STOW_TAKE(&guess->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(&guess->memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    pairs[i] = (stow_sort_pair){second_key(&guess->filled.items[i], order), i};
  stow_sort_pairs(pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    pairs[i].key = first_key(&guess->filled.items[pairs[i].index], order);
  stow_sort_pairs(pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    ranks[pairs[i].index] = i;
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static bool begin_guess(struct guess *guess, const stow_plan_graph *graph, uint64_t capacity,
                        const stow_allocator *allocator) {
  *guess = (struct guess){.max_holes = graph->item_count};
  stow_memory_begin(&guess->memory, allocator);
  if (!stow_skyline_make(&guess->skyline, graph, &guess->memory))
    return false;
  stow_skyline_reset(&guess->skyline, capacity);
  guess->open = STOW_TAKE(&guess->memory, struct hole, guess->max_holes);
  guess->holes = STOW_TAKE(&guess->memory, struct hole, guess->max_holes);
  return guess->open && guess->holes && stow_skyline_clear(&guess->skyline);
}

static bool has_little_slack(const stow_skyline *skyline) {
  const uint32_t count = skyline->graph->clique_count;
  double slack = 0;
  for (uint32_t c = 0; c < count; ++c)
    slack += (double)skyline->slack[c];
  return slack > 0 && slack * STOW_HOLES_LEAST_PART <= (double)skyline->capacity * count;
}

bool stow_holes_suit(const stow_plan_graph *graph, uint64_t capacity,
                     const stow_allocator *allocator) {
  struct guess guess;
  if (graph->item_count < STOW_HOLES_LEAST_ITEMS)
    return false;
  const bool suit =
      begin_guess(&guess, graph, capacity, allocator) && has_little_slack(&guess.skyline);
  stow_memory_end(&guess.memory);
  return suit;
}

// With the memory of the guess.
static stow_verdict search(struct guess *guess, const stow_search_task *task, uint64_t seed,
                           uint64_t *out_offsets, uint64_t *out_effort) {
  const uint32_t count = guess->skyline.graph->item_count;
  guess->random = seed;
  if (!guess_holes(guess) || !fill(guess) || !stow_valleys_suit(&guess->filled))
    return STOW_VERDICT_OPEN;
  uint32_t *ranks = STOW_TAKE(&guess->memory, uint32_t, guess->filled.item_count);
  uint64_t *offsets = STOW_TAKE(&guess->memory, uint64_t, guess->filled.item_count);
  stow_valleys *valleys = stow_valleys_create(&guess->filled, &guess->memory);
  const enum order order = (enum order)(stow_random_next(&guess->random) % ORDERS);
  if (!ranks || !offsets || !valleys || !rank(guess, order, ranks))
    return STOW_VERDICT_OPEN;
  stow_search_task with_holes = *task;
  with_holes.ranks = ranks;
  if (stow_valleys_run(valleys, &with_holes, seed, offsets, out_effort) != STOW_VERDICT_FITS)
    return STOW_VERDICT_OPEN;
  memcpy(out_offsets, offsets, count * sizeof *offsets);
  return STOW_VERDICT_FITS;
}

stow_verdict stow_holes_run(const stow_plan_graph *graph, const stow_search_task *task,
                            uint64_t seed, const stow_allocator *allocator, uint64_t *out_offsets,
                            uint64_t *out_effort) {
  struct guess guess;
  stow_verdict verdict = STOW_VERDICT_OPEN;
  *out_effort = 0;
  if (begin_guess(&guess, graph, task->capacity, allocator))
    verdict = search(&guess, task, seed, out_offsets, out_effort);
  stow_memory_end(&guess.memory);
  *out_effort += 2 * (uint64_t)graph->item_count * graph->item_count;
  return verdict;
}
