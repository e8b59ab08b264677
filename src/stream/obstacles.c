//===- obstacles.c - what cannot run in steps with others -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a problem. Schedules, for each buffer, the statements from its first access to its last,
// and if they cannot run in steps says which one is in the way.
//
//===----------------------------------------------------------------------===//

#include "stream/scheduler.h"

// The nodes of a list are from the last access to the first.
static bool find_obstacle(stow_stream_scheduler *s, size_t buffer, size_t *out_statement) {
  const stow_stream_span span = s->spans[buffer];
  *out_statement = SIZE_MAX;
  if (span.last < span.first)
    return true;
  if (!stow_stream_read_range(s, span.first, span.last + 1))
    return false;
  stow_stream_set_rates(s, 1);
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next)
    if (!stow_stream_in_steps(s, s->nodes[n].statement))
      *out_statement = span.first + s->nodes[n].statement;
  return true;
}

bool stow_stream_find_obstacles(const stow_stream_problem *problem, const size_t *buffers,
                                size_t count, size_t *out_statements) {
  stow_stream_scheduler scheduler;
  bool done = stow_stream_scheduler_create(problem, &scheduler);
  for (size_t i = 0; i < count && done; ++i)
    done = find_obstacle(&scheduler, buffers[i], &out_statements[i]);
  stow_stream_scheduler_free(&scheduler);
  return done;
}
