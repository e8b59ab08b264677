//===- cmd_map.c - stowage map --------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "loaded.h"
#include "page.h"
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tool_exit draw(const tool_options *options, const tool_loaded *plan,
                      const tool_loaded *other) {
  const stow_report *const report = &plan->model.report;
  if (*options->drawing && strcmp(options->drawing, "-"))
    return tool_write_map(report, other ? &other->model.report : NULL, options->drawing) ? TOOL_DONE
                                                                                         : TOOL_BAD;
  const bool done = tool_print_maps(report, stdout);
  return done ? TOOL_DONE : tool_report_status(report->arenas->function, STOW_NO_MEMORY);
}

static bool check_compare(const tool_options *options) {
  if (!*options->compare || tool_has_suffix(options->drawing, ".html"))
    return true;
  fprintf(stderr, "stowage map: error: only --output=FILE.html can show --compare '%s'\n",
          options->compare);
  return false;
}

static bool check_drawing(const char *name) {
  return !*name || !strcmp(name, "-") || (tool_check_map_name(name) && tool_output_check(name));
}

static tool_exit draw_instances(const tool_options *options, const char *input) {
  tool_loaded plan, other;
  tool_exit done = TOOL_BAD;
  if (!tool_load_plan(input, options, &plan, &done))
    return done;
  const bool compare = *options->compare;
  if (!compare || tool_load_plan(options->compare, options, &other, &done)) {
    const bool same =
        !compare || tool_check_same(&plan.instance, tool_source_name(input), &other.instance,
                                    tool_source_name(options->compare));
    done = same ? draw(options, &plan, compare ? &other : NULL) : TOOL_BAD;
    if (compare)
      tool_loaded_release(&other);
  }
  tool_loaded_release(&plan);
  return done;
}

// A page shows all of a report, unless options choose or change something of it.
static bool shows_reports(const tool_options *options) {
  return tool_has_suffix(options->drawing, ".html") && !options->arena && !options->capacity &&
         !*options->spaces;
}

static tool_page_kind draw_reports(const tool_options *options, const char *input,
                                   tool_exit *out_exit) {
  char *report = NULL, *other = NULL;
  tool_page_kind kind = tool_read_page(input, &report, out_exit);
  if (kind == TOOL_PAGE_REPORT && *options->compare)
    kind = tool_read_page(options->compare, &other, out_exit);
  if (kind == TOOL_PAGE_REPORT && !tool_write_page(options, input, report, other))
    *out_exit = TOOL_BAD;
  free(report);
  free(other);
  return kind;
}

tool_exit tool_map(const tool_options *options) {
  const bool fine = check_compare(options) && check_drawing(options->drawing);
  const char *const input = fine ? tool_single_input(options) : NULL;
  tool_exit done = TOOL_BAD;
  if (input && (!shows_reports(options) || draw_reports(options, input, &done) == TOOL_PAGE_OTHER))
    return draw_instances(options, input);
  return done;
}
