//===- forward.h - values that go straight from a store to its loads ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_FORWARD_H
#define STOWAGE_TASKFLOW_FORWARD_H

#include "taskflow/nest.h"
#include "taskflow/reasons.h"

typedef struct stow_forward_options {
  bool reduction;          // also keep a cell in a value that a loop carries
  bool distinct_arguments; //
} stow_forward_options;

// In `body`: gives each load of `buffer` the value that the same iteration stored to its cell,
// where that is known, and removes stores that are overwritten before any load.
void stow_forward(MlirBlock body, MlirValue buffer, stow_forward_options options);

// Whether `body` names `buffer` in nothing but stores to it.
bool stow_is_only_stored(MlirBlock body, MlirValue buffer);

// Removes all stores to `buffer` in `body`.
void stow_remove_stores(MlirBlock body, MlirValue buffer);

// Why `load` was not forwarded.
stow_fusion_reason stow_why_not_forwarded(MlirBlock body, MlirOperation load);

// Removes ops without users that only read or compute.
void stow_remove_unused(MlirBlock body);

#endif // STOWAGE_TASKFLOW_FORWARD_H
