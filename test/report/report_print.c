//===- report_print.c - a report as the passes make them ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     report_print text|json|csv|svg|map|html|trace [more]
//     report_print streams-text|streams-json|streams-html
//
// Two arenas: one with buffers left alone for several reasons, one without a plan. Two functions:
// in one a stream of three ops, of which one runs every other step, in the other streams were
// undone.
//
//===----------------------------------------------------------------------===//

#include "report.h"
#include "streams.h"

#include <stdio.h>
#include <string.h>

static const stow_piece pieces[] = {{9, 12, 0, 0}, {15, 19, 0, 8}};

static const stow_report_buffer buffers[] = {
    {.buffer = {4096, 64, 0, 12},
     .name = "%alloc",
     .type = "memref<1024xf32>",
     .location = "model.mlir:12:8",
     .detail = "",
     .size_known = true,
     .live_at_peak = true,
     .op = "linalg.matmul"},
    {.buffer = {1234567, 64, 3, 9},
     .name = "%alloc_1",
     .type = "memref<1234567xi8>",
     .location = "model.mlir:13:8",
     .detail = "",
     .size_known = true,
     .live_at_peak = true,
     .offset = 4096,
     .pieces = pieces}, // none of them: a whole life
    {.buffer = {12, 64, 9, 19},
     .name = "%<img src=x onerror=alert(1)></script>",
     .type = "memref<3xf32>",
     .location = "model.mlir:14:8",
     .detail = "",
     .size_known = true,
     .offset = 4096,
     .pieces = pieces,
     .piece_count = 2},
    {.buffer = {400000, 64, 0, 0},
     .name = "%alloc_3",
     .type = "memref<100000xf32>",
     .location = "model.mlir:15:8",
     .reason = "escapes",
     .detail = "it is returned",
     .size_known = true},
    {.buffer = {0, 64, 0, 0},
     .name = "%alloc_4",
     .type = "memref<?xf32>",
     .location = "model.mlir:24:8",
     .reason = "dynamic-size",
     .detail = "its size is not known at compile time"},
    {.buffer = {40, 64, 0, 0},
     .name = "%alloc_5",
     .type = "memref<10xf32>",
     .location = "model.mlir:34:8",
     .reason = "escapes",
     .detail = "it is stored, \"somewhere\"",
     .size_known = true},
};

static const stow_report_arena arenas[] = {
    {.function = "@main",
     .scope = "",
     .location = "model.mlir:3:1",
     .memory_space = "",
     .within = "",
     .buffers = buffers,
     .buffer_count = 6,
     .load = 1238663,
     .lower_bound = 1238720,
     .arena_size = 1238720,
     .capacity = 2000000,
     .peak = 3,
     .highest_at_peak = 1238663,
     .reuse_pairs = 1,
     .outcome = STOW_OPTIMAL,
     .strategy = STOW_FIRST_FIT_SIZE},
    {.function = "@main",
     .scope = "scf.parallel",
     .location = "model.mlir:40:3",
     .memory_space = "1",
     .within = "",
     .buffers = buffers,
     .buffer_count = 2,
     .load = 1238663,
     .lower_bound = 1238720,
     .capacity = 1000000,
     .peak = 3,
     .outcome = STOW_INFEASIBLE},
};

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static const stow_report_op ops[] = {
    {.name = "linalg.exp",
     .location = "model.mlir:7:3",
     .stage = "steps",
     .iterations = 8,
     .rate = 1,
     .period = 1},
    {.name = "linalg.pooling<&>",
     .location = "",
     .layer = "stage/\"pool\"",
     .stage = "steps",
     .iterations = 4,
     .rate = 1,
     .period = 2,
     .delay = 1},
    {.name = "memref.load", .location = "model.mlir:9:3", .stage = "after"},
};

static const stow_report_touch of_shift[] = {{.op = 0, .writes = true, .stride = 1},
                                             {.op = 1, .stride = 2, .high = 1}};
static const stow_report_touch of_whole[] = {{.op = 1, .writes = true, .stride = 1},
                                             {.op = 2, .whole = true}};

static const stow_report_rows rows[] = {
    {.name = "%a</title>",
     .type = "memref<8x4xf32>",
     .location = "model.mlir:3:8",
     .storage = "shift",
     .bytes = 128,
     .kept_bytes = 32,
     .rows = 8,
     .kept = 2,
     .period = 2,
     .advance = 2,
     .touches = of_shift,
     .touch_count = 2},
    {.name = "%b",
     .type = "memref<4x4xf32>",
     .location = "model.mlir:4:8",
     .storage = "whole",
     .bytes = 64,
     .kept_bytes = 64,
     .rows = 4,
     .kept = 4,
     .touches = of_whole,
     .touch_count = 2},
};

static const stow_report_stream stream = {.steps = 8,
                                          .ops = ops,
                                          .op_count = 3,
                                          .buffers = rows,
                                          .buffer_count = 2,
                                          .bytes = 128,
                                          .kept_bytes = 64};

static const stow_report_whole wholes[] = {{.name = "%b",
                                            .type = "memref<4x4xf32>",
                                            .location = "model.mlir:4:8",
                                            .bytes = 64,
                                            .reason = "not-split",
                                            .detail = "the op has no loop",
                                            .op = "memref.load",
                                            .op_location = "model.mlir:9:3",
                                            .suggestion = "another form of the op"}};

static const stow_report_streamed functions[] = {
    {.function = "net",
     .before = 192,
     .after = 128,
     .streams = &stream,
     .stream_count = 1,
     .wholes = wholes,
     .whole_count = 1},
    {.function = "other", .before = 96, .after = 96, .undone = true}};

static void print(void *user, const char *text, size_t size) { fwrite(text, 1, size, user); }

static void print_streams(const char *kind, stow_sink sink) {
  const stow_report_streams report = {
      "stream-rows", functions, 2, NULL, .map = "{\"title\": \"<b>\"}", .map_before = "null"};
  if (!strcmp(kind, "streams-text"))
    stow_report_streams_text(&report, sink);
  else if (!strcmp(kind, "streams-json"))
    stow_report_streams_json(&report, sink);
  else
    stow_report_streams_html(&report, sink);
}

int main(int argc, char **argv) {
  const stow_report report = {.title = "buffer-reuse", .arenas = arenas, .arena_count = 2};
  const stow_sink sink = {print, stdout};
  const char *const kind = argc > 1 ? argv[1] : "text";
  const stow_map_style style = {.columns = 60, .color = argc > 2};
  if (!strncmp(kind, "streams-", strlen("streams-")))
    print_streams(kind, sink);
  else if (!strcmp(kind, "text"))
    stow_report_text(&report, sink);
  else if (!strcmp(kind, "json"))
    stow_report_json(&report, sink);
  else if (!strcmp(kind, "schema"))
    stow_report_schema(sink);
  else if (!strcmp(kind, "csv"))
    stow_report_csv(&arenas[0], sink);
  else if (!strcmp(kind, "html"))
    return (int)stow_report_html(&report, NULL, sink);
  else if (!strcmp(kind, "trace"))
    return (int)stow_report_trace(&report, sink);
  else if (!strcmp(kind, "svg"))
    return (int)stow_report_svg(&report, sink);
  else
    return (int)stow_report_map_text(&arenas[0], style, sink);
  return 0;
}
