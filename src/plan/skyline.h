//===- skyline.h - a plan that grows upwards ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the search in valleys.c: what lies already, per clique the *level* of
// the topmost item in it, and its *slack*, which is how much of the capacity may stay
// empty there. Placing and raising may fail, and then say why: a set of cliques such
// that what was done in them alone is the *reason*. Both are taken back in the
// opposite order.
//
// Everything is counted in the unit that divides all sizes, rounded up to the least
// alignment, and all alignments.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SKYLINE_H
#define STOWAGE_PLAN_SKYLINE_H

#include "graph.h"

typedef struct stow_skyline {
  const stow_plan_graph *graph;
  uint64_t unit, least_alignment, capacity;
  uint64_t *heights, *alignments, *tops; // per item; tops: the highest offset it may have
  uint64_t *floors;                      // per item: lowest offset, or its own once placed
  unsigned char *placed;
  uint32_t *by_begin;   // items by first clique
  uint32_t *first_from; // per clique and one more: first of by_begin that begins there or later
  uint64_t *loads, *levels, *slack; // per clique
  uint32_t *left, *witness;         // per clique: unplaced items; one with the least floor
  uint32_t *failures;               // per clique: how often it was where a dead end showed
  uint64_t failure_count;
  uint32_t unplaced;
  uint64_t *reason; // of the last failure
  uint32_t words;   // of a set of cliques
  struct stow_sky_floor *floor_trail;
  struct stow_sky_level *level_trail;
  uint32_t floor_count, max_floors, level_count, max_levels;
  uint64_t effort;
} stow_skyline;

// Whether this state can hold the graph: each item one range of cliques, free, and with all its
// height in each of them.
bool stow_skyline_suits(const stow_plan_graph *graph);

// Takes all memory it will ever need. False: there is too little, or a size is too large.
bool stow_skyline_make(stow_skyline *skyline, const stow_plan_graph *graph, stow_memory *memory);

// Nothing is placed, no failure counted. `capacity` is at least the size of every item.
void stow_skyline_reset(stow_skyline *skyline, uint64_t capacity);

// Takes everything back. False where a clique's load exceeds the capacity.
bool stow_skyline_clear(stow_skyline *skyline);

// Places the item at its floor. On false there is a reason; the change is to be taken back all the
// same, as that of stow_skyline_raise.
bool stow_skyline_place(stow_skyline *skyline, uint32_t item);

// Raises the level of cliques [begin, end), which have the slack for it.
bool stow_skyline_raise(stow_skyline *skyline, uint32_t begin, uint32_t end, uint64_t level);

// Takes back the item, unless it is STOW_NO_ITEM, and all changes since the trails had these
// lengths.
void stow_skyline_take_back(stow_skyline *skyline, uint32_t item, uint32_t floor_count,
                            uint32_t level_count);

// Whether another change has room on the trails.
bool stow_skyline_has_room(const stow_skyline *skyline);

// Notes a dead end at a clique, with an empty reason.
void stow_skyline_fail(stow_skyline *skyline, uint32_t clique);

// Sets of cliques.
void stow_skyline_set_add(uint64_t *set, uint32_t begin, uint32_t end);
bool stow_skyline_set_touches(const uint64_t *set, uint32_t begin, uint32_t end);

#endif // STOWAGE_PLAN_SKYLINE_H
