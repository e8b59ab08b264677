//===- figures.h - what a program holds and does: bytes, loads, stores --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_FIGURES_H
#define STOWAGE_TASKFLOW_FIGURES_H

#include "ir/support.h"

// Loads and stores as often as they run, as far as the trip counts of affine.for loops are
// constant; a loop whose count is not known counts as one iteration.
typedef struct stow_figures {
  uint64_t tasks, bytes, loads, stores;
  bool exact; // all trip counts and all sizes are known
} stow_figures;

// The accesses in `op` to memory that it does not allocate itself; tasks and bytes are 0.
stow_figures stow_accesses_in(MlirOperation op);

// The same for one buffer.
stow_figures stow_accesses_to(MlirOperation op, MlirValue buffer);

// The tasks of a function, what they access, and the bytes of the buffers that they use and that
// the function allocates.
stow_figures stow_figures_of(MlirOperation function);

void stow_figures_add(stow_figures *sum, const stow_figures *figures);

// The bytes of a local allocation; false where they are not known.
bool stow_allocation_bytes(MlirValue buffer, uint64_t *out_bytes);

#endif // STOWAGE_TASKFLOW_FIGURES_H
