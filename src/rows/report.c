//===- report.c - what stream-rows did, for its reports -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rows/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct describer {
  stow_rows_account *to;
  const stow_rows_block *b;
  const stow_rows_problem *problem;
  const stow_stream_places *places;
  MlirAsmState names;
} describer;

static void *keep(const describer *d, void *memory) {
  STOW_PUSH(d->to->memory, memory);
  return memory;
}

static const char *name_of(const describer *d, size_t buffer) {
  stow_text text = {0};
  mlirValuePrintAsOperand(d->b->buffers.at[buffer].value, d->names, stow_text_callback, &text);
  return keep(d, stow_text_take(&text));
}

static const char *type_of(const describer *d, size_t buffer) {
  return keep(d, stow_ir_type_text(mlirValueGetType(d->b->buffers.at[buffer].value)));
}

static const char *location_of(const describer *d, size_t buffer) {
  return keep(d, stow_ir_location_text(mlirValueGetLocation(d->b->buffers.at[buffer].value)));
}

//===----------------------------------------------------------------------===//
// A stream
//===----------------------------------------------------------------------===//

static const char *stage_name(stow_stream_stage stage) {
  return stage == STOW_STREAM_STEPS ? "steps" : stage == STOW_STREAM_BEFORE ? "before" : "after";
}

static const char *storage_name(stow_stream_storage storage) {
  return storage == STOW_STREAM_LOCAL ? "step" : storage == STOW_STREAM_SHIFT ? "shift" : "ring";
}

static stow_report_op describe_op(const describer *d, const stow_stream_schedule *s, size_t index) {
  const size_t statement = s->first + index;
  const stow_stream_order *order = &s->orders[index];
  MlirOperation op = d->b->statements.at[statement].op;
  MlirLocation location = mlirOperationGetLocation(op);
  const char *layer = keep(d, stow_ir_location_name(location));
  return (stow_report_op){.name = keep(d, stow_ir_copy_string(stow_ir_op_name(op))),
                          .location = keep(d, stow_ir_location_text(location)),
                          .layer = *layer ? layer : NULL,
                          .stage = stage_name(order->stage),
                          .iterations = d->problem->statements[statement].iterations,
                          .rate = order->rate,
                          .period = order->period,
                          .delay = order->delay};
}

static void put_touches(const describer *d, const stow_stream_schedule *s, size_t buffer,
                        stow_report_rows *out) {
  const size_t first = d->b->buffer_begins[buffer], end = d->b->buffer_begins[buffer + 1];
  stow_report_touch *touches = keep(d, stow_ir_allocate(end - first, sizeof *touches));
  out->touches = touches;
  for (size_t u = first; u < end; ++u) {
    const size_t statement = d->b->uses.at[d->b->by_buffer[u]].statement;
    const stow_stream_access *access = &d->problem->accesses[d->b->by_buffer[u]];
    if (statement >= s->first && statement < s->end)
      touches[out->touch_count++] =
          (stow_report_touch){statement - s->first, access->writes, access->whole,
                              access->stride,       access->low,    access->high};
  }
}

static void put_window(const stow_stream_buffer *buffer, const stow_stream_window *w,
                       stow_report_rows *out) {
  out->storage = storage_name(w->storage);
  out->kept = w->kept;
  out->moved = w->moved;
  out->kept_bytes = (uint64_t)w->kept * buffer->row_bytes;
  out->period = w->period;
  out->phase = w->phase;
  out->advance = w->advance;
  out->base = w->base;
}

static void put_place(const describer *d, size_t buffer, stow_report_rows *out) {
  const stow_stream_place *place = stow_stream_find_place(d->places, buffer);
  if (!place || place->over == SIZE_MAX)
    return;
  const stow_stream_place *below = stow_stream_find_place(d->places, place->over);
  out->over = name_of(d, place->over);
  out->distance = (int64_t)place->offset - (int64_t)below->offset;
}

static stow_report_rows describe_buffer(const describer *d, const stow_stream_schedule *s,
                                        size_t index) {
  const stow_stream_buffer *buffer = &d->problem->buffers[index];
  const stow_stream_window *window = stow_stream_find_window(s, index);
  stow_report_rows rows = {.name = name_of(d, index),
                           .type = type_of(d, index),
                           .location = location_of(d, index),
                           .storage = "whole",
                           .bytes = d->b->buffers.at[index].bytes,
                           .kept_bytes = d->b->buffers.at[index].bytes,
                           .rows = buffer->rows,
                           .kept = buffer->rows};
  if (window)
    put_window(buffer, window, &rows);
  put_touches(d, s, index, &rows);
  put_place(d, index, &rows);
  return rows;
}

static bool is_touched(const describer *d, const stow_stream_schedule *s, size_t buffer) {
  for (size_t u = d->b->buffer_begins[buffer]; u < d->b->buffer_begins[buffer + 1]; ++u) {
    const size_t statement = d->b->uses.at[d->b->by_buffer[u]].statement;
    if (statement >= s->first && statement < s->end &&
        s->orders[statement - s->first].stage == STOW_STREAM_STEPS)
      return true;
  }
  return false;
}

static uint64_t bytes_before(const describer *d, const stow_stream_schedule *s) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < s->window_count; ++i)
    bytes += d->problem->buffers[s->windows[i].buffer].bytes;
  return bytes;
}

static stow_report_stream describe_stream(const describer *d, const stow_stream_schedule *s) {
  stow_report_stream out = {.steps = s->steps,
                            .op_count = s->end - s->first,
                            .bytes = bytes_before(d, s),
                            .kept_bytes = s->kept_bytes,
                            .moved_bytes = s->moved_bytes};
  stow_report_op *ops = keep(d, stow_ir_allocate(out.op_count, sizeof *ops));
  for (size_t i = 0; i < out.op_count; ++i)
    ops[i] = describe_op(d, s, i);
  stow_report_rows *buffers = keep(d, stow_ir_allocate(d->b->buffers.count, sizeof *buffers));
  for (size_t i = STOW_ROWS_FIRST_ALLOC; i < d->b->alloc_end; ++i)
    if (is_touched(d, s, i))
      buffers[out.buffer_count++] = describe_buffer(d, s, i);
  out.ops = ops;
  out.buffers = buffers;
  return out;
}

//===----------------------------------------------------------------------===//
// What stayed whole
//===----------------------------------------------------------------------===//

static stow_report_whole describe_whole(const describer *d, const stow_rows_whole *it) {
  const size_t buffer = it->buffer;
  const stow_rows_cause why = it->why;
  stow_report_whole whole = {.name = name_of(d, buffer),
                             .type = type_of(d, buffer),
                             .location = location_of(d, buffer),
                             .bytes = d->b->buffers.at[buffer].bytes,
                             .reason = why.code,
                             .detail = why.clause,
                             .suggestion = why.suggestion};
  if (mlirOperationIsNull(why.op))
    return whole;
  whole.op = keep(d, stow_ir_copy_string(stow_ir_op_name(why.op)));
  whole.op_location = keep(d, stow_ir_location_text(mlirOperationGetLocation(why.op)));
  return whole;
}

void stow_rows_describe(stow_rows_account *to, MlirOperation function, const stow_rows_block *b,
                        const stow_rows_problem *problem, const stow_stream_cut *cut,
                        const stow_stream_places *places) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  const describer d = {to, b, problem, places, mlirAsmStateCreateForOperation(function, flags)};
  for (size_t i = 0; i < cut->stream_count; ++i)
    STOW_PUSH(to->streams, describe_stream(&d, &cut->streams[i]));
  stow_rows_wholes wholes;
  stow_rows_find_wholes(b, problem, cut, 0, &wholes);
  for (size_t i = 0; i < wholes.count; ++i)
    STOW_PUSH(to->wholes, describe_whole(&d, &wholes.at[i]));
  free(wholes.at);
  mlirAsmStateDestroy(d.names);
  mlirOpPrintingFlagsDestroy(flags);
}

void stow_rows_account_free(stow_rows_account *account) {
  for (size_t i = 0; i < account->memory.count; ++i)
    free(account->memory.at[i]);
  free(account->memory.at);
  free(account->streams.at);
  free(account->wholes.at);
  *account = (stow_rows_account){0};
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

typedef struct rank {
  uint64_t bytes;
  size_t index;
} rank;

static int larger_first(const void *left, const void *right) {
  const rank *a = left, *b = right;
  return stow_ir_then(STOW_COMPARE(b->bytes, a->bytes), STOW_COMPARE(a->index, b->index));
}

static const stow_report_whole *sorted_wholes(stow_rows_account *account) {
  const size_t count = account->wholes.count;
  rank *ranks = stow_ir_allocate(count, sizeof *ranks);
  stow_report_whole *sorted = stow_ir_allocate(count, sizeof *sorted);
  STOW_PUSH(account->memory, sorted);
  for (size_t i = 0; i < count; ++i)
    ranks[i] = (rank){account->wholes.at[i].bytes, i};
  stow_ir_sort(ranks, count, sizeof *ranks, larger_first);
  for (size_t i = 0; i < count; ++i)
    sorted[i] = account->wholes.at[ranks[i].index];
  free(ranks);
  return sorted;
}

stow_report_streamed stow_rows_streamed(stow_rows_account *account, MlirOperation function,
                                        uint64_t before, uint64_t after) {
  char *name = stow_ir_copy_string(stow_bridge_function_name(function));
  STOW_PUSH(account->memory, name);
  return (stow_report_streamed){.function = name,
                                .before = before,
                                .after = after,
                                .undone = account->streams.count > 0 && after >= before,
                                .streams = account->streams.at,
                                .stream_count = account->streams.count,
                                .wholes = sorted_wholes(account),
                                .whole_count = account->wholes.count};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

stow_report_files stow_rows_files(MlirOperation module, const stow_stream_rows_options *options) {
  return (stow_report_files){.module = module,
                             .pass = "stream-rows",
                             .formats = &stow_report_streams_formats,
                             .reports = options->reports,
                             .report_count = options->report_count};
}
