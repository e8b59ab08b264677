//===- pairs.c - how much is shared ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/pairs.h"

#include "ir/support.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

uint64_t stow_count_sharing(const stow_buffer *buffers, const uint64_t *offsets, size_t count) {
  uint64_t *begins = stow_allocate(count, sizeof *begins);
  uint64_t *ends = stow_allocate(count, sizeof *ends);
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    if (buffers[i].size == 0)
      continue;
    begins[used] = offsets[i];
    ends[used++] = offsets[i] + buffers[i].size;
  }
  stow_sort(begins, used, sizeof *begins, compare);
  stow_sort(ends, used, sizeof *ends, compare);
  uint64_t pairs = (uint64_t)used * (used ? used - 1 : 0) / 2;
  for (size_t begin = 0, ended = 0; begin < used; ++begin) {
    while (ended < used && ends[ended] <= begins[begin])
      ++ended;
    pairs -= ended;
  }
  free(begins), free(ends);
  return pairs;
}
