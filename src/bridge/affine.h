//===- affine.h - what the affine dialect knows of loops and accesses ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside bridge.h, in the same manner: one function per question. Integer sets,
// access maps and bounds are MLIR's own; what follows from the answers is decided
// elsewhere. An *access* is an affine.load or affine.store.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_AFFINE_H
#define STOWAGE_BRIDGE_AFFINE_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// Whether `value` may stand for a dimension or a symbol of an affine op at `op`.
bool stow_affine_is_operand(MlirValue value, MlirOperation op);

// The same for values that do not change while `op`'s affine scope runs.
bool stow_affine_is_symbol(MlirValue value, MlirOperation op);

// Whether an affine op uses `value` in a map or a set.
bool stow_affine_needs_symbol(MlirValue value);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// How often the affine.for `loop` runs, or -1 where it is not a constant.
int64_t stow_affine_trip_count(MlirOperation loop);

// A pair of loops whose induction variables are taken for one another.
typedef struct stow_loop_pair {
  MlirOperation first, second;
  int64_t shift; // variable of the second = variable of the first + shift
} stow_loop_pair;

// Whether the affine.for `second` runs over the same values as `first`, shifted by a constant, when
// the loops in `outer` are taken for one another.
bool stow_affine_same_bounds(MlirOperation first, MlirOperation second, const stow_loop_pair *outer,
                             size_t outer_count, int64_t *out_shift);

// Whether a bound of the affine.for `loop` depends on the induction variable of `outer`.
bool stow_affine_bounds_use(MlirOperation loop, MlirOperation outer);

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// Index `dimension` of `access` as scale * variable + offset, where `variable` is an affine.for's
// induction variable, or null where the index is the constant offset. False for any other form.
bool stow_affine_index_term(MlirOperation access, intptr_t dimension, MlirValue *out_variable,
                            int64_t *out_scale, int64_t *out_offset);

// Whether both accesses, within one execution of the loops around both, always name one cell of the
// buffers they access.
bool stow_affine_same_index(MlirOperation a, MlirOperation b);

// Whether the index of `access` depends on a value made inside `op`.
bool stow_affine_index_varies(MlirOperation access, MlirOperation op);

// Rewrites the index of `access` so that no affine.apply stands between it and what it depends on.
void stow_affine_compose_access(MlirOperation access);

// How the iterations of two loops, one around each access, relate.
typedef enum stow_iteration_order {
  STOW_ITERATION_SAME,   // variable of b = variable of a + shift
  STOW_ITERATION_BEFORE, // variable of b < variable of a + shift
  STOW_ITERATION_AFTER   // variable of b > variable of a + shift
} stow_iteration_order;

typedef struct stow_iteration_relation {
  MlirOperation loop_of_a, loop_of_b; // affine.for ops around a and around b
  int64_t shift;
  stow_iteration_order order;
} stow_iteration_relation;

// Whether an execution of access `a` and one of access `b` may name the same cell, where their
// iterations relate as told. They are two executions, even of one op. `b` and `a` are taken to
// access the same buffer. True where it cannot be told.
bool stow_affine_may_meet(MlirOperation a, MlirOperation b,
                          const stow_iteration_relation *relations, size_t relation_count);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BRIDGE_AFFINE_H
