//===- report.h - what fit-memory found, for its reports ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FIT_REPORT_H
#define STOWAGE_FIT_REPORT_H

#include "fit/fit.h"
#include "frontiers.h"
#include "ir/report_files.h"

#define STOW_FIT_PASS "fit-memory"

typedef struct stow_fit_report {
  stow_report_frontiers frontiers;
  STOW_ARRAY(stow_report_fitted) functions;
  STOW_ARRAY(stow_report_memory) memories;
  STOW_ARRAY(void *) memory; // of strings and tables
} stow_fit_report;

// Frees what the report has.
void stow_fit_report_free(stow_fit_report *report);

// Adds the machine's memories that have a name.
void stow_fit_report_memories(stow_fit_report *report, const stow_machine *machine);

// The files are for its frontiers.
stow_report_files stow_fit_files(MlirOperation module, const stow_fit_memory_options *options);

// frontier.c: sets the points of a function, its block given. `effort`: of all searches.
void stow_fit_draw(const stow_fit_block *block, uint64_t effort, stow_fit_report *to,
                   stow_report_fitted *out);

#endif // STOWAGE_FIT_REPORT_H
