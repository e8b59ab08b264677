//===- report.h - what stream-rows did, for its reports -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is described before it is carried out, as the allocs are there then; and
// written when the whole module is as it will stay.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_REPORT_H
#define STOWAGE_ROWS_REPORT_H

#include "ir/report_files.h"
#include "report/streams.h"
#include "rows/block.h"
#include "stowage/passes.h"

// The streams of a function and what stayed whole. A zeroed one is empty.
typedef struct stow_rows_account {
  STOW_ARRAY(stow_report_stream) streams;
  STOW_ARRAY(stow_report_whole) wholes;
  STOW_ARRAY(void *) memory; // of all that they point to
} stow_rows_account;

// Adds a block of the function.
void stow_rows_describe(stow_rows_account *to, MlirOperation function, const stow_rows_block *block,
                        const stow_rows_problem *problem, const stow_stream_cut *cut,
                        const stow_stream_places *places);
void stow_rows_account_free(stow_rows_account *account);

// The entry of the function in the report. It points into the account.
stow_report_streamed stow_rows_streamed(stow_rows_account *account, MlirOperation function,
                                        uint64_t before, uint64_t after);

// For a stow_report_streams.
stow_report_files stow_rows_files(MlirOperation module, const stow_stream_rows_options *options);

#endif // STOWAGE_ROWS_REPORT_H
