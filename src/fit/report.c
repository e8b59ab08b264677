//===- report.c - the reports of fit-memory -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frees what the frontiers of fit-memory point to, and names its reports.
//
//===----------------------------------------------------------------------===//

#include "fit/report.h"

void stow_fit_report_free(stow_fit_report *report) {
  STOW_EACH(void *, memory, report->memory)
    free(*memory);
  free(report->memory.at);
  free(report->functions.at);
  free(report->memories.at);
  free((char *)report->frontiers.map);
  free((char *)report->frontiers.map_before);
  *report = (stow_fit_report){0};
}

void stow_fit_report_memories(stow_fit_report *report, const stow_machine *machine) {
  STOW_EACH(const stow_machine_memory, memory, machine->all)
    if (memory->name)
      STOW_PUSH(report->memories, (stow_report_memory){memory->name, memory->bytes});
  report->frontiers.memories = report->memories.at;
  report->frontiers.memory_count = report->memories.count;
  report->frontiers.capacity = machine->all.at[0].bytes;
}

stow_report_files stow_fit_files(MlirOperation module, const stow_fit_memory_options *options) {
  return (stow_report_files){.module = module,
                             .pass = STOW_FIT_PASS,
                             .formats = &stow_report_frontiers_formats,
                             .reports = options->reports,
                             .report_count = options->report_count};
}
