//===- runs.h - the valleys of a skyline, and what may be done in each ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cliques of a skyline are cut into *runs* at one level; those between two higher
// walls are valleys. Each valley has three complete lists of what may be done next:
// valleys.c defines them and branches over the shortest, which is found here.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_RUNS_H
#define STOWAGE_PLAN_RUNS_H

#include "skyline.h"

typedef enum stow_sky_side { STOW_SKY_LEFT, STOW_SKY_RIGHT, STOW_SKY_COVER } stow_sky_side;

// Of what may be done in a valley.
typedef struct stow_sky_list {
  stow_sky_side side;
  uint32_t clique;     // to be covered
  uint32_t begin, end; // the valley
} stow_sky_list;

// By its first clique. What is known of it holds until it or a wall of it changes.
typedef struct stow_sky_run {
  uint32_t end;
  bool is_valley;
  stow_sky_side side; // the best list of options
  uint32_t clique;
  uint32_t options;
  uint32_t failures; // of the clique, when the score was worked out
  uint64_t score;
} stow_sky_run;

typedef struct stow_sky_runs {
  stow_skyline *skyline;
  stow_sky_run *runs;              // per clique
  uint32_t *run_of;                // per clique: its run's first clique
  uint32_t dirty_begin, dirty_end; // cliques that changed since runs were looked at
  uint32_t *counts;                // per clique and one more: options that cover it, as differences
  uint64_t *left_slack, *right_slack; // per clique: the least from there to the valley's end
} stow_sky_runs;

// Takes all memory it will ever need. False: there is too little.
bool stow_sky_runs_make(stow_sky_runs *runs, stow_skyline *skyline, stow_memory *memory);

// Cliques [begin, end) have changed.
void stow_sky_runs_mark(stow_sky_runs *runs, uint32_t begin, uint32_t end);

// The list to branch over: few options, and many dead ends met there. Some item is unplaced.
stow_sky_list stow_skyline_best_list(stow_sky_runs *runs);

// Whether the item is on the list, and whether the valley may be closed. They need the slack of the
// valley: measured before.
void stow_skyline_measure_slack(stow_sky_runs *runs, uint32_t begin, uint32_t end);
bool stow_skyline_is_on_list(const stow_sky_runs *runs, const stow_sky_list *list, uint32_t item);
bool stow_skyline_may_close(const stow_sky_runs *runs, uint32_t begin, uint32_t end);

// The level up to which a valley stays empty where it is closed, and where it is empty from the
// side of the list up to an item.
uint64_t stow_skyline_lower_wall(const stow_skyline *skyline, uint32_t begin, uint32_t end);
uint64_t stow_skyline_level_beside(const stow_skyline *skyline, const stow_sky_list *list,
                                   uint32_t item);

// Whether the item's top would meet a wall of the valley that it touches.
bool stow_skyline_is_level(const stow_skyline *skyline, const stow_sky_list *list, uint32_t item);

#endif // STOWAGE_PLAN_RUNS_H
