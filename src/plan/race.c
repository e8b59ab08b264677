//===- race.c - the lowest offset that many lists of ranges leave free ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some dozen runners stand in a row. When there are very many, they are a heap by the
// offset at which each objects.
//
//===----------------------------------------------------------------------===//

#include "race.h"
#include "limits.h"

//===----------------------------------------------------------------------===//
// Entering
//===----------------------------------------------------------------------===//

bool stow_race_grow(stow_race *race) {
  stow_runner *grown = stow_memory_grow(race->memory, race->runners, race->count, &race->capacity,
                                        sizeof *race->runners);
  if (!grown)
    return false;
  race->runners = grown;
  return true;
}

void stow_race_settle(stow_race *race, const stow_range *ranges) {
  for (uint32_t i = 0; i < race->count; ++i) {
    stow_runner *runner = &race->runners[i];
    if (runner->ranges)
      continue;
    runner->ranges = ranges + runner->next;
    runner->next = 0;
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

// Brings a runner up to the candidate and moves the candidate past the ranges in the way.
static stow_status run(stow_runner *runner, const stow_plan_block *block, uint64_t *inout_offset,
                       uint64_t *inout_steps) {
  uint64_t offset = *inout_offset, past;
  const stow_range *ranges = runner->ranges;
  uint32_t next = stow_ranges_find(ranges, runner->count, runner->next, offset + runner->low + 1);
  while (next < runner->count && ranges[next].begin < offset + runner->high) {
    const uint32_t behind =
        runner->list ? stow_ranges_skip(runner->list, next, runner->high - runner->low) : next;
    const uint32_t last = behind > next ? behind - 1 : next;
    if (!stow_plan_align_up(ranges[last].end - runner->low, block->alignment, &offset) ||
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
static stow_status race_in_row(stow_race *race, const stow_plan_block *block,
                               uint64_t *inout_candidate, uint64_t *inout_steps) {
  stow_runner *const runners = race->runners;
  const uint32_t count = race->count;
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
    const stow_runner moved = runners[at];
    runners[at] = runners[at / 2];
    runners[at / 2] = moved;
    at = 0;
    *inout_steps += 8;
  }
  *inout_candidate = candidate;
  return STOW_OK;
}

static void sift(stow_runner *heap, uint32_t count) {
  const stow_runner moved = heap[0];
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
static stow_status race_in_heap(stow_race *race, const stow_plan_block *block,
                                uint64_t *inout_candidate, uint64_t *inout_steps) {
  stow_runner *runners = race->runners;
  while (runners[0].limit <= *inout_candidate) {
    if (run(&runners[0], block, inout_candidate, inout_steps) != STOW_OK)
      return STOW_OVERFLOW;
    sift(runners, race->count);
    *inout_steps += 8;
  }
  return STOW_OK;
}

stow_status stow_race_run(stow_race *race, const stow_plan_block *block, uint64_t *inout_offset) {
  uint64_t steps = 0;
  const stow_status status = race->count <= STOW_RACE_MANY_RUNNERS
                                 ? race_in_row(race, block, inout_offset, &steps)
                                 : race_in_heap(race, block, inout_offset, &steps);
  race->effort += steps;
  return status;
}

uint64_t stow_race_room(const stow_race *race, uint64_t offset) {
  uint64_t room = UINT64_MAX;
  for (uint32_t i = 0; i < race->count; ++i) {
    const uint64_t limit = race->runners[i].limit;
    if (limit != UINT64_MAX && limit - 1 - offset < room)
      room = limit - 1 - offset;
  }
  return room;
}
