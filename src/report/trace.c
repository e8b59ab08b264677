//===- trace.c - a plan as a trace for Perfetto and chrome://tracing ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process per arena: a counter of the bytes alive and of the highest address in use, and a slice
// per piece of a buffer's life. Points are microseconds. Slices are asynchronous, because lives
// overlap without being nested.
//
//===----------------------------------------------------------------------===//

#include "profile.h"
#include "put.h"
#include "scale.h"

typedef struct writer {
  stow_sink sink;
  size_t process;
  uint64_t slices, events;
} writer;

static void begin_event(writer *w, const char *kind, const char *name) {
  stow_report_put_json_text(w->sink, w->events++ ? ",\n{" : "{", "ph", kind);
  stow_report_put_json_text(w->sink, ", ", "name", name);
  stow_report_put_json_unsigned(w->sink, ", ", "pid", w->process);
}

static void put_process(writer *w, const stow_report_arena *arena) {
  begin_event(w, "M", "process_name");
  stow_report_put_json_text(w->sink, ", \"args\": {", "name", arena->function);
  stow_report_put(w->sink, "}}");
}

static void put_slice(writer *w, const stow_report_buffer *buffer, stow_box box) {
  const char *const name = buffer->layer ? buffer->layer : buffer->op ? buffer->op : buffer->name;
  for (int end = 0; end < 2; end++) {
    begin_event(w, end ? "e" : "b", name);
    stow_report_put_json_text(w->sink, ", ", "cat", "buffer");
    stow_report_put_json_unsigned(w->sink, ", ", "id", w->slices);
    stow_report_put_json_unsigned(w->sink, ", ", "tid", 1);
    stow_report_put_json_signed(w->sink, ", ", "ts", end ? box.end : box.begin);
    stow_report_put_json_text(w->sink, ", \"args\": {", "value", buffer->name);
    stow_report_put_json_unsigned(w->sink, ", ", "bytes", box.high - box.low);
    stow_report_put_json_unsigned(w->sink, ", ", "offset", box.low);
    stow_report_put_json_text(w->sink, ", ", "type", buffer->type);
    stow_report_put_json_text(w->sink, ", ", "location", buffer->location);
    stow_report_put_json_text_if_any(w->sink, ", ", "op_location", buffer->op_location);
    stow_report_put(w->sink, "}}");
  }
  w->slices++;
}

static void put_part(writer *w, const stow_report_buffer *holder, const stow_report_part *part) {
  const stow_report_buffer buffer = {.name = part->name,
                                     .type = part->type,
                                     .location = part->location,
                                     .op = part->op,
                                     .op_location = part->op_location,
                                     .layer = part->layer};
  put_slice(
      w, &buffer,
      (stow_box){part->begin, part->end, holder->offset + part->low, holder->offset + part->high});
}

static void put_buffer(writer *w, const stow_report_buffer *buffer) {
  for (size_t i = 0; i < buffer->part_count; i++)
    put_part(w, buffer, &buffer->parts[i]);
  for (size_t i = 0; !buffer->part_count && i < stow_box_count(buffer); i++)
    put_slice(w, buffer, stow_box_of(buffer, i));
}

static void put_counter(writer *w, const char *name, int64_t point, uint64_t bytes) {
  begin_event(w, "C", name);
  stow_report_put_json_signed(w->sink, ", ", "ts", point);
  stow_report_put_json_unsigned(w->sink, ", \"args\": {", "bytes", bytes);
  stow_report_put(w->sink, "}}");
}

static stow_status put_profile(writer *w, const stow_report_arena *arena) {
  stow_profile profile;
  const stow_status status = stow_profile_make(arena, &profile);
  for (size_t i = 0; status == STOW_OK && i < profile.count; i++) {
    const stow_sample *const sample = &profile.samples[i];
    put_counter(w, "bytes alive", sample->point, sample->live);
    if (stow_report_has_plan(arena))
      put_counter(w, "highest address in use", sample->point, sample->highest);
  }
  stow_profile_release(&profile);
  return status;
}

static stow_status put_arena(writer *w, const stow_report_arena *arena) {
  put_process(w, arena);
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (stow_report_is_drawn(&arena->buffers[i]))
      put_buffer(w, &arena->buffers[i]);
  return put_profile(w, arena);
}

stow_status stow_report_trace(const stow_report *report, stow_sink sink) {
  writer w = {.sink = sink};
  stow_status status = STOW_OK;
  stow_report_put(sink, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  for (; status == STOW_OK && w.process < report->arena_count; w.process++)
    status = put_arena(&w, &report->arenas[w.process]);
  stow_report_put(sink, "]}\n");
  return status;
}
