//===- slack.c - larger windows, whose rows move less often ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window that is larger by m - 1 times its advance moves as many rows as before, but once
// in m periods: bytes moved fall as 1/m, bytes kept grow by a constant each time. Where too
// much is moved, the next byte goes to the window where it saves most, that is, all windows
// grow until one more would save less than some number of moved bytes per byte kept, the
// same for all. That number is found by bisection.
//
//===----------------------------------------------------------------------===//

#include "stream/schedule.h"

#include <assert.h>

#define HALVINGS 8 // of the range of that number

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
  return (uint64_t)(moves_of(window, schedule->steps) * window->moved) *
         problem->buffers[window->buffer].row_bytes;
}

uint64_t stow_stream_moved_bytes(const stow_stream_problem *problem,
                                 const stow_stream_schedule *schedule) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < schedule->window_count; ++i)
    bytes += moved_by(problem, schedule, &schedule->windows[i]);
  return bytes;
}

// The window `times` as long; one that has all rows moves none.
static stow_stream_window stretched(const stow_stream_problem *problem, stow_stream_window window,
                                    int64_t times) {
  const int64_t rows = problem->buffers[window.buffer].rows;
  if (window.moved == 0)
    return window;
  if (times - 1 >= (rows - window.kept + window.advance - 1) / window.advance) {
    window.kept = rows, window.moved = 0;
    return window;
  }
  window.kept += (times - 1) * window.advance;
  window.period *= times;
  window.advance *= times;
  return window;
}

// The fewest times after which one more saves no more than `price` per byte: moved / (m * (m + 1))
// is what one more saves of the bytes moved, and row_bytes * advance what it costs.
static int64_t times_at(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                        const stow_stream_window *window, double price) {
  const stow_stream_buffer *buffer = &problem->buffers[window->buffer];
  const double moved = (double)moved_by(problem, schedule, window);
  const double cost = price * (double)window->advance * (double)buffer->row_bytes;
  int64_t low = 1, high = buffer->rows + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (moved <= cost * (double)middle * (double)(middle + 1))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static uint64_t moved_at(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                         double price) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < schedule->window_count; ++i) {
    const stow_stream_window *window = &schedule->windows[i];
    const stow_stream_window longer =
        stretched(problem, *window, times_at(problem, schedule, window, price));
    bytes += moved_by(problem, schedule, &longer);
  }
  return bytes;
}

// About the highest price at which no more than `limit` bytes move.
static double price_of(const stow_stream_problem *problem, const stow_stream_schedule *schedule,
                       double limit) {
  double high = (double)UINT64_MAX;
  while ((double)moved_at(problem, schedule, high / 2) > limit)
    high /= 2;
  double low = high / 2;
  for (int i = 0; i < HALVINGS; ++i) {
    const double middle = low + (high - low) / 2;
    *((double)moved_at(problem, schedule, middle) <= limit ? &low : &high) = middle;
  }
  return low;
}

static bool is_whole(const stow_stream_problem *problem, const stow_stream_window *window) {
  return window->kept >= problem->buffers[window->buffer].rows;
}

void stow_stream_give_slack(const stow_stream_problem *problem, double max_moved,
                            stow_stream_schedule *schedule) {
  const double limit = max_moved * (double)touched_bytes(problem, schedule->first, schedule->end);
  if (max_moved < 0 || (double)stow_stream_moved_bytes(problem, schedule) <= limit)
    return;
  const double price = price_of(problem, schedule, limit);
  size_t count = 0;
  for (size_t i = 0; i < schedule->window_count; ++i) {
    const stow_stream_window *window = &schedule->windows[i];
    const stow_stream_window longer =
        stretched(problem, *window, times_at(problem, schedule, window, price));
    if (!is_whole(problem, &longer))
      schedule->windows[count++] = longer;
  }
  schedule->window_count = count;
  assert((double)stow_stream_moved_bytes(problem, schedule) <= limit);
}
