//===- page.c - a page of the report that a file holds --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "page.h"

#include "array.h"
#include "loaded.h"
#include "output.h"
#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A file on its way through a stream, and what has been read of it.
typedef struct page_source {
  const char *name;
  FILE *file;
  char *text;
  size_t size, capacity;
  bool large;
  tool_exit exit;
} page_source;

static size_t read_and_keep(void *user, char *bytes, size_t size, bool *out_failed) {
  page_source *const from = user;
  const size_t got = fread(bytes, 1, size, from->file);
  *out_failed = ferror(from->file) ||
                !tool_reserve((void **)&from->text, &from->capacity, from->size + got + 1, 1);
  if (*out_failed)
    return 0;
  memcpy(from->text + from->size, bytes, got);
  from->text[from->size += got] = '\0';
  return got;
}

static bool check_arena(void *user, const tool_instance *arena) {
  page_source *const from = user;
  from->large |= arena->count > STOW_HTML_BUFFERS;
  from->exit = tool_check_plan(arena, from->name, 0);
  return from->exit == TOOL_DONE;
}

// A report is an object.
static bool may_be_report(tool_stream *stream) {
  tool_skip_byte_order_mark(stream);
  return tool_peek(stream) == '{';
}

static tool_page_kind read_stream(page_source *from, tool_stream *stream) {
  bool report = false;
  tool_error error;
  tool_stream_open(stream, read_and_keep, from);
  if (!may_be_report(stream))
    return TOOL_PAGE_OTHER;
  if (tool_read_report(stream, check_arena, from, &report, &error))
    return report && !from->large ? TOOL_PAGE_REPORT : TOOL_PAGE_OTHER;
  if (from->exit == TOOL_DONE) {
    from->exit = TOOL_BAD;
    tool_print_error(from->name, &error);
  }
  return TOOL_PAGE_BAD;
}

static tool_page_kind read_open(page_source *from) {
  struct stat about;
  tool_stream *const stream = malloc(sizeof *stream);
  const bool again = stream && !fstat(fileno(from->file), &about) && S_ISREG(about.st_mode);
  const tool_page_kind kind = again ? read_stream(from, stream) : TOOL_PAGE_OTHER;
  free(stream);
  return kind;
}

tool_page_kind tool_read_page(const char *name, char **out_text, tool_exit *out_exit) {
  const bool standard = !strcmp(name, "-");
  page_source from = {.name = tool_source_name(name),
                      .file = standard ? stdin : fopen(name, "rb"),
                      .exit = TOOL_DONE};
  if (!from.file)
    return TOOL_PAGE_OTHER;
  const tool_page_kind kind = read_open(&from);
  if (!standard)
    fclose(from.file);
  else if (kind == TOOL_PAGE_OTHER)
    rewind(stdin);
  *out_exit = from.exit;
  if (kind == TOOL_PAGE_REPORT)
    *out_text = from.text;
  else
    free(from.text);
  return kind;
}

bool tool_write_page(const tool_options *options, const char *input, const char *report,
                     const char *other) {
  tool_output output;
  if (!tool_output_open(options->drawing, &output))
    return false;
  stow_report_html_of_json(report, other ? tool_source_name(input) : NULL, other,
                           other ? tool_source_name(options->compare) : NULL,
                           tool_file_sink(output.file));
  return tool_output_close(&output, true);
}
