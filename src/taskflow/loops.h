//===- loops.h - affine.for and affine accesses as C sees them ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_LOOPS_H
#define STOWAGE_TASKFLOW_LOOPS_H

#include "bridge/affine.h"
#include "ir/support.h"

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool stow_taskflow_is_load(MlirOperation op);   // affine.load
bool stow_taskflow_is_store(MlirOperation op);  // affine.store
bool stow_taskflow_is_access(MlirOperation op); // one of these

// The memref that an access names, and the value that a store stores.
MlirValue stow_taskflow_access_memref(MlirOperation access);
MlirValue stow_taskflow_stored_value(MlirOperation store);

// Whether a value is used as the memref that an access names.
bool stow_taskflow_names_accessed(MlirOpOperand use);

MlirOperation stow_taskflow_build_load_like(MlirOperation access, MlirOperation before);
MlirOperation stow_taskflow_build_store_like(MlirOperation access, MlirValue value,
                                             MlirOperation before);

// Whether a value may stand in the map of an affine op at `op`. One of several results may not: the
// text of such a map cannot be read again.
bool stow_taskflow_may_be_in_map(MlirValue value, MlirOperation op);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool stow_taskflow_is_loop(MlirOperation op); // affine.for

MlirBlock stow_taskflow_loop_body(MlirOperation loop);
MlirValue stow_taskflow_loop_variable(MlirOperation loop);

// How many values the loop carries, and the first operand that starts one. Carried value `i` is
// operand first + i, body argument 1 + i, and result i.
intptr_t stow_taskflow_loop_carried(MlirOperation loop);
intptr_t stow_taskflow_loop_first_init(MlirOperation loop);

// An empty loop with the bounds of `like` before `before`, which carries `inits`. Its body has no
// terminator yet.
MlirOperation stow_taskflow_build_loop_like(MlirOperation like, MlirOperation before,
                                            const MlirValue *inits, size_t init_count);

// Bounds in terms of one value each, or of none. Of several results the largest lower one and the
// smallest upper one hold.
typedef struct stow_loop_bounds {
  MlirAffineMap lower, upper;
  MlirValue of_lower, of_upper; // null where the map has no input
  int64_t step;
} stow_loop_bounds;

stow_loop_bounds stow_taskflow_constant_bounds(MlirContext context, int64_t lower, int64_t upper);

// An empty loop, which has no terminator yet.
MlirOperation stow_taskflow_build_loop(MlirOperation before, MlirLocation location,
                                       const stow_loop_bounds *bounds, const MlirValue *inits,
                                       size_t init_count);

// The same with bounds of any number of values.
MlirOperation stow_taskflow_build_loop_between(MlirOperation before, MlirLocation location,
                                               const stow_affine_value *lower,
                                               const stow_affine_value *upper, int64_t step,
                                               const MlirValue *inits, size_t init_count);

// A loop from 0 to `size`, or to `constant` where `size` is null, whose body holds its terminator.
MlirOperation stow_taskflow_build_counting_loop(MlirOperation before, MlirLocation location,
                                                MlirValue size, int64_t constant);

// Moves all ops of a loop but its terminator to the end of another one that carries as much, and
// lets the variable, the carried values and the results of `to` take the place of its own.
void stow_taskflow_take_over_loop(MlirOperation from, MlirOperation to);

// Appends affine.yield.
void stow_taskflow_build_affine_yield(MlirBlock body, MlirLocation location,
                                      const MlirValue *values, size_t count);

// An affine.apply of a value with one result, in no block.
MlirOperation stow_taskflow_make_apply(MlirLocation location, const stow_affine_value *value);

#endif // STOWAGE_TASKFLOW_LOOPS_H
