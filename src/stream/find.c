//===- find.c - the window of a buffer ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/schedule.h"

#include <stdlib.h>

int stow_stream_compare_windows(const void *a, const void *b) {
  const size_t left = ((const stow_stream_window *)a)->buffer;
  const size_t right = ((const stow_stream_window *)b)->buffer;
  return (left > right) - (left < right);
}

const stow_stream_window *stow_stream_find_window(const stow_stream_schedule *schedule,
                                                  size_t buffer) {
  const stow_stream_window key = {.buffer = buffer};
  return schedule->window_count == 0 ? NULL
                                     : bsearch(&key, schedule->windows, schedule->window_count,
                                               sizeof key, stow_stream_compare_windows);
}
