//===- model.c - a problem as the planner works on it ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model.h"
#include "sort.h"

#include <assert.h>
#include <string.h>

struct builder {
  stow_model *model;
  stow_memory *memory;
  const uint32_t *members; // the buffers included, ascending
  uint32_t member_count;
  uint32_t *block_of;
  stow_plan_span *spans;  // of all blocks, block by block
  int64_t *begins, *ends; // per span, in program points
  uint32_t span_count;
};

static bool is_included(const unsigned char *included, size_t buffer) {
  return !included || included[buffer];
}

static uint32_t list_members(uint32_t buffer_count, const unsigned char *included,
                             uint32_t *out_members) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < buffer_count; ++i) {
    out_members[count] = i;
    count += is_included(included, i);
  }
  return count;
}

static uint32_t class_of(const stow_model *model, uint32_t buffer) {
  return model->relations.class_of ? model->relations.class_of[buffer] : buffer;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

// A buffer has a block if it has bytes or is bound to another; the class's lowest gets the number.
static void number_blocks(struct builder *builder) {
  stow_model *model = builder->model;
  const stow_problem *problem = model->problem;
  static_assert(STOW_NO_BLOCK == UINT32_MAX, "all bits are set");
  memset(builder->block_of, 0xFF, problem->buffer_count * sizeof *builder->block_of);
  for (uint32_t m = 0; m < builder->member_count; ++m) {
    const uint32_t i = builder->members[m], lowest = class_of(model, i);
    if (!problem->buffers[i].size && lowest == i)
      continue;
    if (builder->block_of[lowest] == STOW_NO_BLOCK)
      builder->block_of[lowest] = model->block_count++;
    builder->block_of[i] = builder->block_of[lowest];
  }
}

static void start_block(stow_plan_block *block) {
  *block = (stow_plan_block){
      .alignment = 1, .fixed = STOW_ANY_OFFSET, .begin = INT64_MAX, .end = INT64_MIN};
}

static void join_block(stow_model *model, stow_plan_block *block, size_t buffer) {
  const stow_buffer *b = &model->problem->buffers[buffer];
  const uint64_t alignment = stow_plan_problem_alignment(model->problem, buffer);
  const uint64_t fixed = stow_plan_problem_fixed(model->problem, buffer);
  if (fixed != STOW_ANY_OFFSET && block->fixed != STOW_ANY_OFFSET && fixed != block->fixed)
    model->contradictory = true;
  block->fixed = fixed != STOW_ANY_OFFSET ? fixed : block->fixed;
  block->alignment = alignment > block->alignment ? alignment : block->alignment;
  block->size = b->size > block->size ? b->size : block->size;
}

static void join_blocks(struct builder *builder) {
  stow_model *model = builder->model;
  for (uint32_t i = 0; i < model->block_count; ++i)
    start_block(&model->blocks[i]);
  for (uint32_t m = 0; m < builder->member_count; ++m) {
    const uint32_t block = builder->block_of[builder->members[m]];
    if (block != STOW_NO_BLOCK)
      join_block(model, &model->blocks[block], builder->members[m]);
  }
}

static void note_fixed(struct builder *builder, size_t buffer) {
  stow_model *model = builder->model;
  const uint64_t fixed = stow_plan_problem_fixed(model->problem, buffer);
  if (fixed == STOW_ANY_OFFSET)
    return;
  const uint64_t end = fixed + model->problem->buffers[buffer].size;
  model->contradictory |= fixed % stow_plan_problem_alignment(model->problem, buffer) != 0;
  model->fixed_end = end > model->fixed_end ? end : model->fixed_end;
  model->has_fixed = true;
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

static void add_span(struct builder *builder, uint32_t buffer, const stow_piece *piece) {
  const uint64_t size = builder->model->problem->buffers[buffer].size;
  const uint32_t at = builder->span_count++;
  builder->begins[at] = piece->begin;
  builder->ends[at] = piece->end;
  builder->spans[at] = (stow_plan_span){
      .buffer = buffer, .low = piece->low, .high = piece->high ? piece->high : size};
  stow_plan_block *block = &builder->model->blocks[builder->block_of[buffer]];
  block->begin = piece->begin < block->begin ? piece->begin : block->begin;
  block->end = piece->end > block->end ? piece->end : block->end;
  block->duration += (uint64_t)piece->end - (uint64_t)piece->begin;
  ++block->span_count;
}

static void add_spans_of(struct builder *builder, uint32_t buffer) {
  const stow_problem *problem = builder->model->problem;
  const stow_buffer *b = &problem->buffers[buffer];
  const size_t count = stow_plan_problem_piece_count(problem, buffer);
  if (!b->size)
    return;
  if (count == 0)
    add_span(builder, buffer, &(stow_piece){b->begin, b->end, 0, 0});
  for (size_t i = 0; i < count; ++i)
    add_span(builder, buffer, &problem->pieces[problem->piece_starts[buffer] + i]);
}

static size_t count_spans(const struct builder *builder) {
  const stow_problem *problem = builder->model->problem;
  size_t count = 0;
  for (uint32_t m = 0; m < builder->member_count; ++m) {
    const size_t pieces = stow_plan_problem_piece_count(problem, builder->members[m]);
    count += pieces ? pieces : 1;
  }
  return count;
}

// All ends before all begins, so that the stable sort has an end before a begin of the same time.
static void list_events(const struct builder *builder, stow_sort_pair *events) {
  const uint32_t count = builder->span_count;
  for (uint32_t i = 0; i < count; ++i) {
    events[i] = (stow_sort_pair){stow_plan_sort_signed(builder->ends[i]), i};
    events[count + i] = (stow_sort_pair){stow_plan_sort_signed(builder->begins[i]), count + i};
  }
}

static void open_sections(struct builder *builder, const stow_sort_pair *events,
                          int64_t *section_points) {
  const uint32_t count = builder->span_count;
  uint32_t opened = 0;
  bool ended = true;
  for (size_t i = 0; i < (size_t)count * 2; ++i) {
    if (events[i].index < count) {
      builder->spans[events[i].index].end = opened;
      ended = true;
      continue;
    }
    opened += ended;
    ended = false;
    builder->spans[events[i].index - count].begin = opened - 1;
    section_points[opened - 1] = builder->begins[events[i].index - count];
  }
  builder->model->section_count = opened;
}

static stow_status make_sections(struct builder *builder) {
  stow_memory *memory = builder->memory;
  const size_t event_count = (size_t)builder->span_count * 2;
  stow_sort_pair *events = STOW_TAKE(memory, stow_sort_pair, event_count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, event_count);
  int64_t *section_points = STOW_TAKE(memory, int64_t, builder->span_count);
  if (!events || !scratch || !section_points)
    return STOW_NO_MEMORY;
  list_events(builder, events);
  stow_sort_pairs(events, scratch, event_count);
  open_sections(builder, events, section_points);
  builder->model->section_points = section_points;
  stow_memory_drop(memory, scratch);
  stow_memory_drop(memory, events);
  return STOW_OK;
}

// First by block, then by when it begins.
static uint64_t place_of(const struct builder *builder, uint32_t span) {
  const stow_plan_span *s = &builder->spans[span];
  return (uint64_t)builder->block_of[s->buffer] << 32 | s->begin;
}

static bool is_grouped(const struct builder *builder) {
  bool grouped = true;
  for (uint32_t i = 1; i < builder->span_count && grouped; ++i)
    grouped = place_of(builder, i - 1) <= place_of(builder, i);
  return grouped;
}

static stow_status sort_spans(struct builder *builder) {
  stow_plan_span *grouped = STOW_TAKE(builder->memory, stow_plan_span, builder->span_count);
  stow_sort_pair *pairs = STOW_TAKE(builder->memory, stow_sort_pair, builder->span_count);
  stow_sort_pair *scratch = STOW_TAKE(builder->memory, stow_sort_pair, builder->span_count);
  if (!grouped || !pairs || !scratch)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < builder->span_count; ++i)
    pairs[i] = (stow_sort_pair){place_of(builder, i), i};
  stow_sort_pairs(pairs, scratch, builder->span_count);
  for (uint32_t i = 0; i < builder->span_count; ++i)
    grouped[i] = builder->spans[pairs[i].index];
  stow_memory_drop(builder->memory, scratch);
  stow_memory_drop(builder->memory, pairs);
  stow_memory_drop(builder->memory, builder->spans);
  builder->spans = grouped;
  return STOW_OK;
}

// Brings the spans of a block together: counts are known, so each block's share is. Where no two
// buffers must start together, they mostly are.
static stow_status group_spans(struct builder *builder) {
  stow_model *model = builder->model;
  const stow_status status = is_grouped(builder) ? STOW_OK : sort_spans(builder);
  uint32_t first = 0;
  for (uint32_t i = 0; i < model->block_count; ++i) {
    model->blocks[i].spans = builder->spans + first;
    first += model->blocks[i].span_count;
  }
  return status;
}

static stow_status make_spans(struct builder *builder) {
  const size_t count = count_spans(builder);
  if (count > STOW_MAX_BUFFERS)
    return STOW_OVERFLOW;
  builder->spans = STOW_TAKE(builder->memory, stow_plan_span, count);
  builder->begins = STOW_TAKE(builder->memory, int64_t, count);
  builder->ends = STOW_TAKE(builder->memory, int64_t, count);
  if (!builder->spans || !builder->begins || !builder->ends)
    return STOW_NO_MEMORY;
  for (uint32_t m = 0; m < builder->member_count; ++m)
    if (builder->block_of[builder->members[m]] != STOW_NO_BLOCK)
      add_spans_of(builder, builder->members[m]);
  stow_status status = make_sections(builder);
  if (status == STOW_OK)
    status = group_spans(builder);
  stow_memory_drop(builder->memory, builder->ends);
  stow_memory_drop(builder->memory, builder->begins);
  return status;
}

//===----------------------------------------------------------------------===//
// What the model is like
//===----------------------------------------------------------------------===//

static void describe_block(stow_model *model, const stow_plan_block *block) {
  if (block->alignment < model->common_alignment)
    model->common_alignment = block->alignment;
  assert(block->alignment && (block->alignment & (block->alignment - 1)) == 0);
  for (uint32_t i = 0; i < block->span_count; ++i) {
    const stow_plan_span *span = &block->spans[i];
    assert(span->begin < span->end && span->end <= model->section_count);
    assert(span->low < span->high && span->high <= block->size);
    assert(i == 0 || span[-1].begin <= span->begin);
    model->flat &= span->low == 0;
  }
  model->simple &= block->span_count == 1 && block->spans->low == 0 &&
                   block->spans->high == block->size &&
                   !stow_plan_has_exclusives(&model->relations, block->spans->buffer);
}

static void describe(stow_model *model) {
  model->simple = !model->banks.bank_size;
  model->flat = true;
  model->common_alignment = model->block_count ? model->blocks->alignment : 1;
  for (uint32_t i = 0; i < model->block_count; ++i)
    describe_block(model, &model->blocks[i]);
}

stow_status stow_plan_model_build_of(const stow_problem *problem, const uint32_t *buffers,
                                     uint32_t count, const unsigned char *bonds,
                                     stow_memory *memory, stow_model *out_model) {
  *out_model = (stow_model){.problem = problem, .bonds_decided = bonds != NULL};
  struct builder builder = {
      .model = out_model, .memory = memory, .members = buffers, .member_count = count};
  stow_status status = stow_relations_read(problem, bonds, memory, &out_model->relations);
  builder.block_of = STOW_TAKE(memory, uint32_t, problem->buffer_count);
  if (status != STOW_OK || !builder.block_of)
    return STOW_NO_MEMORY;
  number_blocks(&builder);
  out_model->block_of = builder.block_of;
  out_model->blocks = STOW_TAKE(memory, stow_plan_block, out_model->block_count);
  if (!out_model->blocks)
    return STOW_NO_MEMORY;
  join_blocks(&builder);
  for (uint32_t m = 0; m < builder.member_count; ++m)
    note_fixed(&builder, builder.members[m]);
  status = make_spans(&builder);
  if (status == STOW_OK)
    status = stow_banks_read(problem, builder.block_of, out_model->block_count, memory,
                             &out_model->banks);
  out_model->contradictory |= out_model->banks.contradictory;
  if (status == STOW_OK)
    describe(out_model);
  return status;
}

stow_status stow_plan_model_build(const stow_problem *problem, const stow_selection *selection,
                                  stow_memory *memory, stow_model *out_model) {
  uint32_t *members = STOW_TAKE(memory, uint32_t, problem->buffer_count);
  if (!members)
    return STOW_NO_MEMORY;
  const uint32_t count =
      list_members((uint32_t)problem->buffer_count, selection->included, members);
  const stow_status status =
      stow_plan_model_build_of(problem, members, count, selection->bonds, memory, out_model);
  stow_memory_drop(memory, members);
  return status;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

uint64_t stow_plan_model_arena(const stow_model *model, const uint64_t *block_offsets) {
  uint64_t arena_size = model->fixed_end;
  for (uint32_t i = 0; i < model->block_count; ++i) {
    const uint64_t end = block_offsets[i] + model->blocks[i].size;
    arena_size = end > arena_size ? end : arena_size;
  }
  return arena_size;
}

uint64_t stow_plan_model_offsets(const stow_model *model, const stow_selection *selection,
                                 const uint64_t *block_offsets, uint64_t *out_offsets) {
  for (size_t i = 0; i < model->problem->buffer_count; ++i) {
    if (!is_included(selection->included, i))
      continue;
    const uint64_t fixed = stow_plan_problem_fixed(model->problem, i);
    if (model->block_of[i] != STOW_NO_BLOCK)
      out_offsets[i] = block_offsets[model->block_of[i]];
    else
      out_offsets[i] = fixed != STOW_ANY_OFFSET ? fixed : 0;
  }
  return stow_plan_model_arena(model, block_offsets);
}
