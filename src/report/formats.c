//===- formats.c - the formats of each kind of report ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "formats.h"

#include "frontiers.h"
#include "orders.h"
#include "streams.h"

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool is_problem(const stow_report_arena *arena) {
  return stow_report_sum(arena).planned > 0;
}

// A problem per arena with planned buffers; an empty one where no arena has any.
static size_t count_problems(const void *user) {
  const stow_report *report = user;
  size_t count = 0;
  for (size_t a = 0; a < report->arena_count; ++a)
    count += is_problem(&report->arenas[a]);
  return count > 0 ? count : 1;
}

static void put_problem(const void *user, size_t part, stow_sink sink) {
  const stow_report *report = user;
  static const stow_report_arena none = {0};
  const stow_report_arena *found = &none;
  for (size_t a = 0; a < report->arena_count; ++a)
    if (is_problem(&report->arenas[a]) && part-- == 0)
      found = &report->arenas[a];
  stow_report_csv(found, sink);
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

#define FORMAT(put, render)                                                                        \
  static void put(const void *report, stow_sink sink) { render(report, sink); }

FORMAT(put_text, stow_report_text)
FORMAT(put_json, stow_report_json)
FORMAT(put_trace, stow_report_trace)
FORMAT(put_streams_text, stow_report_streams_text)
FORMAT(put_streams_json, stow_report_streams_json)
FORMAT(put_streams_html, stow_report_streams_html)
FORMAT(put_orders_text, stow_report_orders_text)
FORMAT(put_orders_json, stow_report_orders_json)
FORMAT(put_frontiers_text, stow_report_frontiers_text)
FORMAT(put_frontiers_json, stow_report_frontiers_json)
FORMAT(put_frontiers_html, stow_report_frontiers_html)

static void put_html(const void *report, stow_sink sink) { stow_report_html(report, NULL, sink); }

#define LIST(table) {table, sizeof table / sizeof *table}

static const stow_report_format memory[] = {
    {.name = "text", .put = put_text},
    {.name = "json", .put = put_json},
    {.name = "csv", .part_count = count_problems, .put_part = put_problem},
    {.name = "html", .put = put_html},
    {.name = "trace", .put = put_trace}};
const stow_report_format_list stow_report_formats = LIST(memory);

static const stow_report_format streams[] = {
    {.name = "text", .put = put_streams_text},
    {.name = "json", .put = put_streams_json},
    {.name = "html", .put = put_streams_html, .maps = true}};
const stow_report_format_list stow_report_streams_formats = LIST(streams);

static const stow_report_format orders[] = {{.name = "text", .put = put_orders_text},
                                            {.name = "json", .put = put_orders_json}};
const stow_report_format_list stow_report_orders_formats = LIST(orders);

static const stow_report_format frontiers[] = {
    {.name = "text", .put = put_frontiers_text},
    {.name = "json", .put = put_frontiers_json},
    {.name = "html", .put = put_frontiers_html, .maps = true}};
const stow_report_format_list stow_report_frontiers_formats = LIST(frontiers);
