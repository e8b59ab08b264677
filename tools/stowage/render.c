//===- render.c - maps into files and onto terminals ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "render.h"

#include "put.h"
#include "scale.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

bool tool_has_suffix(const char *name, const char *suffix) {
  const size_t size = strlen(name), of_suffix = strlen(suffix);
  return size >= of_suffix && !strcmp(name + size - of_suffix, suffix);
}

static stow_status draw_svg(const stow_report *report, const stow_report *other, stow_sink sink) {
  (void)other;
  return stow_report_svg(report, sink);
}

// What a map is drawn as, by the end of its file's name.
typedef struct drawing {
  const char *suffix;
  stow_status (*draw)(const stow_report *report, const stow_report *other, stow_sink sink);
} drawing;

static const drawing drawings[] = {{".html", stow_report_html}, {".svg", draw_svg}};

static const drawing *drawing_of(const char *name) {
  for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++)
    if (tool_has_suffix(name, drawings[i].suffix))
      return &drawings[i];
  fprintf(stderr, "stowage: error: expected a map named FILE.html or FILE.svg, found '%s'\n", name);
  return NULL;
}

bool tool_check_map_name(const char *name) { return drawing_of(name); }

bool tool_write_map(const stow_report *report, const stow_report *other, const char *name) {
  tool_output output;
  const drawing *as = drawing_of(name);
  if (!as || !tool_output_open(name, &output))
    return false;
  const stow_status status = as->draw(report, other, tool_file_sink(output.file));
  if (status != STOW_OK)
    fprintf(stderr, "%s: error: out of memory\n", name);
  return tool_output_close(&output, status == STOW_OK) && status == STOW_OK;
}

// The first of the variables that is set decides, as for the C library.
static bool locale_is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *value = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !(value && *value); i++)
    value = getenv(names[i]);
  return value && (strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8"));
}

stow_map_style tool_map_style(FILE *stream) {
  const char *const no_color = getenv("NO_COLOR");
  return (stow_map_style){
      .columns = tool_terminal_columns(stream),
      .utf8 = locale_is_utf8(),
      .color = tool_is_terminal(stream) && !(no_color && *no_color),
  };
}

static void put_space_title(const stow_report_arena *arena, stow_sink sink) {
  stow_report_put(sink, "\nmemory space ");
  stow_report_put_all_shown(sink, arena->memory_space);
}

bool tool_print_maps(const stow_report *report, FILE *stream) {
  const stow_map_style style = tool_map_style(stream);
  const stow_sink sink = tool_file_sink(stream);
  for (size_t i = 0; i < report->arena_count; i++) {
    const stow_report_arena *const arena = &report->arenas[i];
    if (!stow_report_has_plan(arena))
      continue;
    if (report->arena_count > 1)
      put_space_title(arena, sink);
    fputc('\n', stream);
    if (stow_report_map_text(arena, style, sink) != STOW_OK)
      return false;
  }
  return true;
}
