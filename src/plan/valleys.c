//===- valleys.c - exact search along a skyline ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all plans within the capacity take the one whose offsets have the least sum. In
// it no item could be moved to a lower place, near or far. The search looks for this
// one, from below: skyline.h.
//
// A *valley* is a run of cliques at one level between two higher *walls*; where
// nothing is left to place is a wall without end. Let a *sitter* be an item inside of
// a valley with nothing unplaced below it: it lies at its floor. An item that crosses
// a wall lies at least at the wall's level, and any other in the valley is a sitter or
// lies on one. So each of these lists is complete:
//
//     left   one item is the leftmost sitter, and what is left of it stays empty up to
//            the left wall or the item's end, whichever is lower; or the valley is
//            *closed*: it stays empty up to the lower wall
//     right  the same from the right
//     cover  for a clique with less slack than closing, or the lowest item in the
//            valley, would waste: one item in it is a sitter
//
// What stays empty needs slack, and must not have room for an item that is unplaced.
// The search branches at the valley and the list with the fewest options; in a tight
// problem that is often one or none. Where dead ends were frequent it branches before.
//
// A dead end has a reason: see skyline.h. A choice that touched none of the reason's
// cliques is taken back without trying its other options, so that a dead end in one
// valley does not repeat all that was done in another. A choice without options left
// hands the reasons of all to the one before, with the valley and its walls.
//
// After a number of dead ends the search begins anew, with another order of trying
// items, and remembers where they were. Two rules for that order take turns: neither
// is better on all problems, and what one does not find the other often does.
//
//===----------------------------------------------------------------------===//

#include "valleys.h"
#include "limits.h"
#include "partial.h"
#include "random.h"
#include "runs.h"

#include <string.h>

// Ranks are shuffled by this part of all.
enum { SHUFFLE = 16 };

struct choice {
  stow_sky_list list;
  uint32_t item;                     // placed now, or none: the valley is closed
  uint32_t touch_begin, touch_end;   // cliques that this changed
  uint64_t key;                      // of the item
  uint32_t floor_count, level_count; // of the trails before
  bool closed;                       // the last option
};

struct stow_valleys {
  stow_skyline skyline;
  const stow_search_task *task;
  stow_sky_runs runs;
  uint64_t *keys; // per item: lower ones are tried first
  bool snug;      // what comes before them: see key_of
  struct choice *choices;
  uint32_t depth, max_depth;
  uint64_t *reasons; // per choice, a set of cliques
  uint64_t random, next_poll;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

bool stow_valleys_suit(const stow_plan_graph *graph) {
  return graph->item_count <= STOW_VALLEYS_MOST_ITEMS && stow_skyline_suits(graph);
}

stow_valleys *stow_valleys_create(const stow_plan_graph *graph, stow_memory *memory) {
  const size_t items = graph->item_count;
  stow_valleys *valleys = STOW_TAKE_ZEROED(memory, stow_valleys, 1);
  if (!valleys || !stow_skyline_make(&valleys->skyline, graph, memory) ||
      !stow_sky_runs_make(&valleys->runs, &valleys->skyline, memory))
    return NULL;
  valleys->max_depth = (uint32_t)(4 * items + 64);
  valleys->keys = STOW_TAKE(memory, uint64_t, items);
  valleys->choices = STOW_TAKE(memory, struct choice, valleys->max_depth);
  valleys->reasons =
      STOW_TAKE(memory, uint64_t, (size_t)valleys->max_depth * valleys->skyline.words);
  return valleys->keys && valleys->choices && valleys->reasons ? valleys : NULL;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

// First who touches both walls, then who touches one. Where *snug* counts, first who leaves nothing
// empty beside it, then the same, then whose top is level with a wall that it touches.
static uint64_t key_of(const stow_valleys *valleys, const struct choice *choice, uint32_t item) {
  const stow_plan_item *it = &valleys->skyline.graph->items[item];
  const stow_sky_list *list = &choice->list;
  const bool at_left = it->begin == list->begin, at_right = it->end == list->end;
  const uint64_t apart = !at_left + !at_right;
  if (!valleys->snug)
    return apart << 48 | valleys->keys[item];
  const bool wastes =
      (list->side == STOW_SKY_LEFT && !at_left) || (list->side == STOW_SKY_RIGHT && !at_right);
  const bool is_level = stow_skyline_is_level(&valleys->skyline, list, item);
  return ((uint64_t)wastes << 3 | apart << 1 | !is_level) << 48 | valleys->keys[item];
}

static uint32_t next_item(stow_valleys *valleys, struct choice *choice) {
  stow_skyline *skyline = &valleys->skyline;
  const uint32_t first = skyline->first_from[choice->list.begin];
  const uint32_t past = skyline->first_from[choice->list.end];
  uint32_t best = STOW_NO_ITEM;
  uint64_t best_key = UINT64_MAX;
  stow_skyline_measure_slack(&valleys->runs, choice->list.begin, choice->list.end);
  for (uint32_t i = first; i < past; ++i) {
    const uint32_t item = skyline->by_begin[i];
    if (skyline->placed[item] || skyline->graph->items[item].end > choice->list.end)
      continue;
    const uint64_t key = key_of(valleys, choice, item);
    if (key <= choice->key || key >= best_key ||
        !stow_skyline_is_on_list(&valleys->runs, &choice->list, item))
      continue;
    best = item;
    best_key = key;
  }
  skyline->effort += past - first;
  choice->key = best_key;
  return best;
}

// Whether an unplaced item would fit into what is to stay empty.
static bool has_room_for_some(stow_valleys *valleys, uint32_t begin, uint32_t end, uint64_t level) {
  stow_skyline *skyline = &valleys->skyline;
  for (uint32_t i = skyline->first_from[begin]; i < skyline->first_from[end]; ++i) {
    const uint32_t item = skyline->by_begin[i];
    if (!skyline->placed[item] && skyline->graph->items[item].end <= end &&
        skyline->heights[item] <= level && skyline->floors[item] <= level - skyline->heights[item])
      return true;
  }
  skyline->effort += skyline->first_from[end] - skyline->first_from[begin];
  return false;
}

enum result { HOLDS, FAILS, IS_NONE };

static void touch(stow_valleys *valleys, struct choice *choice, uint32_t begin, uint32_t end) {
  choice->touch_begin = begin;
  choice->touch_end = end;
  stow_sky_runs_mark(&valleys->runs, begin, end);
}

static enum result try_close(stow_valleys *valleys, struct choice *choice) {
  stow_skyline *skyline = &valleys->skyline;
  const uint64_t level = stow_skyline_lower_wall(skyline, choice->list.begin, choice->list.end);
  choice->closed = true;
  if (choice->list.side == STOW_SKY_COVER ||
      !stow_skyline_may_close(&valleys->runs, choice->list.begin, choice->list.end) ||
      has_room_for_some(valleys, choice->list.begin, choice->list.end, level))
    return IS_NONE;
  touch(valleys, choice, choice->list.begin, choice->list.end);
  return stow_skyline_raise(skyline, choice->list.begin, choice->list.end, level) ? HOLDS : FAILS;
}

// Places the item, and raises what stays empty beside it.
static enum result try_item(stow_valleys *valleys, struct choice *choice) {
  stow_skyline *skyline = &valleys->skyline;
  const stow_plan_item *it = &skyline->graph->items[choice->item];
  const bool is_left = choice->list.side == STOW_SKY_LEFT,
             covers = choice->list.side == STOW_SKY_COVER;
  const uint32_t begin = is_left ? choice->list.begin : it->end;
  const uint32_t end = covers ? begin : is_left ? it->begin : choice->list.end;
  const uint64_t level = stow_skyline_level_beside(skyline, &choice->list, choice->item);
  if (begin < end && has_room_for_some(valleys, begin, end, level))
    return IS_NONE;
  touch(valleys, choice, begin < end && begin < it->begin ? begin : it->begin,
        end > it->end ? end : it->end);
  if (!stow_skyline_place(skyline, choice->item))
    return FAILS;
  return begin >= end || stow_skyline_raise(skyline, begin, end, level) ? HOLDS : FAILS;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static uint64_t *reasons_of(const stow_valleys *valleys, uint32_t depth) {
  return valleys->reasons + (size_t)depth * valleys->skyline.words;
}

// What the topmost choice has now failed for the reason at hand.
static void add_reason(stow_valleys *valleys) {
  uint64_t *set = reasons_of(valleys, valleys->depth - 1);
  for (uint32_t i = 0; i < valleys->skyline.words; ++i)
    set[i] |= valleys->skyline.reason[i];
}

static void take_back(stow_valleys *valleys, const struct choice *choice) {
  stow_skyline_take_back(&valleys->skyline, choice->item, choice->floor_count, choice->level_count);
  stow_sky_runs_mark(&valleys->runs, choice->touch_begin, choice->touch_end);
}

// Tries what is left of the topmost choice. False: nothing.
static bool try_options(stow_valleys *valleys) {
  struct choice *choice = &valleys->choices[valleys->depth - 1];
  while (!choice->closed) {
    choice->item = next_item(valleys, choice);
    const enum result result =
        choice->item == STOW_NO_ITEM ? try_close(valleys, choice) : try_item(valleys, choice);
    if (result == HOLDS)
      return true;
    if (result == IS_NONE)
      continue;
    add_reason(valleys);
    take_back(valleys, choice);
  }
  return false;
}

// The topmost choice has nothing left to try: that, the valley and its walls are the reason now.
static void pop_choice(stow_valleys *valleys) {
  const struct choice *choice = &valleys->choices[--valleys->depth];
  const uint32_t count = valleys->skyline.graph->clique_count;
  uint64_t *reason = valleys->skyline.reason;
  memcpy(reason, reasons_of(valleys, valleys->depth), valleys->skyline.words * sizeof *reason);
  stow_skyline_set_add(reason, choice->list.begin ? choice->list.begin - 1 : 0,
                       choice->list.end < count ? choice->list.end + 1 : count);
}

// From a dead end, whose reason is at hand, to another option of a choice that is at fault. False:
// there is none.
static bool retreat(stow_valleys *valleys) {
  while (valleys->depth) {
    struct choice *choice = &valleys->choices[valleys->depth - 1];
    const bool at_fault =
        stow_skyline_set_touches(valleys->skyline.reason, choice->touch_begin, choice->touch_end);
    if (at_fault)
      add_reason(valleys);
    take_back(valleys, choice);
    if (!at_fault)
      --valleys->depth;
    else if (try_options(valleys))
      return true;
    else
      pop_choice(valleys);
  }
  return false;
}

static bool advance(stow_valleys *valleys) {
  const struct choice choice = {.list = stow_skyline_best_list(&valleys->runs),
                                .item = STOW_NO_ITEM,
                                .floor_count = valleys->skyline.floor_count,
                                .level_count = valleys->skyline.level_count};
  valleys->choices[valleys->depth++] = choice;
  memset(reasons_of(valleys, valleys->depth - 1), 0,
         valleys->skyline.words * sizeof *valleys->reasons);
  if (try_options(valleys))
    return true;
  stow_skyline_fail(&valleys->skyline, choice.list.clique);
  pop_choice(valleys);
  return false;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static bool must_stop(stow_valleys *valleys) {
  const stow_search_task *task = valleys->task;
  const uint64_t effort = valleys->skyline.effort;
  if (effort > task->max_effort ||
      (task->stop && atomic_load_explicit(task->stop, memory_order_relaxed)))
    return true;
  if (!task->poll || effort < valleys->next_poll)
    return false;
  valleys->next_poll = effort + STOW_SEARCH_POLL_INTERVAL;
  return task->poll(task->poll_user, effort);
}

// Without room for another change the search gives up; it is no proof then.
static stow_verdict explore(stow_valleys *valleys, uint64_t max_failures) {
  stow_skyline *skyline = &valleys->skyline;
  const uint64_t end = skyline->failure_count + max_failures;
  while (skyline->unplaced) {
    if (must_stop(valleys) || skyline->failure_count >= end ||
        valleys->depth == valleys->max_depth || !stow_skyline_has_room(skyline))
      return STOW_VERDICT_OPEN;
    if (!advance(valleys) && !retreat(valleys))
      return STOW_VERDICT_IMPOSSIBLE;
  }
  return STOW_VERDICT_FITS;
}

static void set_keys(stow_valleys *valleys, bool shuffled) {
  const uint32_t count = valleys->skyline.graph->item_count;
  const uint64_t reach = shuffled ? count / SHUFFLE + 2 : 1;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t rank = valleys->task->ranks[i] + stow_plan_random_next(&valleys->random) % reach;
    valleys->keys[i] = ((rank + 1) << 16) + i;
  }
}

static stow_verdict search_anew(stow_valleys *valleys, uint64_t max_failures, bool shuffled) {
  valleys->depth = 0;
  set_keys(valleys, shuffled);
  if (!stow_skyline_clear(&valleys->skyline))
    return STOW_VERDICT_IMPOSSIBLE;
  stow_sky_runs_mark(&valleys->runs, 0, valleys->skyline.graph->clique_count);
  return explore(valleys, max_failures);
}

stow_verdict stow_valleys_run(stow_valleys *valleys, const stow_search_task *task, uint64_t seed,
                              uint64_t *out_offsets, uint64_t *out_effort) {
  const stow_skyline *skyline = &valleys->skyline;
  valleys->task = task;
  valleys->random = seed;
  valleys->next_poll = 0;
  stow_skyline_reset(&valleys->skyline, task->capacity);
  uint64_t failures = STOW_VALLEYS_FIRST_FAILURES;
  valleys->snug = true;
  stow_verdict verdict = search_anew(valleys, failures, false);
  while (verdict == STOW_VERDICT_OPEN && !must_stop(valleys)) {
    failures += failures / STOW_VALLEYS_FAILURE_GROWTH;
    valleys->snug = !valleys->snug;
    verdict = search_anew(valleys, failures, true);
  }
  for (uint32_t i = 0; i < skyline->graph->item_count && verdict == STOW_VERDICT_FITS; ++i)
    out_offsets[i] = skyline->floors[i] * skyline->unit;
  *out_effort = skyline->effort;
  return verdict;
}
