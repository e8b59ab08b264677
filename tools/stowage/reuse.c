//===- reuse.c - how often bytes are used again ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "reuse.h"

#include <stdlib.h>

static int compare_unsigned(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

// All pairs less those of which one ends at or below the begin of the other.
static uint64_t count_overlaps(const uint64_t *bottoms, const uint64_t *tops, size_t count) {
  uint64_t pairs = 0;
  for (size_t bottom = 0, top = 0; bottom < count; bottom++) {
    while (tops[top] <= bottoms[bottom])
      top++;
    pairs += bottom - top;
  }
  return pairs;
}

stow_status tool_count_reuse(const stow_report_buffer *buffers, size_t count, uint64_t *out_pairs) {
  uint64_t *const bottoms = malloc((count + !count) * 2 * sizeof *bottoms);
  if (!bottoms)
    return STOW_NO_MEMORY;
  uint64_t *const tops = bottoms + count;
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (!buffers[i].buffer.size)
      continue;
    bottoms[used] = buffers[i].offset;
    tops[used++] = buffers[i].offset + buffers[i].buffer.size;
  }
  qsort(bottoms, used, sizeof *bottoms, compare_unsigned);
  qsort(tops, used, sizeof *tops, compare_unsigned);
  *out_pairs = count_overlaps(bottoms, tops, used);
  free(bottoms);
  return STOW_OK;
}
