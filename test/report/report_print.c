//===- report_print.c - a report as the passes make them ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     report_print text|json|csv|svg|map|html [more]
//
// Two arenas: one with buffers left alone for several reasons, one without a plan.
//
//===----------------------------------------------------------------------===//

#include "report.h"

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
     .buffers = buffers,
     .buffer_count = 2,
     .load = 1238663,
     .lower_bound = 1238720,
     .capacity = 1000000,
     .peak = 3,
     .outcome = STOW_INFEASIBLE},
};

static void print(void *user, const char *text, size_t size) { fwrite(text, 1, size, user); }

int main(int argc, char **argv) {
  const stow_report report = {.title = "buffer-reuse-analysis", .arenas = arenas, .arena_count = 2};
  const stow_sink sink = {print, stdout};
  const char *const kind = argc > 1 ? argv[1] : "text";
  const stow_map_style style = {.columns = 60, .color = argc > 2};
  if (!strcmp(kind, "text"))
    stow_report_text(&report, sink);
  else if (!strcmp(kind, "json"))
    stow_report_json(&report, sink);
  else if (!strcmp(kind, "csv"))
    stow_report_csv(&arenas[0], argc > 2, sink);
  else if (!strcmp(kind, "html"))
    stow_report_html(&report, NULL, sink);
  else if (!strcmp(kind, "svg"))
    return (int)stow_report_svg(&report, sink);
  else
    return (int)stow_report_map_text(&arenas[0], style, sink);
  return 0;
}
