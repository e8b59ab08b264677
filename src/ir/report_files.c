//===- report_files.c - the reports that options ask for ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// A report on standard output would stand in the middle of the IR.
static bool is_file(const char *path) { return *path != '\0' && strcmp(path, "-") != 0; }

// FILE of FORMAT:FILE; null where that is not what it is.
static const char *path_of(const stow_report_files *files, const char *report,
                           const stow_report_format **out_format) {
  for (size_t i = 0; i < files->formats->count; ++i) {
    const size_t length = strlen(files->formats->at[i].name);
    *out_format = &files->formats->at[i];
    if (strncmp(report, files->formats->at[i].name, length) == 0 && report[length] == ':')
      return is_file(report + length + 1) ? report + length + 1 : NULL;
  }
  return NULL;
}

static bool is_for_terminal(const char *report) { return strcmp(report, "text") == 0; }

static bool refuse(const stow_report_files *files, const char *report) {
  stow_text text = {0};
  for (size_t i = 0; i < files->formats->count; ++i)
    stow_text_printf(&text, ", %s:FILE", files->formats->at[i].name);
  stow_ir_refuse(mlirOperationGetLocation(files->module),
                 "%s: report must be text%s or none, not '%s'", files->pass, text.data, report);
  free(text.data);
  return false;
}

bool stow_ir_reports_are_known(const stow_report_files *files) {
  const stow_report_format *format;
  for (size_t i = 0; i < files->report_count; ++i)
    if (!is_for_terminal(files->reports[i]) && !path_of(files, files->reports[i], &format))
      return refuse(files, files->reports[i]);
  return true;
}

static bool write_file(const stow_report_files *files, const char *path, const stow_text *text) {
  return stow_text_write(text, path) || stow_ir_refuse(mlirOperationGetLocation(files->module),
                                                       "%s: cannot write the report to '%s': %s",
                                                       files->pass, path, strerror(errno));
}

bool stow_ir_can_report(const stow_report_files *files) {
  const stow_report_format *format;
  if (!stow_ir_reports_are_known(files))
    return false;
  for (size_t i = 0; i < files->report_count; ++i) {
    const char *path = path_of(files, files->reports[i], &format);
    if (path && !write_file(files, path, &(const stow_text){.data = ""}))
      return false;
  }
  return true;
}

// "plan.csv" and 2 make "plan-2.csv"; of 1, the path itself.
static char *numbered_path(const char *path, size_t number) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t stem =
      dot && dot > path && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
  return number > 1 ? stow_ir_format("%.*s-%zu%s", (int)stem, path, number, path + stem)
                    : stow_ir_format("%s", path);
}

static bool write_part(const stow_report_files *files, const stow_report_format *format,
                       const char *path, const void *report, size_t part) {
  stow_text text = {0};
  stow_text_append(&text, "", 0);
  if (format->put)
    format->put(report, stow_ir_sink_to(&text));
  else
    format->put_part(report, part, stow_ir_sink_to(&text));
  char *numbered = numbered_path(path, part + 1);
  const bool written = write_file(files, numbered, &text);
  free(numbered);
  free(text.data);
  return written;
}

static bool write_parts(const stow_report_files *files, const stow_report_format *format,
                        const char *path, const void *report) {
  const size_t count = format->put ? 1 : format->part_count(report);
  for (size_t part = 0; part < count; ++part)
    if (!write_part(files, format, path, report, part))
      return false;
  return true;
}

static void print(const stow_report_format *format, const void *report) {
  stow_text text = {0};
  stow_text_append(&text, "", 0);
  format->put(report, stow_ir_sink_to(&text));
  fwrite(text.data, 1, text.size, stderr);
  free(text.data);
}

bool stow_ir_write_reports(const stow_report_files *files, const void *report) {
  const stow_report_format *format;
  for (size_t i = 0; i < files->report_count; ++i) {
    const char *path = path_of(files, files->reports[i], &format);
    if (!path)
      print(&files->formats->at[0], report);
    else if (!write_parts(files, format, path, report))
      return false;
  }
  return true;
}

bool stow_ir_reports_want_maps(const stow_report_files *files) {
  const stow_report_format *format;
  for (size_t i = 0; i < files->report_count; ++i)
    if (path_of(files, files->reports[i], &format) && format->maps)
      return true;
  return false;
}
