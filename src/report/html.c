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

#include "json.h"
#include "put.h"
#include "web.h"

static void put_data(stow_sink sink, const char *id, const stow_report *report) {
  stow_put(sink, "<script type=\"application/json\" id=\"");
  stow_put(sink, id);
  stow_put(sink, "\">");
  if (report)
    stow_put_report(report, sink, stow_put_script_string);
  else
    stow_put(sink, "null");
  stow_put(sink, "</script>\n");
}

void stow_report_html(const stow_report *report, const stow_report *other, stow_sink sink) {
  stow_put(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  stow_put_markup(sink, report->title);
  stow_put(sink, "</title>\n<style>\n");
  stow_put(sink, stow_web_style);
  stow_put(sink, "</style>\n</head>\n<body>\n");
  stow_put(sink, stow_web_body);
  put_data(sink, "plan-data", report);
  put_data(sink, "other-data", other);
  stow_put(sink, "<script>\n\"use strict\";\n");
  stow_put(sink, stow_web_script);
  stow_put(sink, "</script>\n</body>\n</html>\n");
}
