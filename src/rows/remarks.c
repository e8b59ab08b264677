//===- remarks.c - what became a stream, and what stayed whole ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the cut of a block into streams and where buffers lie. A remark per stream, for the
// block's peak, and for each buffer that stayed whole and needs a large share of it, with the op in
// the way.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/bridge.h"
#include "rows/limits.h"

#include <inttypes.h>
#include <stdlib.h>

static void add(stow_remarks *to, enum stow_remark_kind kind, MlirOperation op, const char *name,
                stow_text *text, const char *reason, const char *suggestion) {
  stow_remarks_add(to, op,
                   (stow_remark){.kind = kind,
                                 .category = "stream-rows",
                                 .name = name,
                                 .reason = reason,
                                 .suggestion = suggestion},
                   stow_text_take(text));
}

static void tell_stream(stow_remarks *to, const stow_rows_block *b, const stow_stream_schedule *s) {
  stow_text text = {0};
  stow_text_printf(
      &text, "%zu ops run together in %" PRId64 " steps: %zu buffer%s %" PRIu64 " bytes of rows",
      s->sequence_count, s->steps, s->window_count, s->window_count == 1 ? " keeps" : "s keep",
      s->kept_bytes);
  add(to, STOW_REMARK_PASSED, b->statements.at[s->sequence[0]].op, "streamed", &text, NULL, NULL);
}

// What buffers need that have no place with the others, all at once.
static uint64_t bytes_without_place(const stow_rows_block *b, const stow_rows_problem *problem,
                                    const stow_stream_cut *cut, const stow_stream_places *places) {
  uint64_t bytes = 0, *kept = stow_ir_allocate(b->buffers.count, sizeof *kept);
  for (size_t i = 0; i < b->buffers.count; ++i)
    kept[i] = problem->buffers[i].bytes;
  for (size_t k = 0; k < cut->stream_count; ++k)
    for (size_t w = 0; w < cut->streams[k].window_count; ++w) {
      const stow_stream_window *window = &cut->streams[k].windows[w];
      kept[window->buffer] = (uint64_t)window->kept * problem->buffers[window->buffer].row_bytes;
    }
  for (size_t i = STOW_ROWS_FIRST_ALLOC; i < b->buffers.count; ++i)
    if (problem->buffers[i].local && b->buffer_begins[i] < b->buffer_begins[i + 1] &&
        !stow_stream_find_place(places, i))
      bytes += kept[i];
  free(kept);
  return bytes;
}

static void tell_peak(stow_remarks *to, const stow_rows_block *b, const stow_rows_problem *problem,
                      const stow_stream_cut *cut, const stow_stream_places *places) {
  stow_text text = {0};
  const uint64_t shared = places->bytes + bytes_without_place(b, problem, cut, places);
  const uint64_t peak = places->count > 0 && shared < cut->peak_bytes ? shared : cut->peak_bytes;
  stow_text_printf(
      &text, "local buffers of the block need %" PRIu64 " bytes at the worst moment, not %" PRIu64,
      peak, cut->peak_before);
  add(to, STOW_REMARK_ANALYSIS, b->statements.at[cut->streams[0].sequence[0]].op, "peak", &text,
      NULL, NULL);
}

//===----------------------------------------------------------------------===//
// What stayed whole
//===----------------------------------------------------------------------===//

static void tell_whole(stow_remarks *to, const stow_rows_block *b, const stow_rows_whole *whole) {
  const stow_rows_buffer *it = &b->buffers.at[whole->buffer];
  const stow_rows_cause why = whole->why;
  stow_text text = {0};
  stow_text_printf(&text, "%" PRIu64 " bytes stay whole", it->bytes);
  if (!mlirOperationIsNull(why.op)) {
    char *location = stow_ir_location_text(mlirOperationGetLocation(why.op));
    MlirStringRef name = stow_ir_op_name(why.op);
    stow_text_printf(&text, ": %.*s needs them%s%s", (int)name.length, name.data,
                     *location ? " at " : "", location);
    free(location);
  }
  add(to, STOW_REMARK_MISSED, mlirOpResultGetOwner(it->value), why.code, &text, why.clause,
      why.suggestion);
}

static void tell_overlap(stow_remarks *to, const stow_rows_block *b,
                         const stow_stream_places *places, const stow_stream_place *place) {
  const stow_stream_place *below = stow_stream_find_place(places, place->over);
  char *location = stow_ir_location_text(mlirValueGetLocation(b->buffers.at[place->over].value));
  stow_text text = {0};
  stow_text_printf(&text, "over dead rows of the buffer %s%s, %" PRId64 " bytes apart",
                   *location ? "at " : "before it", location,
                   (int64_t)place->offset - (int64_t)below->offset);
  free(location);
  add(to, STOW_REMARK_PASSED, mlirOpResultGetOwner(b->buffers.at[place->buffer].value), "overlap",
      &text, NULL, NULL);
}

void stow_rows_remark(stow_remarks *to, const stow_rows_block *b, const stow_rows_problem *problem,
                      const stow_stream_cut *cut, const stow_stream_places *places) {
  if (b->statements.count == 0 ||
      !stow_remarks_enabled(mlirOperationGetContext(b->statements.at[0].op)))
    return;
  if (cut->stream_count > 0)
    tell_peak(to, b, problem, cut, places);
  for (size_t i = 0; i < cut->stream_count; ++i)
    tell_stream(to, b, &cut->streams[i]);
  stow_rows_wholes wholes;
  stow_rows_find_wholes(b, problem, cut, (cut->peak_bytes + STOW_ROWS_TOLD - 1) / STOW_ROWS_TOLD,
                        &wholes);
  for (size_t i = 0; i < wholes.count; ++i)
    if (!b->buffers.at[wholes.at[i].buffer].escapes)
      tell_whole(to, b, &wholes.at[i]);
  free(wholes.at);
  for (size_t i = 0; i < places->count; ++i)
    if (places->at[i].over != SIZE_MAX &&
        b->buffers.at[places->at[i].buffer].bytes * STOW_ROWS_TOLD >= cut->peak_bytes)
      tell_overlap(to, b, places, &places->at[i]);
}
