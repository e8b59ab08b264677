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

MlirOperation stow_life_build_start(const stow_builder *builder, MlirValue buffer) {
  return stow_build_plain(builder, STOW_LIFETIME_START, &buffer, 1, (MlirType){NULL});
}

MlirOperation stow_life_build_end(const stow_builder *builder, MlirValue live) {
  return stow_build_plain(builder, STOW_LIFETIME_END, &live, 1, (MlirType){NULL});
}

MlirValue stow_life_build_live(const stow_builder *builder, MlirValue buffer) {
  return stow_build_value(builder, STOW_LIFETIME_START, &buffer, 1, mlirValueGetType(buffer));
}
