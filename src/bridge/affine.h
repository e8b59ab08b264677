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

#include "mlir-c/AffineMap.h"
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
bool stow_bridge_affine_is_operand(MlirValue value, MlirOperation op);

// The same for values that do not change while `op`'s affine scope runs.
bool stow_bridge_affine_is_symbol(MlirValue value, MlirOperation op);

// What an index value may stand for in maps wherever it is used, which decides how they are
// composed: bit 0: a symbol; bit 1: a dimension. 0 for other values.
uint8_t stow_bridge_affine_roles(MlirValue value);

// Whether an affine op uses `value` in a map or a set.
bool stow_bridge_affine_needs_symbol(MlirValue value);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// How often the affine.for `loop` runs, or -1 where it is not a constant.
int64_t stow_bridge_affine_trip_count(MlirOperation loop);

// Bounds and step of the affine.for `loop`; false where the bounds are not constants.
bool stow_bridge_affine_constant_bounds(MlirOperation loop, int64_t *out_lower, int64_t *out_upper,
                                        int64_t *out_step);

// A pair of loops whose induction variables are taken for one another.
typedef struct stow_loop_pair {
  MlirOperation first, second;
  int64_t shift; // variable of the second = variable of the first + shift
} stow_loop_pair;

// Whether the affine.for `second` runs over the same values as `first`, shifted by a constant, when
// the loops in `outer` are taken for one another.
bool stow_bridge_affine_same_bounds(MlirOperation first, MlirOperation second,
                                    const stow_loop_pair *outer, size_t outer_count,
                                    int64_t *out_shift);

// Whether a bound of the affine.for `loop` depends on the induction variable of `outer`.
bool stow_affine_bounds_use(MlirOperation loop, MlirOperation outer);

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

// Index `dimension` of `access` as scale * variable + offset, where `variable` is an affine.for's
// induction variable, or null where the index is the constant offset. False for any other form.
bool stow_bridge_affine_index_term(MlirOperation access, intptr_t dimension,
                                   MlirValue *out_variable, int64_t *out_scale,
                                   int64_t *out_offset);

// By how much index `dimension` of `access` grows while the induction variable of `loop` grows by
// STOW_AFFINE_SPAN, a multiple of small divisors, directly or because the lower bounds of loops
// between grow; 0 where that is not known.
enum { STOW_AFFINE_SPAN = 5040 };
int64_t stow_bridge_affine_index_growth(MlirOperation access, intptr_t dimension,
                                        MlirOperation loop);

// Whether both accesses, within one execution of the loops around both, always name one cell of the
// buffers they access.
bool stow_bridge_affine_same_index(MlirOperation a, MlirOperation b);

// Whether the index of `access` depends on a value made inside `op`.
bool stow_bridge_affine_index_varies(MlirOperation access, MlirOperation op);

// Composes the affine.apply ops that the index of `access` depends on into its map.
void stow_bridge_affine_compose_access(MlirOperation access);

//===----------------------------------------------------------------------===//
// Sets of integers
//===----------------------------------------------------------------------===//

// A map with its operands, dimensions first. The operands are the caller's to free().
typedef struct stow_affine_value {
  MlirAffineMap map;
  MlirValue *operands;
  size_t operand_count;
} stow_affine_value;

// The bounds of the affine.for `loop`, without affine.apply between them and what they depend on.
stow_affine_value stow_bridge_affine_lower_bound(MlirOperation loop);
stow_affine_value stow_bridge_affine_upper_bound(MlirOperation loop);

// The index of an access.
stow_affine_value stow_bridge_affine_access_index(MlirOperation access);

// The points of a space of integers that meet all of some conditions. Columns are numbered:
// variables, then symbols, then one for the constant 1.
typedef struct stow_affine_set stow_affine_set;
stow_affine_set *stow_affine_set_create(size_t variable_count, size_t symbol_count);
stow_affine_set *stow_affine_set_copy(const stow_affine_set *set);
void stow_affine_set_destroy(stow_affine_set *set);

typedef enum stow_affine_bound {
  STOW_AFFINE_LOWER, // column >= map
  STOW_AFFINE_UPPER, // column < map
  STOW_AFFINE_EQUAL  // column == map
} stow_affine_bound;

// Bounds the column `column` by a map whose operand i is the column `columns[i]`; LOWER and UPPER
// by each of its results. A condition that cannot be expressed is left out, which makes the set
// larger.
void stow_affine_set_bound(stow_affine_set *set, stow_affine_bound bound, size_t column,
                           MlirAffineMap map, const size_t *columns);

// The sum of `row[i]` times column i is 0, or at least 0. One entry per column.
void stow_affine_set_equal(stow_affine_set *set, const int64_t *row);
void stow_affine_set_at_least(stow_affine_set *set, const int64_t *row);

// Whether no point meets all conditions.
bool stow_affine_set_is_empty(const stow_affine_set *set);

typedef enum stow_affine_extent {
  STOW_AFFINE_EMPTY,
  STOW_AFFINE_BOUNDED,
  STOW_AFFINE_UNBOUNDED
} stow_affine_extent;

// A number that the sum of `row[i]` times column i does not exceed; the least integer that is none
// less than the sum in any point of rationals.
stow_affine_extent stow_affine_set_largest(const stow_affine_set *set, const int64_t *row,
                                           int64_t *out_largest);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BRIDGE_AFFINE_H
