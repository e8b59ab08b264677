//===- report_files.h - the reports that options ask for ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass's option `report` is a list of "text" (to standard error) and FORMAT:FILE. The
// formats of a pass begin with `text`. Of a report of parts the first goes to FILE, the others to
// files with "-2", "-3", ... before the extension.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_REPORT_FILES_H
#define STOWAGE_IR_REPORT_FILES_H

#include "ir/support.h"
#include "report/formats.h"

// What is written there is appended to the text.
static inline stow_sink stow_ir_sink_to(stow_text *text) {
  return (stow_sink){stow_text_collect, text};
}

typedef struct stow_report_files {
  MlirOperation module; // where errors are located
  const char *pass;
  const stow_report_format_list *formats;
  const char *const *reports; // the option's
  size_t report_count;
} stow_report_files;

// False, with a located error, where one is not in the table.
bool stow_ir_reports_are_known(const stow_report_files *files);

// The same, and where a file cannot be written. It is emptied.
bool stow_ir_can_report(const stow_report_files *files);

// Whether a report is asked for that shows memory maps.
bool stow_ir_reports_want_maps(const stow_report_files *files);

// False, with a located error, where a file cannot be written.
bool stow_ir_write_reports(const stow_report_files *files, const void *report);

#endif // STOWAGE_IR_REPORT_FILES_H
