//===- offsets.h - what byte offsets may be ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_OFFSETS_H
#define STOWAGE_CHECK_OFFSETS_H

#include "check/program.h"

// An offset as an SSA value (or null) and a constant on top of it.
MlirValue stow_check_offset_split(MlirValue value, int64_t *out_constant);

typedef struct stow_check_range {
  int64_t least, most; // 0 <= least <= most
} stow_check_range;

// What an offset may be, as constants tell: those in it, and the bounds of loops around it.
// False where they do not.
bool stow_check_offset_range(MlirValue value, stow_check_range *out);

// Whether constant bounds allow a parallel loop one iteration at most.
bool stow_check_loop_runs_once(MlirOperation loop);

#endif // STOWAGE_CHECK_OFFSETS_H
