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
// items, and remembers where they were.
//
//===----------------------------------------------------------------------===//

#include "valleys.h"
#include "limits.h"
#include "partial.h"
#include "random.h"
#include "skyline.h"

#include <string.h>

#define NO_RUN UINT32_MAX

// Ranks are shuffled by this part of all.
enum { SHUFFLE = 16 };

enum side { LEFT, RIGHT, COVER };

struct choice {
  enum side side;
  uint32_t clique;                   // to be covered
  uint32_t begin, end;               // the valley
  uint32_t item;                     // placed now, or none: the valley is closed
  uint32_t touch_begin, touch_end;   // cliques that this changed
  uint64_t key;                      // of the item
  uint32_t floor_count, level_count; // of the trails before
  bool closed;                       // the last option
};

// A run of cliques at one level, by its first clique. What is known of it holds until it or a wall
// of it changes.
struct run {
  uint32_t end;
  bool is_valley;
  enum side side; // the best list of options
  uint32_t clique;
  uint32_t options;
};

struct stow_valleys {
  stow_skyline skyline;
  const stow_search_task *task;
  struct run *runs;                // per clique
  uint32_t *run_of;                // per clique: its run's first clique
  uint32_t dirty_begin, dirty_end; // cliques that changed since runs were looked at
  uint32_t *counts;                // per clique and one more: options that cover it, as differences
  uint64_t *left_slack, *right_slack; // per clique: the least from there to the valley's end
  uint64_t *keys;                     // per item: lower ones are tried first
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
  const size_t items = graph->item_count, cliques = graph->clique_count;
  stow_valleys *valleys = STOW_TAKE_ZEROED(memory, stow_valleys, 1);
  if (!valleys || !stow_skyline_make(&valleys->skyline, graph, memory))
    return NULL;
  valleys->max_depth = (uint32_t)(4 * items + 64);
  valleys->runs = STOW_TAKE(memory, struct run, cliques);
  valleys->run_of = STOW_TAKE(memory, uint32_t, cliques);
  valleys->counts = STOW_TAKE(memory, uint32_t, cliques + 1);
  valleys->left_slack = STOW_TAKE(memory, uint64_t, cliques);
  valleys->right_slack = STOW_TAKE(memory, uint64_t, cliques);
  valleys->keys = STOW_TAKE(memory, uint64_t, items);
  valleys->choices = STOW_TAKE(memory, struct choice, valleys->max_depth);
  valleys->reasons =
      STOW_TAKE(memory, uint64_t, (size_t)valleys->max_depth * valleys->skyline.words);
  const bool made = valleys->runs && valleys->run_of && valleys->counts && valleys->left_slack &&
                    valleys->right_slack && valleys->keys && valleys->choices && valleys->reasons;
  return made ? valleys : NULL;
}

//===----------------------------------------------------------------------===//
// Valleys
//===----------------------------------------------------------------------===//

static uint64_t wall_at(const stow_skyline *skyline, uint32_t clique) {
  return skyline->left[clique] ? skyline->levels[clique] : UINT64_MAX;
}

static uint64_t left_wall(const stow_skyline *skyline, uint32_t begin) {
  return begin ? wall_at(skyline, begin - 1) : UINT64_MAX;
}

static uint64_t right_wall(const stow_skyline *skyline, uint32_t end) {
  return end < skyline->graph->clique_count ? wall_at(skyline, end) : UINT64_MAX;
}

static uint64_t lower_wall(const stow_skyline *skyline, uint32_t begin, uint32_t end) {
  const uint64_t left = left_wall(skyline, begin), right = right_wall(skyline, end);
  return left < right ? left : right;
}

// The slack on the way from either end of a valley to each of its cliques, that one left out.
static void measure_slack(stow_valleys *valleys, uint32_t begin, uint32_t end) {
  const uint64_t *slack = valleys->skyline.slack;
  uint64_t least = UINT64_MAX;
  for (uint32_t c = begin; c < end; ++c) {
    valleys->left_slack[c] = least;
    least = slack[c] < least ? slack[c] : least;
  }
  least = UINT64_MAX;
  for (uint32_t c = end; c-- > begin;) {
    valleys->right_slack[c] = least;
    least = slack[c] < least ? slack[c] : least;
  }
  valleys->skyline.effort += end - begin;
}

static bool may_close(const stow_valleys *valleys, uint32_t begin, uint32_t end) {
  const stow_skyline *skyline = &valleys->skyline;
  const uint64_t rise = lower_wall(skyline, begin, end) - skyline->levels[begin];
  return rise <= valleys->right_slack[begin] && rise <= skyline->slack[begin];
}

// Of items that are alike only the first may be next.
static bool is_option(const stow_skyline *skyline, uint32_t item) {
  const uint32_t twin = skyline->graph->items[item].twin;
  return !skyline->placed[item] && (twin == item || skyline->placed[twin]);
}

// The level up to which it stays empty beside a sitter.
static uint64_t level_beside(const stow_skyline *skyline, uint32_t item, uint64_t wall) {
  const uint64_t top = skyline->floors[item] + skyline->heights[item];
  return top < wall ? top : wall;
}

static bool may_be_leftmost(const stow_valleys *valleys, uint32_t item, uint64_t wall) {
  const stow_skyline *skyline = &valleys->skyline;
  const uint32_t first = skyline->graph->items[item].begin;
  return level_beside(skyline, item, wall) - skyline->levels[first] <= valleys->left_slack[first];
}

static bool may_be_rightmost(const stow_valleys *valleys, uint32_t item, uint64_t wall) {
  const stow_skyline *skyline = &valleys->skyline;
  const uint32_t last = skyline->graph->items[item].end - 1;
  return level_beside(skyline, item, wall) - skyline->levels[last] <= valleys->right_slack[last];
}

//===----------------------------------------------------------------------===//
// Where to branch
//===----------------------------------------------------------------------===//

static void offer(struct run *run, enum side side, uint32_t clique, uint32_t options) {
  if (options >= run->options)
    return;
  run->side = side;
  run->clique = clique;
  run->options = options;
}

struct tally {
  uint32_t left, right; // options of either list
  uint64_t lowest;      // least height of an item inside
};

static struct tally count_options(stow_valleys *valleys, uint32_t begin, uint32_t end) {
  stow_skyline *skyline = &valleys->skyline;
  const stow_plan_graph *graph = skyline->graph;
  const uint64_t left = left_wall(skyline, begin), right = right_wall(skyline, end);
  struct tally tally = {.lowest = UINT64_MAX};
  memset(valleys->counts + begin, 0, (end - begin + 1) * sizeof *valleys->counts);
  for (uint32_t i = skyline->first_from[begin]; i < skyline->first_from[end]; ++i) {
    const uint32_t item = skyline->by_begin[i];
    const stow_plan_item *it = &graph->items[item];
    if (it->end > end || !is_option(skyline, item))
      continue;
    ++valleys->counts[it->begin];
    --valleys->counts[it->end];
    tally.left += may_be_leftmost(valleys, item, left);
    tally.right += may_be_rightmost(valleys, item, right);
    if (skyline->heights[item] < tally.lowest)
      tally.lowest = skyline->heights[item];
  }
  skyline->effort += 2 * (skyline->first_from[end] - skyline->first_from[begin]);
  return tally;
}

static void look_into_valley(stow_valleys *valleys, uint32_t begin, struct run *run) {
  const stow_skyline *skyline = &valleys->skyline;
  measure_slack(valleys, begin, run->end);
  const struct tally tally = count_options(valleys, begin, run->end);
  const bool closes = may_close(valleys, begin, run->end);
  const uint64_t rise = lower_wall(skyline, begin, run->end) - skyline->levels[begin];
  const uint64_t waste = rise < tally.lowest ? rise : tally.lowest;
  run->options = UINT32_MAX;
  offer(run, LEFT, begin, tally.left + closes);
  offer(run, RIGHT, run->end - 1, tally.right + closes);
  uint32_t options = 0;
  for (uint32_t c = begin; c < run->end; ++c) {
    options += valleys->counts[c];
    if (skyline->slack[c] < waste)
      offer(run, COVER, c, options);
  }
}

static void make_runs(stow_valleys *valleys, uint32_t begin, uint32_t end) {
  stow_skyline *skyline = &valleys->skyline;
  skyline->effort += 2 * (end - begin);
  for (uint32_t first = begin; first < end;) {
    const uint64_t level = wall_at(skyline, first);
    uint32_t past = first;
    for (; past < end && wall_at(skyline, past) == level; ++past)
      valleys->run_of[past] = first;
    valleys->runs[first].end = past;
    first = past;
  }
  for (uint32_t first = begin; first < end; first = valleys->runs[first].end) {
    struct run *run = &valleys->runs[first];
    run->is_valley = wall_at(skyline, first) < lower_wall(skyline, first, run->end);
    if (run->is_valley)
      look_into_valley(valleys, first, run);
  }
}

static void mark_dirty(stow_valleys *valleys, uint32_t begin, uint32_t end) {
  valleys->dirty_begin = begin < valleys->dirty_begin ? begin : valleys->dirty_begin;
  valleys->dirty_end = end > valleys->dirty_end ? end : valleys->dirty_end;
}

// Looks again at what changed, and at the runs beside it.
static void refresh_runs(stow_valleys *valleys) {
  const uint32_t count = valleys->skyline.graph->clique_count;
  uint32_t begin = valleys->dirty_begin, end = valleys->dirty_end;
  if (begin >= end)
    return;
  if (begin)
    begin = valleys->run_of[begin - 1];
  if (end < count)
    end = valleys->runs[valleys->run_of[end]].end;
  make_runs(valleys, begin, end);
  valleys->dirty_begin = UINT32_MAX;
  valleys->dirty_end = 0;
}

// The more dead ends and the fewer options, the better.
static uint64_t score_of(const stow_valleys *valleys, const struct run *run) {
  const uint64_t options = run->options;
  return ((uint64_t)(valleys->skyline.failures[run->clique] + 1) << 20) /
         (16 * options * options + 1);
}

static struct choice best_choice(stow_valleys *valleys) {
  const stow_skyline *skyline = &valleys->skyline;
  const uint32_t count = skyline->graph->clique_count;
  uint32_t best = NO_RUN;
  uint64_t best_score = 0;
  refresh_runs(valleys);
  for (uint32_t first = 0; first < count; first = valleys->runs[first].end) {
    const struct run *run = &valleys->runs[first];
    const uint64_t score = run->is_valley ? score_of(valleys, run) : 0;
    if (!run->is_valley || (best != NO_RUN && score <= best_score))
      continue;
    best = first;
    best_score = score;
  }
  const struct run *run = &valleys->runs[best];
  return (struct choice){.side = run->side,
                         .clique = run->clique,
                         .begin = best,
                         .end = run->end,
                         .item = STOW_NO_ITEM,
                         .floor_count = skyline->floor_count,
                         .level_count = skyline->level_count};
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool is_on_list(const stow_valleys *valleys, const struct choice *choice, uint32_t item) {
  const stow_skyline *skyline = &valleys->skyline;
  const stow_plan_item *it = &skyline->graph->items[item];
  if (it->end > choice->end || !is_option(skyline, item))
    return false;
  if (choice->side == LEFT)
    return may_be_leftmost(valleys, item, left_wall(skyline, choice->begin));
  if (choice->side == RIGHT)
    return may_be_rightmost(valleys, item, right_wall(skyline, choice->end));
  return it->begin <= choice->clique && it->end > choice->clique;
}

// First who touches both walls, then who touches one.
static uint64_t key_of(const stow_valleys *valleys, const struct choice *choice, uint32_t item) {
  const stow_plan_item *it = &valleys->skyline.graph->items[item];
  const uint64_t apart = (it->begin != choice->begin) + (it->end != choice->end);
  return apart << 48 | valleys->keys[item];
}

static uint32_t next_item(stow_valleys *valleys, struct choice *choice) {
  stow_skyline *skyline = &valleys->skyline;
  const uint32_t first = skyline->first_from[choice->begin];
  const uint32_t past = skyline->first_from[choice->end];
  uint32_t best = STOW_NO_ITEM;
  uint64_t best_key = UINT64_MAX;
  measure_slack(valleys, choice->begin, choice->end);
  for (uint32_t i = first; i < past; ++i) {
    const uint32_t item = skyline->by_begin[i];
    const uint64_t key = key_of(valleys, choice, item);
    if (key <= choice->key || key >= best_key || !is_on_list(valleys, choice, item))
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
  mark_dirty(valleys, begin, end);
}

static enum result try_close(stow_valleys *valleys, struct choice *choice) {
  stow_skyline *skyline = &valleys->skyline;
  const uint64_t level = lower_wall(skyline, choice->begin, choice->end);
  choice->closed = true;
  if (choice->side == COVER || !may_close(valleys, choice->begin, choice->end) ||
      has_room_for_some(valleys, choice->begin, choice->end, level))
    return IS_NONE;
  touch(valleys, choice, choice->begin, choice->end);
  return stow_skyline_raise(skyline, choice->begin, choice->end, level) ? HOLDS : FAILS;
}

// Places the item, and raises what stays empty beside it.
static enum result try_item(stow_valleys *valleys, struct choice *choice) {
  stow_skyline *skyline = &valleys->skyline;
  const stow_plan_item *it = &skyline->graph->items[choice->item];
  const bool is_left = choice->side == LEFT, covers = choice->side == COVER;
  const uint32_t begin = is_left ? choice->begin : it->end;
  const uint32_t end = covers ? begin : is_left ? it->begin : choice->end;
  const uint64_t wall =
      is_left ? left_wall(skyline, choice->begin) : right_wall(skyline, choice->end);
  const uint64_t level = level_beside(skyline, choice->item, wall);
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
  mark_dirty(valleys, choice->touch_begin, choice->touch_end);
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
  stow_set_add(reason, choice->begin ? choice->begin - 1 : 0,
               choice->end < count ? choice->end + 1 : count);
}

// From a dead end, whose reason is at hand, to another option of a choice that is at fault. False:
// there is none.
static bool retreat(stow_valleys *valleys) {
  while (valleys->depth) {
    struct choice *choice = &valleys->choices[valleys->depth - 1];
    const bool at_fault =
        stow_set_touches(valleys->skyline.reason, choice->touch_begin, choice->touch_end);
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
  const struct choice choice = best_choice(valleys);
  valleys->choices[valleys->depth++] = choice;
  memset(reasons_of(valleys, valleys->depth - 1), 0,
         valleys->skyline.words * sizeof *valleys->reasons);
  if (try_options(valleys))
    return true;
  stow_skyline_fail(&valleys->skyline, choice.clique);
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
    const uint64_t rank = valleys->task->ranks[i] + stow_random_next(&valleys->random) % reach;
    valleys->keys[i] = ((rank + 1) << 16) + i;
  }
}

static stow_verdict search_anew(stow_valleys *valleys, uint64_t max_failures, bool shuffled) {
  valleys->depth = 0;
  set_keys(valleys, shuffled);
  if (!stow_skyline_clear(&valleys->skyline))
    return STOW_VERDICT_IMPOSSIBLE;
  valleys->dirty_begin = 0;
  valleys->dirty_end = valleys->skyline.graph->clique_count;
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
  stow_verdict verdict = search_anew(valleys, failures, false);
  while (verdict == STOW_VERDICT_OPEN && !must_stop(valleys)) {
    failures += failures / STOW_VALLEYS_FAILURE_GROWTH;
    verdict = search_anew(valleys, failures, true);
  }
  for (uint32_t i = 0; i < skyline->graph->item_count && verdict == STOW_VERDICT_FITS; ++i)
    out_offsets[i] = skyline->floors[i] * skyline->unit;
  *out_effort = skyline->effort;
  return verdict;
}
