//===- markers.c - lifetime.start and lifetime.end, read and made ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/markers.h"

MlirValue stow_life_marked_value(MlirOperation marker) {
  return mlirOperationGetNumResults(marker) > 0 ? mlirOperationGetResult(marker, 0)
                                                : mlirOperationGetOperand(marker, 0);
}

static MlirOperation build(const stow_builder *builder, stow_op_kind kind, MlirValue operand,
                           MlirType result) {
  const stow_op_parts parts = {
      .kind = kind, .operands = &operand, .operand_count = 1, .result = result};
  return stow_build_op(builder, &parts);
}

MlirOperation stow_life_build_start(const stow_builder *builder, MlirValue buffer) {
  return build(builder, STOW_LIFETIME_START, buffer, (MlirType){NULL});
}

MlirOperation stow_life_build_end(const stow_builder *builder, MlirValue live) {
  return build(builder, STOW_LIFETIME_END, live, (MlirType){NULL});
}

MlirValue stow_life_build_live(const stow_builder *builder, MlirValue buffer) {
  return mlirOperationGetResult(
      build(builder, STOW_LIFETIME_START, buffer, mlirValueGetType(buffer)), 0);
}
