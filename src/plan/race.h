//===- race.h - the lowest offset that many lists of ranges leave free ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each list in turn moves the candidate offset past the range it collides with, until
// all have agreed on one. The candidate only rises, so a list is gone through once.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_RACE_H
#define STOWAGE_PLAN_RACE_H

#include "model.h"
#include "ranges.h"

// A list of ranges that takes part in a query, for the span [low, high) of the block. The block can
// be anywhere between the candidate and `limit`, exclusive, as far as this list is concerned.
typedef struct stow_runner {
  uint64_t limit;
  uint64_t low, high;
  const stow_range *ranges;
  uint32_t count, next;   // ranges before `next` end at or below the candidate
  stow_plan_ranges *list; // NULL where the ranges are scratch
} stow_runner;

typedef struct stow_race {
  stow_memory *memory;
  stow_runner *runners;
  uint32_t count, capacity;
  uint64_t effort;
} stow_race;

bool stow_race_grow(stow_race *race);

static inline bool stow_race_push(stow_race *race, stow_runner runner) {
  if (race->count == race->capacity && !stow_race_grow(race))
    return false;
  race->runners[race->count++] = runner;
  return true;
}

// Lets a list take part, for a span of the block. False: no memory.
static inline bool stow_race_enter(stow_race *race, stow_plan_ranges *list,
                                   const stow_plan_span *span) {
  return !list->count || stow_race_push(race, (stow_runner){0, span->low, span->high, list->at,
                                                            list->count, 0, list});
}

// The same for sorted ranges that may still move: the index of the first is remembered until
// stow_race_settle tells where they are.
static inline bool stow_race_enter_later(stow_race *race, uint32_t first, uint32_t count,
                                         const stow_plan_span *span) {
  return !count ||
         stow_race_push(race, (stow_runner){0, span->low, span->high, NULL, count, first, NULL});
}

void stow_race_settle(stow_race *race, const stow_range *ranges);

// Raises the offset to the lowest at which the block meets nobody's ranges. STOW_OVERFLOW where it
// would end past 64 bits.
stow_status stow_race_run(stow_race *race, const stow_plan_block *block, uint64_t *inout_offset);

// By how much more the block could be raised without meeting any; UINT64_MAX: by all.
uint64_t stow_race_room(const stow_race *race, uint64_t offset);

#endif // STOWAGE_PLAN_RACE_H
