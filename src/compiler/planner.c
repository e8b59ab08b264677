//===- planner.c - plans, and how they look ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner of plan.h without MLIR, and the picture of one plan.
//
//===----------------------------------------------------------------------===//

#include "report/put.h"
#include "stowage/compiler.h"

#include <stdlib.h>

static bool is_alive(const stow_buffer *buffer, int64_t point) {
  return buffer->size && buffer->begin <= point && point < buffer->end;
}

static stow_report_buffer describe(const stow_problem *problem, size_t index,
                                   const char *const *names, const uint64_t *offsets,
                                   int64_t peak) {
  return (stow_report_buffer){.buffer = problem->buffers[index],
                              .name = names ? names[index] : "",
                              .type = "",
                              .location = "",
                              .detail = "",
                              .size_known = true,
                              .live_at_peak = is_alive(&problem->buffers[index], peak),
                              .offset = offsets[index]};
}

// Where the buffers that are alive at the peak end.
static uint64_t highest_at_peak(const stow_report_arena *arena) {
  uint64_t highest = 0;
  for (size_t i = 0; i < arena->buffer_count; i++) {
    const stow_report_buffer *const buffer = &arena->buffers[i];
    const uint64_t end = buffer->live_at_peak ? buffer->offset + buffer->buffer.size : 0;
    highest = end > highest ? end : highest;
  }
  return highest;
}

static stow_status draw(stow_report_arena *arena, stow_sink sink) {
  const stow_report report = {.title = "stowage.plan", .arenas = arena, .arena_count = 1};
  arena->highest_at_peak = highest_at_peak(arena);
  return stow_report_svg(&report, sink);
}

stow_status stow_plan_run(const stow_problem *problem, const stow_plan_options *options,
                          uint64_t *out_offsets, stow_plan_result *out_result) {
  return stow_plan(problem, options, out_offsets, out_result);
}

bool stow_parse_bytes(const char *text, uint64_t *out_bytes) {
  return stow_report_read_bytes(text, out_bytes);
}

stow_status stow_plan_svg(const stow_problem *problem, const char *const *names,
                          const uint64_t *offsets, const stow_plan_result *result,
                          uint64_t capacity, stow_write write, void *user) {
  stow_report_arena arena = {.function = "plan",
                             .scope = "",
                             .location = "",
                             .memory_space = "",
                             .within = "",
                             .buffer_count = problem->buffer_count,
                             .lower_bound = result->lower_bound,
                             .arena_size = result->arena_size,
                             .capacity = capacity,
                             .outcome = result->outcome,
                             .strategy = result->strategy};
  stow_status status = stow_load(problem, &arena.load, &arena.peak);
  if (status != STOW_OK)
    return status;
  stow_report_buffer *const buffers = calloc(problem->buffer_count + 1, sizeof *buffers);
  if (!buffers)
    return STOW_NO_MEMORY;
  for (size_t i = 0; i < problem->buffer_count; i++)
    buffers[i] = describe(problem, i, names, offsets, arena.peak);
  arena.buffers = buffers;
  status = draw(&arena, (stow_sink){write, user});
  free(buffers);
  return status;
}
