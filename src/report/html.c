//===- html.c - the memory map as one interactive page --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is the report's JSON and a program that draws it: whatever the page says
// was computed by the planner or from its offsets, not written into the page.
//
//===----------------------------------------------------------------------===//

#include "frontiers.h"
#include "profile.h"
#include "put.h"
#include "scale.h"
#include "streams.h"
#include "web.h"

#include <stdlib.h>
#include <string.h>

static void open_page(const char *title, stow_sink sink) {
  stow_report_put(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  stow_report_put_markup(sink, title);
  STOW_PUT(sink, "</title>\n<style>\n", stow_report_web_style, "</style>\n</head>\n<body>\n",
           stow_report_web_body);
}

static void close_page(stow_sink sink) {
  stow_report_put(
      sink, "<script>\n\"use strict\";\n// What the strategies' names mean.\nconst strategies = {");
#define PUT_STRATEGY(ENUM, NAME, HELP) stow_report_put(sink, "\n  \"" NAME "\": \"" HELP "\",");
  STOW_STRATEGIES(PUT_STRATEGY)
#undef PUT_STRATEGY
  STOW_PUT(sink, "\n};\n", stow_report_web_script, "</script>\n</body>\n</html>\n");
}

// JSON within a script element. There a "<" stands in strings only.
static void put_script(void *user, const char *text, size_t size) {
  const stow_sink *sink = user;
  for (const char *at; (at = memchr(text, '<', size)); text = at + 1) {
    stow_report_put_bytes(*sink, text, (size_t)(at - text));
    stow_report_put(*sink, "\\u003c");
    size -= (size_t)(at - text) + 1;
  }
  stow_report_put_bytes(*sink, text, size);
}

static void open_data(stow_sink sink, const char *id, const char *file) {
  STOW_PUT(sink, "<script type=\"application/json\" id=\"", id);
  if (file) {
    stow_report_put(sink, "\" data-file=\"");
    stow_report_put_markup(sink, file);
  }
  stow_report_put(sink, "\">");
}

// An arena of its largest buffers, with what is known of all.
typedef struct thinned {
  stow_report_buffer *buffers; // NULL: it is as it was
  stow_report_totals totals;
  stow_profile profile;
} thinned;

static stow_status thin(stow_report_arena *arena, thinned *out) {
  size_t *chosen, count;
  out->totals = stow_report_sum(arena);
  if (out->totals.planned <= STOW_HTML_BUFFERS)
    return STOW_OK;
  stow_status status = stow_profile_make(arena, &out->profile);
  if (status == STOW_OK)
    status = stow_report_choose_largest(arena, STOW_HTML_LARGEST, &chosen, &count);
  if (status != STOW_OK)
    return status;
  out->buffers = malloc((count + 1) * sizeof *out->buffers);
  for (size_t i = 0; out->buffers && i < count; i++)
    out->buffers[i] = arena->buffers[chosen[i]];
  free(chosen);
  arena->buffers = out->buffers;
  arena->buffer_count = count;
  arena->relations = NULL;
  arena->relation_count = 0;
  arena->totals = &out->totals;
  arena->profile = &out->profile;
  return out->buffers ? STOW_OK : STOW_NO_MEMORY;
}

static stow_status put_thinned(const stow_report *report, stow_sink sink) {
  const size_t count = report->arena_count;
  stow_report_arena *const arenas = malloc((count + 1) * sizeof *arenas);
  thinned *const all = calloc(count + 1, sizeof *all);
  stow_status status = arenas && all ? STOW_OK : STOW_NO_MEMORY;
  for (size_t i = 0; status == STOW_OK && i < count; i++) {
    arenas[i] = report->arenas[i];
    status = thin(&arenas[i], &all[i]);
  }
  if (status == STOW_OK) {
    stow_report shown = *report;
    shown.arenas = arenas;
    stow_report_json(&shown, (stow_sink){put_script, &sink});
  }
  for (size_t i = 0; all && i < count; i++) {
    free(all[i].buffers);
    stow_profile_release(&all[i].profile);
  }
  free(arenas);
  free(all);
  return status;
}

static stow_status put_data(stow_sink sink, const char *id, const stow_report *report) {
  stow_status status = STOW_OK;
  open_data(sink, id, NULL);
  if (report)
    status = put_thinned(report, sink);
  else
    stow_report_put(sink, "null");
  stow_report_put(sink, "</script>\n");
  return status;
}

stow_status stow_report_html(const stow_report *report, const stow_report *other, stow_sink sink) {
  open_page(report->title, sink);
  const stow_status first = put_data(sink, "plan-data", report);
  const stow_status second = put_data(sink, "other-data", other);
  close_page(sink);
  return first != STOW_OK ? first : second;
}

//===----------------------------------------------------------------------===//
// Of JSON
//===----------------------------------------------------------------------===//

// `file` is the name of the file that the report is from, or NULL.
static void put_json_data(stow_sink sink, const char *id, const char *json, const char *file) {
  static const char mark[] = "\xEF\xBB\xBF"; // of the byte order
  const bool marked = !strncmp(json, mark, strlen(mark));
  open_data(sink, id, file);
  put_script(&sink, marked ? json + strlen(mark) : json,
             strlen(json) - (marked ? strlen(mark) : 0));
  stow_report_put(sink, "</script>\n");
}

void stow_report_html_of_json(const char *report, const char *file, const char *other,
                              const char *other_file, stow_sink sink) {
  open_page("memory map", sink);
  put_json_data(sink, "plan-data", report, file);
  put_json_data(sink, "other-data", other ? other : "null", other_file);
  close_page(sink);
}

//===----------------------------------------------------------------------===//
// With streams
//===----------------------------------------------------------------------===//

static void put_summary_cell(stow_sink sink, const char *text) {
  stow_report_put(sink, "<td>");
  stow_report_put_markup(sink, text);
  stow_report_put(sink, "</td>");
}

static void put_summary_row(stow_sink sink, const stow_report_streamed *function, size_t index) {
  const stow_report_stream *const stream = &function->streams[index];
  stow_report_put(sink, "<tr>");
  put_summary_cell(sink, function->function);
  put_summary_cell(sink, stow_report_cell_unsigned(index + 1).text);
  put_summary_cell(sink, stow_report_cell_unsigned(stream->op_count).text);
  put_summary_cell(sink, stow_report_cell_signed(stream->steps).text);
  put_summary_cell(sink, stow_report_cell_unsigned(stream->buffer_count).text);
  put_summary_cell(sink, stow_report_cell_size(stream->bytes).text);
  put_summary_cell(sink, stow_report_cell_size(stream->kept_bytes).text);
  stow_report_put(sink, "</tr>\n");
}

// A row for each stream, before their pictures.
static void put_summary(const stow_report_streams *report, stow_sink sink) {
  static const char *const heads[] = {"function", "stream",       "ops", "steps",
                                      "buffers",  "bytes before", "kept"};
  stow_report_put(sink, "<table>\n<tr>");
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    STOW_PUT(sink, "<th>", heads[i], "</th>");
  stow_report_put(sink, "</tr>\n");
  for (size_t i = 0; i < report->function_count; i++)
    for (size_t k = 0; !report->functions[i].undone && k < report->functions[i].stream_count; k++)
      put_summary_row(sink, &report->functions[i], k);
  stow_report_put(sink, "</table>\n");
}

static void put_function_streams(const stow_report_streamed *function, size_t index,
                                 stow_sink sink) {
  for (size_t i = 0; i < function->stream_count; i++) {
    char id[64] = "f";
    strcat(id, stow_report_cell_unsigned(index).text);
    strcat(strcat(id, "s"), stow_report_cell_unsigned(i).text);
    stow_report_put_stream_bands(sink, function, i, id);
  }
}

static void put_streams(const stow_report_streams *report, stow_sink sink) {
  stow_report_put(sink, "<section id=\"streams\">\n");
  put_summary(report, sink);
  for (size_t i = 0; i < report->function_count; i++)
    if (!report->functions[i].undone)
      put_function_streams(&report->functions[i], i, sink);
  stow_report_put(sink, "</section>\n");
}

// The end of a page with a section of a pass before the maps.
static void close_with_maps(const char *map, const char *map_before, stow_sink sink) {
  put_json_data(sink, "plan-data", map, NULL);
  put_json_data(sink, "other-data", map_before, NULL);
  close_page(sink);
}

void stow_report_streams_html(const stow_report_streams *report, stow_sink sink) {
  open_page(report->title, sink);
  put_streams(report, sink);
  close_with_maps(report->map, report->map_before, sink);
}

void stow_report_frontiers_html(const stow_report_frontiers *report, stow_sink sink) {
  open_page(report->title, sink);
  stow_report_put_frontiers(report, sink);
  close_with_maps(report->map, report->map_before, sink);
}
