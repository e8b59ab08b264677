//===- model.c - an instance and its plan as a report ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model.h"

#include "part.h"
#include "reuse.h"
#include "scale.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static const char *label(const tool_instance *instance, size_t text) {
  return tool_instance_string(instance, text);
}

static stow_report_buffer describe(const tool_instance *instance, size_t index) {
  const tool_labels *const labels = &instance->labels[index];
  stow_report_buffer buffer = {
      .buffer = instance->buffers[index],
      .id = label(instance, labels->id),
      .name = tool_instance_name(instance, index),
      .op = labels->op ? label(instance, labels->op) : NULL,
      .op_location = labels->op_location ? label(instance, labels->op_location) : NULL,
      .layer = labels->layer ? label(instance, labels->layer) : NULL,
      .type = label(instance, labels->type),
      .location = label(instance, labels->location),
      .detail = "",
      .size_known = true,
  };
  buffer.piece_count = tool_instance_pieces(instance, index, &buffer.pieces);
  return buffer;
}

// One past the highest byte that the buffer uses at `point`; 0 where it is not alive.
static uint64_t top_at(const stow_report_buffer *buffer, int64_t point) {
  for (size_t i = 0; i < stow_box_count(buffer) && buffer->buffer.size; i++) {
    const stow_box box = stow_box_of(buffer, i);
    if (box.begin <= point && point < box.end)
      return box.high;
  }
  return 0;
}

static void fill_buffers(const tool_instance *instance, const tool_plan_view *view,
                         const uint64_t *offsets, stow_report_arena *arena,
                         stow_report_buffer *buffers) {
  for (size_t i = 0; i < instance->count; i++) {
    stow_report_buffer *const buffer = &buffers[i];
    *buffer = describe(instance, i);
    buffer->offset = offsets && offsets[i] != STOW_ANY_OFFSET ? offsets[i] : 0;
    buffer->fixed = view->with_fixed && instance->offsets[i] != STOW_ANY_OFFSET;
    const uint64_t top = top_at(buffer, arena->peak);
    buffer->live_at_peak = top != 0;
    arena->highest_at_peak = top > arena->highest_at_peak ? top : arena->highest_at_peak;
  }
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static stow_status fill_arena(const tool_instance *instance, const tool_plan_view *view,
                              const uint64_t *offsets, stow_report_arena *arena,
                              stow_report_buffer *buffers) {
  const stow_problem problem = tool_instance_problem(instance, false);
  const stow_status status = stow_load(&problem, &arena->load, &arena->peak);
  if (status != STOW_OK)
    return status;
  fill_buffers(instance, view, offsets, arena, buffers);
  arena->buffers = buffers;
  arena->buffer_count = instance->count;
  arena->relations = instance->relations;
  arena->relation_count = instance->relation_count;
  if (stow_report_has_plan(arena))
    return tool_count_reuse(buffers, instance->count, &arena->reuse_pairs);
  arena->highest_at_peak = 0;
  return STOW_OK;
}

static stow_report_arena describe_arena(const tool_plan_view *view) {
  return (stow_report_arena){.function = view->source,
                             .scope = "",
                             .location = "",
                             .memory_space = "",
                             .within = "",
                             .lower_bound = view->result->lower_bound,
                             .arena_size = view->result->arena_size,
                             .capacity = view->capacity,
                             .outcome = view->result->outcome,
                             .strategy = view->result->strategy};
}

static uint64_t highest_end(const tool_instance *part) {
  uint64_t highest = 0;
  for (size_t i = 0; i < part->count; i++) {
    const uint64_t end = part->offsets[i] + part->buffers[i].size;
    highest = end > highest ? end : highest;
  }
  return highest;
}

static stow_status fill_space(const tool_plan_view *view, uint32_t space, tool_model *model,
                              stow_report_buffer *buffers) {
  const tool_instance *const instance = view->instance;
  tool_instance *const part = &model->parts[space];
  stow_report_arena *const arena = &model->arenas[space];
  if (!tool_part_make(instance, view->offsets, view->spaces, space, part))
    return STOW_NO_MEMORY;
  *arena = describe_arena(view);
  arena->memory_space = label(instance, instance->space_names[space]);
  arena->capacity = instance->spaces[space].capacity;
  arena->arena_size = highest_end(part);
  const stow_problem problem = tool_instance_problem(part, false);
  const stow_status status = stow_lower_bound(&problem, &arena->lower_bound);
  return status == STOW_OK ? fill_arena(part, view, part->offsets, arena, buffers) : status;
}

static stow_status fill_spaces(const tool_plan_view *view, tool_model *model) {
  size_t used = 0;
  model->parts = calloc(view->instance->space_count, sizeof *model->parts);
  if (!model->parts)
    return STOW_NO_MEMORY;
  for (uint32_t space = 0; space < view->instance->space_count; space++) {
    const stow_status status = fill_space(view, space, model, model->buffers + used);
    if (status != STOW_OK)
      return status;
    used += model->parts[space].count;
    model->report.arena_count++;
  }
  return STOW_OK;
}

static stow_status fill(const tool_plan_view *view, tool_model *model) {
  if (stow_report_is_plan(view->result->outcome) && view->spaces && view->instance->space_count > 1)
    return fill_spaces(view, model);
  model->report.arena_count = 1;
  model->arenas[0] = describe_arena(view);
  return fill_arena(view->instance, view, view->offsets, &model->arenas[0], model->buffers);
}

stow_status tool_model_make(const tool_plan_view *view, tool_model *out_model) {
  const size_t arenas = view->instance->space_count + 1;
  *out_model = (tool_model){.report = {.title = view->title}};
  out_model->arenas = calloc(arenas, sizeof *out_model->arenas);
  out_model->buffers = calloc(view->instance->count + 1, sizeof *out_model->buffers);
  out_model->report.arenas = out_model->arenas;
  stow_status status = STOW_NO_MEMORY;
  if (out_model->arenas && out_model->buffers)
    status = fill(view, out_model);
  if (status != STOW_OK) {
    out_model->report.arena_count = view->instance->space_count;
    tool_model_release(out_model);
  }
  return status;
}

void tool_model_release(tool_model *model) {
  for (size_t i = 0; model->parts && i < model->report.arena_count; i++)
    tool_instance_release(&model->parts[i]);
  free(model->parts);
  free(model->arenas);
  free(model->buffers);
  *model = (tool_model){0};
}
