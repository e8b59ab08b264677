//===- origins.c - operands begin where they are used ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If an op's indices into an operand do not begin at 0, the op gets a subview that begins at the
// first index, and smaller constants in its map: `d0 + 2` becomes `d0` of a view from row 2 on. The
// code after this needs to know offsets of views only.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/linalg.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// Cuts a dimension to the indices that are used of it, and takes the first one off the map.
static MlirAffineExpr shift(const stow_builder *builder, const stow_rows_loops *loops,
                            MlirAffineMap map, intptr_t dim, MlirValue *memref) {
  MlirAffineExpr index = mlirAffineMapGetResult(map, dim);
  stow_rows_index form;
  int64_t low, high;
  if (!stow_rows_index_of(map, dim, &form) || form.divisor > 1)
    return index;
  stow_rows_index_range(loops, &form, -1, &low, &high);
  if (low <= 0 || high >= stow_rows_extent(*memref, dim))
    return index;
  *memref = stow_rows_slice(builder, *memref, dim, (MlirValue){NULL}, low, high - low + 1, 1);
  return mlirAffineAddExprGet(index, mlirAffineConstantExprGet(builder->context, -low));
}

static MlirOperation shift_operand(MlirOperation op, const stow_rows_loops *loops,
                                   intptr_t operand) {
  const stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  const MlirAffineMap map = stow_bridge_loop_map(op, operand);
  const MlirValue whole = mlirOperationGetOperand(op, operand);
  const intptr_t rank = mlirAffineMapGetNumResults(map);
  MlirAffineExpr indices[STOW_ROWS_MOST_RANK];
  MlirValue part = whole;
  for (intptr_t dim = 0; dim < rank; ++dim)
    indices[dim] = shift(&builder, loops, map, dim, &part);
  if (mlirValueEqual(part, whole))
    return op;
  return stow_bridge_read_at(op, operand, part,
                             mlirAffineMapGet(builder.context, loops->count, 0, rank, indices));
}

void stow_rows_shift(MlirBlock block) {
  stow_rows_loops loops;
  STOW_EACH_OP_THAT_MAY_GO(op, block)
    if (stow_rows_has_loops(op) && stow_rows_loops_of(op, &loops))
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        if (mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i))))
          op = shift_operand(op, &loops, i);
}
