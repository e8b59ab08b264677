//===- runs.c - the valleys of a skyline, and what may be done in each ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runs.h"

#include <string.h>

#define NO_RUN UINT32_MAX

bool stow_sky_runs_make(stow_sky_runs *runs, stow_skyline *skyline, stow_memory *memory) {
  const size_t cliques = skyline->graph->clique_count;
  runs->skyline = skyline;
  runs->runs = STOW_TAKE(memory, stow_sky_run, cliques);
  runs->run_of = STOW_TAKE(memory, uint32_t, cliques);
  runs->counts = STOW_TAKE(memory, uint32_t, cliques + 1);
  runs->left_slack = STOW_TAKE(memory, uint64_t, cliques);
  runs->right_slack = STOW_TAKE(memory, uint64_t, cliques);
  return runs->runs && runs->run_of && runs->counts && runs->left_slack && runs->right_slack;
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

uint64_t stow_skyline_lower_wall(const stow_skyline *skyline, uint32_t begin, uint32_t end) {
  const uint64_t left = left_wall(skyline, begin), right = right_wall(skyline, end);
  return left < right ? left : right;
}

// The slack on the way from either end of a valley to each of its cliques, that one left out.
void stow_skyline_measure_slack(stow_sky_runs *runs, uint32_t begin, uint32_t end) {
  const uint64_t *slack = runs->skyline->slack;
  uint64_t least = UINT64_MAX;
  for (uint32_t c = begin; c < end; ++c) {
    runs->left_slack[c] = least;
    least = slack[c] < least ? slack[c] : least;
  }
  least = UINT64_MAX;
  for (uint32_t c = end; c-- > begin;) {
    runs->right_slack[c] = least;
    least = slack[c] < least ? slack[c] : least;
  }
  runs->skyline->effort += end - begin;
}

bool stow_skyline_may_close(const stow_sky_runs *runs, uint32_t begin, uint32_t end) {
  const stow_skyline *skyline = runs->skyline;
  const uint64_t rise = stow_skyline_lower_wall(skyline, begin, end) - skyline->levels[begin];
  return rise <= runs->right_slack[begin] && rise <= skyline->slack[begin];
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

uint64_t stow_skyline_level_beside(const stow_skyline *skyline, const stow_sky_list *list,
                                   uint32_t item) {
  return level_beside(skyline, item,
                      list->side == STOW_SKY_LEFT ? left_wall(skyline, list->begin)
                                                  : right_wall(skyline, list->end));
}

bool stow_skyline_is_level(const stow_skyline *skyline, const stow_sky_list *list, uint32_t item) {
  const stow_plan_item *it = &skyline->graph->items[item];
  const uint64_t top = skyline->floors[item] + skyline->heights[item];
  return (it->begin == list->begin && top == left_wall(skyline, list->begin)) ||
         (it->end == list->end && top == right_wall(skyline, list->end));
}

static bool may_be_leftmost(const stow_sky_runs *runs, uint32_t item, uint64_t wall) {
  const stow_skyline *skyline = runs->skyline;
  const uint32_t first = skyline->graph->items[item].begin;
  return level_beside(skyline, item, wall) - skyline->levels[first] <= runs->left_slack[first];
}

static bool may_be_rightmost(const stow_sky_runs *runs, uint32_t item, uint64_t wall) {
  const stow_skyline *skyline = runs->skyline;
  const uint32_t last = skyline->graph->items[item].end - 1;
  return level_beside(skyline, item, wall) - skyline->levels[last] <= runs->right_slack[last];
}

bool stow_skyline_is_on_list(const stow_sky_runs *runs, const stow_sky_list *list, uint32_t item) {
  const stow_skyline *skyline = runs->skyline;
  const stow_plan_item *it = &skyline->graph->items[item];
  if (it->end > list->end || !is_option(skyline, item))
    return false;
  if (list->side == STOW_SKY_LEFT)
    return may_be_leftmost(runs, item, left_wall(skyline, list->begin));
  if (list->side == STOW_SKY_RIGHT)
    return may_be_rightmost(runs, item, right_wall(skyline, list->end));
  return it->begin <= list->clique && it->end > list->clique;
}

//===----------------------------------------------------------------------===//
// Where to branch
//===----------------------------------------------------------------------===//

static void offer(stow_sky_run *run, stow_sky_side side, uint32_t clique, uint32_t options) {
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

static struct tally count_options(stow_sky_runs *runs, uint32_t begin, uint32_t end) {
  stow_skyline *skyline = runs->skyline;
  const stow_plan_graph *graph = skyline->graph;
  const uint64_t left = left_wall(skyline, begin), right = right_wall(skyline, end);
  struct tally tally = {.lowest = UINT64_MAX};
  memset(runs->counts + begin, 0, (end - begin + 1) * sizeof *runs->counts);
  for (uint32_t i = skyline->first_from[begin]; i < skyline->first_from[end]; ++i) {
    const uint32_t item = skyline->by_begin[i];
    const stow_plan_item *it = &graph->items[item];
    if (it->end > end || !is_option(skyline, item))
      continue;
    ++runs->counts[it->begin];
    --runs->counts[it->end];
    tally.left += may_be_leftmost(runs, item, left);
    tally.right += may_be_rightmost(runs, item, right);
    if (skyline->heights[item] < tally.lowest)
      tally.lowest = skyline->heights[item];
  }
  skyline->effort += 2 * (skyline->first_from[end] - skyline->first_from[begin]);
  return tally;
}

static void look_into_valley(stow_sky_runs *runs, uint32_t begin, stow_sky_run *run) {
  const stow_skyline *skyline = runs->skyline;
  stow_skyline_measure_slack(runs, begin, run->end);
  const struct tally tally = count_options(runs, begin, run->end);
  const bool closes = stow_skyline_may_close(runs, begin, run->end);
  const uint64_t rise = stow_skyline_lower_wall(skyline, begin, run->end) - skyline->levels[begin];
  const uint64_t waste = rise < tally.lowest ? rise : tally.lowest;
  run->options = run->failures = UINT32_MAX;
  offer(run, STOW_SKY_LEFT, begin, tally.left + closes);
  offer(run, STOW_SKY_RIGHT, run->end - 1, tally.right + closes);
  uint32_t options = 0;
  for (uint32_t c = begin; c < run->end; ++c) {
    options += runs->counts[c];
    if (skyline->slack[c] < waste)
      offer(run, STOW_SKY_COVER, c, options);
  }
}

static void make_runs(stow_sky_runs *runs, uint32_t begin, uint32_t end) {
  stow_skyline *skyline = runs->skyline;
  skyline->effort += 2 * (end - begin);
  for (uint32_t first = begin; first < end;) {
    const uint64_t level = wall_at(skyline, first);
    uint32_t past = first;
    for (; past < end && wall_at(skyline, past) == level; ++past)
      runs->run_of[past] = first;
    runs->runs[first].end = past;
    first = past;
  }
  for (uint32_t first = begin; first < end; first = runs->runs[first].end) {
    stow_sky_run *run = &runs->runs[first];
    run->is_valley = wall_at(skyline, first) < stow_skyline_lower_wall(skyline, first, run->end);
    if (run->is_valley)
      look_into_valley(runs, first, run);
  }
}

void stow_sky_runs_mark(stow_sky_runs *runs, uint32_t begin, uint32_t end) {
  runs->dirty_begin = begin < runs->dirty_begin ? begin : runs->dirty_begin;
  runs->dirty_end = end > runs->dirty_end ? end : runs->dirty_end;
}

// Looks again at what changed, and at the runs beside it.
static void refresh_runs(stow_sky_runs *runs) {
  const uint32_t count = runs->skyline->graph->clique_count;
  uint32_t begin = runs->dirty_begin, end = runs->dirty_end;
  if (begin >= end)
    return;
  if (begin)
    begin = runs->run_of[begin - 1];
  if (end < count)
    end = runs->runs[runs->run_of[end]].end;
  make_runs(runs, begin, end);
  runs->dirty_begin = UINT32_MAX;
  runs->dirty_end = 0;
}

// The more dead ends and the fewer options, the better. Worked out again where there were more dead
// ends since.
static uint64_t score_of(const stow_sky_runs *runs, stow_sky_run *run) {
  const uint32_t failures = runs->skyline->failures[run->clique];
  if (run->failures == failures)
    return run->score;
  const uint64_t options = run->options;
  run->failures = failures;
  run->score = ((uint64_t)(failures + 1) << 20) / (16 * options * options + 1);
  return run->score;
}

stow_sky_list stow_skyline_best_list(stow_sky_runs *runs) {
  const uint32_t count = runs->skyline->graph->clique_count;
  uint32_t best = NO_RUN;
  uint64_t best_score = 0;
  refresh_runs(runs);
  for (uint32_t first = 0; first < count; first = runs->runs[first].end) {
    stow_sky_run *run = &runs->runs[first];
    const uint64_t score = run->is_valley ? score_of(runs, run) : 0;
    if (!run->is_valley || (best != NO_RUN && score <= best_score))
      continue;
    best = first;
    best_score = score;
  }
  const stow_sky_run *run = &runs->runs[best];
  return (stow_sky_list){run->side, run->clique, best, run->end};
}
