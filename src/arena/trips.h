//===- trips.h - how often a parallel loop runs its body -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_TRIPS_H
#define STOWAGE_ARENA_TRIPS_H

#include "ir/build.h"

// One dimension of a loop whose bounds are constants.
typedef struct stow_trip_range {
  int64_t lower, step; // step > 0
  uint64_t trips;
} stow_trip_range;

// The dimensions of an scf.parallel or scf.forall, outermost first, freed with free(); NULL where a
// bound or a step is not constant. `out_trips`: their product, UINT64_MAX where it does not fit.
stow_trip_range *stow_trip_ranges(MlirOperation loop, size_t *out_count, uint64_t *out_trips);

// Builds the linear index of the iteration: the last dimension counts fastest.
MlirValue stow_build_linear_index(const stow_builder *builder, MlirOperation loop);

#endif // STOWAGE_ARENA_TRIPS_H
