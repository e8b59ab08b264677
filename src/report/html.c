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

#include "put.h"
#include "streams.h"
#include "web.h"

#include <string.h>

static void open_page(const char *title, stow_sink sink) {
  stow_put(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  stow_put_markup(sink, title);
  STOW_PUT(sink, "</title>\n<style>\n", stow_web_style, "</style>\n</head>\n<body>\n",
           stow_web_body);
}

static void close_page(stow_sink sink) {
  STOW_PUT(sink, "<script>\n\"use strict\";\n", stow_web_script, "</script>\n</body>\n</html>\n");
}

// JSON within a script element. There a "<" stands in strings only.
static void put_script(void *user, const char *text, size_t size) {
  const stow_sink *sink = user;
  for (const char *at; (at = memchr(text, '<', size)); text = at + 1) {
    stow_put_bytes(*sink, text, (size_t)(at - text));
    stow_put(*sink, "\\u003c");
    size -= (size_t)(at - text) + 1;
  }
  stow_put_bytes(*sink, text, size);
}

static void open_data(stow_sink sink, const char *id) {
  STOW_PUT(sink, "<script type=\"application/json\" id=\"", id, "\">");
}

static void put_data(stow_sink sink, const char *id, const stow_report *report) {
  open_data(sink, id);
  if (report)
    stow_report_json(report, (stow_sink){put_script, &sink});
  else
    stow_put(sink, "null");
  stow_put(sink, "</script>\n");
}

void stow_report_html(const stow_report *report, const stow_report *other, stow_sink sink) {
  open_page(report->title, sink);
  put_data(sink, "plan-data", report);
  put_data(sink, "other-data", other);
  close_page(sink);
}

//===----------------------------------------------------------------------===//
// With streams
//===----------------------------------------------------------------------===//

static void put_json_data(stow_sink sink, const char *id, const char *json) {
  open_data(sink, id);
  put_script(&sink, json, strlen(json));
  stow_put(sink, "</script>\n");
}

static void put_function_streams(const stow_report_streamed *function, size_t index,
                                 stow_sink sink) {
  for (size_t i = 0; i < function->stream_count; i++) {
    char id[64] = "f";
    strcat(id, stow_cell_unsigned(index).text);
    strcat(strcat(id, "s"), stow_cell_unsigned(i).text);
    stow_put_stream_svg(sink, function, i, id);
  }
}

static void put_streams(const stow_report_streams *report, stow_sink sink) {
  stow_put(sink, "<section id=\"streams\">\n");
  for (size_t i = 0; i < report->function_count; i++)
    if (!report->functions[i].undone)
      put_function_streams(&report->functions[i], i, sink);
  stow_put(sink, "</section>\n");
}

void stow_report_streams_html(const stow_report_streams *report, const char *map,
                              const char *map_before, stow_sink sink) {
  open_page(report->title, sink);
  put_streams(report, sink);
  put_json_data(sink, "plan-data", map);
  put_json_data(sink, "other-data", map_before);
  close_page(sink);
}
