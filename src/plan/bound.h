//===- bound.h - how small an arena could be ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_BOUND_H
#define STOWAGE_PLAN_BOUND_H

#include "model.h"

// No plan of the model has a smaller arena: the load with the padding that the alignment common to
// all blocks forces, the largest block, and the end of the highest fixed buffer. `*out_peak`, where
// not NULL, is the first section in which that load is reached.
stow_status stow_model_bound(const stow_model *model, stow_memory *memory, uint64_t *out_bound,
                             uint32_t *out_peak);

#endif // STOWAGE_PLAN_BOUND_H
