//===- alike.h - ranges that are the same but for where they lie ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network repeats its layers, so many ranges have equal schedules. A *reader* goes through a
// range statement by statement and computes a key, two hashes of 64 bits, of all that its schedule
// depends on. Costs of schedules are kept by key. A schedule that is used is always computed from
// its range, so a collision of keys may cost bytes but is never wrong.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_ALIKE_H
#define STOWAGE_STREAM_ALIKE_H

#include "stream/scheduler.h"

typedef struct stow_stream_key {
  uint64_t one, other;
} stow_stream_key;

// What is known of a range without its schedule.
typedef struct stow_stream_costs {
  uint64_t peak, heap, held; // as in the schedule
  double traffic;
  uint64_t moments;    // looked at, row by row
  bool windows, again; // there are some, also bytes that are touched again
  bool used_once;      // or loaded again for few iterations
} stow_stream_costs;

typedef struct stow_stream_alike {
  struct {
    stow_stream_key key;
    stow_stream_costs costs;
    bool used;
  } *entries;
  size_t count, capacity; // a power of two
  // The range that is being read:
  size_t first, end;
  stow_stream_key so_far, leaving; // of its statements; of the buffers touched behind its end
  size_t *numbers;                 // per buffer: by first touch, from 1 on; 0: untouched
  bool *left;                      // per buffer: touched for the last time
  size_t *touched, touched_count;
  size_t base; // the first buffer that is touched in the range only from there on, or SIZE_MAX
} stow_stream_alike;

// False: no memory. Freed with stow_stream_alike_free, also then.
bool stow_stream_alike_create(const stow_stream_problem *problem, stow_stream_alike *out);
void stow_stream_alike_free(stow_stream_alike *alike);

// The key of a range. It takes time by the statements behind the end of the range before it, where
// that began at the same statement.
stow_stream_key stow_stream_key_of(stow_stream_alike *alike, const stow_stream_scheduler *scheduler,
                                   size_t first, size_t end);

// What is kept, or NULL.
const stow_stream_costs *stow_stream_alike_find(const stow_stream_alike *alike,
                                                stow_stream_key key);

// Keeps it, instead of what was kept. False: no memory.
bool stow_stream_alike_keep(stow_stream_alike *alike, stow_stream_key key, stow_stream_costs costs);

#endif // STOWAGE_STREAM_ALIKE_H
