//===- slack.c - larger windows, whose rows move less often ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window that is larger by some times its advance moves as many rows as before, but once
// in more steps: bytes moved fall as 1/m, bytes kept grow by a constant each time. A ring
// needs more rows than a window to begin with, and moves less. Where too much is moved,
// all windows grow until one more byte of any would save less than a *price*, so many moved
// bytes per byte kept. The price is the same for all, and is found by bisection.
//
//===----------------------------------------------------------------------===//

#include "stream/limits.h"
#include "stream/schedule.h"

#include <assert.h>

static uint64_t touched_bytes(const stow_stream_problem *problem, size_t first, size_t end) {
  uint64_t bytes = 0;
  for (size_t i = first; i < end; ++i)
    for (size_t a = 0; a < problem->statements[i].access_count; ++a) {
      const stow_stream_access *access = &problem->statements[i].accesses[a];
      const stow_stream_buffer *buffer = &problem->buffers[access->buffer];
      bytes += access->whole ? buffer->bytes
                             : (uint64_t)problem->statements[i].iterations *
                                   (uint64_t)(access->high - access->low + 1) * buffer->row_bytes;
    }
  return bytes;
}

// How often a window moves in all steps.
static int64_t moves_of(const stow_stream_window *window, int64_t steps) {
  return stow_stream_floor(steps - window->phase, window->period) -
         stow_stream_floor(-window->phase, window->period);
}

static uint64_t moved_by(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                         const stow_stream_window *window) {
  return (uint64_t)moves_of(window, schedule->steps) * (uint64_t)window->moved *
         problem->buffers[window->buffer].row_bytes;
}

uint64_t stow_stream_moved_bytes(const stow_stream_problem *problem,
                                 const stow_stream_schedule *schedule) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < schedule->window_count; ++i)
    bytes += moved_by(problem, schedule, &schedule->windows[i]);
  return bytes;
}

// Windows of one kind: the smallest has so many blocks, each of which takes the same rows.
typedef struct kind {
  stow_stream_window smallest;
  int64_t blocks;
} kind;

// The window of so many blocks; one that has all rows moves none.
static stow_stream_window window_of(const stow_stream_problem *problem, const kind *k,
                                    int64_t blocks) {
  const int64_t rows = problem->buffers[k->smallest.buffer].rows;
  const int64_t advance = k->smallest.advance / k->blocks;
  stow_stream_window window = k->smallest;
  if (blocks - k->blocks >= (rows - window.kept + advance - 1) / advance) {
    window.kept = rows;
    window.moved = 0;
    return window;
  }
  window.kept += (blocks - k->blocks) * advance;
  window.period = window.period / k->blocks * blocks;
  window.phase = stow_stream_modulo(window.phase, window.period);
  window.advance = advance * blocks;
  return window;
}

// The smallest number m of blocks for which one more saves no more than `price` per byte. If a
// single block moves `moved` bytes, a further one saves moved / (m * (m + 1)) and costs row_bytes *
// advance bytes. Usually m is small.
static int64_t blocks_at(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                         const kind *k, double price) {
  const stow_stream_buffer *buffer = &problem->buffers[k->smallest.buffer];
  const double moved = (double)moved_by(problem, schedule, &k->smallest) * (double)k->blocks;
  const double cost = price * (double)(k->smallest.advance / k->blocks) * (double)buffer->row_bytes;
  const int64_t most = k->blocks + buffer->rows;
  int64_t low = k->blocks, high = low;
  while (high < most && moved > cost * (double)high * (double)(high + 1)) {
    low = high + 1;
    high = 2 * high < most ? 2 * high : most;
  }
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (moved <= cost * (double)middle * (double)(middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static double value_of(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                       const stow_stream_window *window, double price) {
  return (double)moved_by(problem, schedule, window) +
         price * (double)window->kept * (double)problem->buffers[window->buffer].row_bytes;
}

// The best window at a price to replace the i-th one.
static stow_stream_window window_at(const stow_stream_problem *problem,
                                    const stow_stream_schedule *schedule,
                                    const stow_stream_ring *rings, size_t i, double price) {
  const kind shift = {schedule->windows[i], 1}, ring = {rings[i].window, rings[i].blocks};
  if (shift.smallest.moved == 0)
    return shift.smallest;
  const stow_stream_window one =
      window_of(problem, &shift, blocks_at(problem, schedule, &shift, price));
  if (ring.smallest.kept == 0)
    return one;
  const stow_stream_window other =
      window_of(problem, &ring, blocks_at(problem, schedule, &ring, price));
  return value_of(problem, schedule, &other, price) < value_of(problem, schedule, &one, price)
             ? other
             : one;
}

static uint64_t moved_at(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                         const stow_stream_ring *rings, double price) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < schedule->window_count; ++i) {
    const stow_stream_window window = window_at(problem, schedule, rings, i, price);
    bytes += moved_by(problem, schedule, &window);
  }
  return bytes;
}

// From this price on, all windows are the smallest.
static double highest_price(const stow_stream_problem *problem,
                            const stow_stream_schedule *schedule) {
  double highest = 1;
  for (size_t i = 0; i < schedule->window_count; ++i) {
    const stow_stream_window *window = &schedule->windows[i];
    const double cost =
        (double)window->advance * (double)problem->buffers[window->buffer].row_bytes;
    const double price = (double)moved_by(problem, schedule, window) / cost;
    highest = price > highest ? price : highest;
  }
  return highest;
}

// About the highest price at which no more than `limit` bytes move.
static double price_of(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                       const stow_stream_ring *rings, double limit) {
  double high = highest_price(problem, schedule);
  while ((double)moved_at(problem, schedule, rings, high / 2) > limit)
    high /= 2;
  double low = high / 2;
  for (int i = 0; i < STOW_STREAM_HALVINGS; ++i) {
    const double middle = low + (high - low) / 2;
    *((double)moved_at(problem, schedule, rings, middle) <= limit ? &low : &high) = middle;
  }
  return low;
}

void stow_stream_give_slack(const stow_stream_problem *problem, double max_moved,
                            const stow_stream_ring *rings, stow_stream_schedule *schedule) {
  const double limit = max_moved * (double)touched_bytes(problem, schedule->first, schedule->end);
  if (max_moved < 0 || (double)stow_stream_moved_bytes(problem, schedule) <= limit)
    return;
  const double price = price_of(problem, schedule, rings, limit);
  size_t count = 0;
  for (size_t i = 0; i < schedule->window_count; ++i) {
    const stow_stream_window window = window_at(problem, schedule, rings, i, price);
    if (window.kept < problem->buffers[window.buffer].rows)
      schedule->windows[count++] = window;
  }
  schedule->window_count = count;
  assert((double)stow_stream_moved_bytes(problem, schedule) <= limit);
}
