//===- solve.h - what is needed where, and what destroys it ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_SOLVE_H
#define STOWAGE_CHECK_SOLVE_H

#include "check/program.h"

typedef enum stow_check_fault_kind {
  STOW_CHECK_FAULT_CLOBBERED, // `by` writes through `other` what `written` wrote and `reader` reads
  STOW_CHECK_FAULT_USED,      // `reader` uses what `by` has freed
  STOW_CHECK_FAULT_FREED,     // `reader` frees what `by` has freed
} stow_check_fault_kind;

typedef struct stow_check_fault {
  stow_check_fault_kind kind;
  int32_t name, other;         // the view or arena; the view in its way
  int32_t by, written, reader; // ops
  stow_check_bytes bytes;      // of `name`
} stow_check_fault;

// False where the effort does not suffice. `out_faults` is sorted, and freed by the caller.
bool stow_check_faults_find(const stow_check_program *program, stow_check_fault **out_faults,
                            size_t *out_count);

#endif // STOWAGE_CHECK_SOLVE_H
