//===- operands.c - rows in the operands of a statement -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

intptr_t stow_rows_sliced_dim(const stow_rows_statement *statement, intptr_t operand) {
  MlirAffineMap map = statement->maps[operand];
  for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map); ++dim)
    if (stow_rows_index_uses(map, dim, statement->loop))
      return dim;
  return -1;
}

bool stow_rows_in_operand(const stow_rows_statement *statement, const stow_rows_buffer *buffer,
                          intptr_t operand, stow_rows_place *out) {
  MlirValue view = mlirOperationGetOperand(statement->op, operand);
  return buffer->has_rows && mlirValueEqual(stow_rows_root(view), buffer->value) &&
         stow_rows_in_view(view, buffer->dim, buffer->unit, out);
}
