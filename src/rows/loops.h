//===- loops.h - along which loop an op is split --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_LOOPS_H
#define STOWAGE_ROWS_LOOPS_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "rows/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The loops of a linalg op or a copy.
typedef struct stow_rows_loops {
  intptr_t count;
  int64_t extents[STOW_ROWS_MOST_RANK];
  bool parallel[STOW_ROWS_MOST_RANK];
} stow_rows_loops;

// One index into an operand: the sum of coefficient * loop, plus the constant; or, where the
// divisor is above 1, that loop whose coefficient is 1, divided and rounded down.
typedef struct stow_rows_index {
  int64_t coefficients[STOW_ROWS_MOST_RANK];
  int64_t constant, divisor;
} stow_rows_index;

// False: not such an op.
bool stow_rows_loops_of(MlirOperation op, stow_rows_loops *out);

// False: not of this form.
bool stow_rows_index_of(MlirAffineMap map, intptr_t dim, stow_rows_index *out);

// Whether an expression of any form depends on a loop.
bool stow_rows_index_uses(MlirAffineMap map, intptr_t dim, intptr_t loop);

// The least and the largest value of an index while `loop` is 0.
void stow_rows_index_range(const stow_rows_loops *loops, const stow_rows_index *index,
                           intptr_t loop, int64_t *out_low, int64_t *out_high);

// Whether the op computes the same, bit for bit, if it runs for a part of the iterations of `loop`
// after the other, in their order.
bool stow_rows_can_split(MlirOperation op, const MlirAffineMap *maps, const stow_rows_loops *loops,
                         intptr_t loop);

#endif // STOWAGE_ROWS_LOOPS_H
