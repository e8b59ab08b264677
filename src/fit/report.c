//===- report.c - the reports of fit-memory -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fit/report.h"

void stow_fit_report_free(stow_fit_report *report) {
  STOW_EACH(void *, memory, report->memory)
    free(*memory);
  free(report->memory.at);
  free(report->functions.at);
  free(report->memories.at);
  free(report->map);
  free(report->map_before);
  *report = (stow_fit_report){0};
}

static void put_text(const void *user, stow_text *out) {
  const stow_fit_report *report = user;
  stow_report_frontiers_text(&report->frontiers, stow_sink_to(out));
}

static void put_json(const void *user, stow_text *out) {
  const stow_fit_report *report = user;
  stow_report_frontiers_json(&report->frontiers, stow_sink_to(out));
}

static void put_html(const void *user, stow_text *out) {
  const stow_fit_report *report = user;
  stow_report_frontiers_html(&report->frontiers, report->map, report->map_before,
                             stow_sink_to(out));
}

static const stow_report_format formats[] = {{.name = "text", .put = put_text},
                                             {.name = "json", .put = put_json},
                                             {.name = "html", .put = put_html}};

stow_report_files stow_fit_files(MlirOperation module, const stow_fit_memory_options *options) {
  return (stow_report_files){.module = module,
                             .pass = "fit-memory",
                             .formats = formats,
                             .format_count = sizeof formats / sizeof *formats,
                             .reports = options->reports,
                             .report_count = options->report_count};
}
