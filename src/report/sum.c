//===- sum.c - the sums over an arena -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts buffers and bytes, planned and left alone, unless the arena brings its sums.
//
//===----------------------------------------------------------------------===//

#include "report.h"

#include <assert.h>

stow_report_totals stow_report_sum(const stow_report_arena *arena) {
  const bool has_plan = arena->outcome == STOW_FEASIBLE || arena->outcome == STOW_OPTIMAL;
  stow_report_totals totals = {0};
  if (arena->totals)
    return *arena->totals;
  for (size_t i = 0; i < arena->buffer_count; i++) {
    const stow_report_buffer *const buffer = &arena->buffers[i];
    assert(buffer->buffer.begin <= buffer->buffer.end);
    assert(!buffer->reason || (buffer->detail && !buffer->live_at_peak));
    if (!buffer->reason) {
      assert(!has_plan || buffer->offset + buffer->buffer.size <= arena->arena_size);
      totals.planned++;
      totals.planned_bytes += buffer->buffer.size;
      continue;
    }
    totals.left_alone++;
    totals.left_alone_bytes += buffer->buffer.size;
    totals.left_alone_unsized += !buffer->size_known;
  }
  (void)has_plan; // with NDEBUG
  return totals;
}
