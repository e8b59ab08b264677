//===- mbarriers.c - the ops that belong to an mbarrier --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By name: check has its own table of ops.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"

MlirValue stow_check_mbarrier_of(MlirOperation op) {
  if (stow_ir_op_is(op, "nvgpu.tma.async.load"))
    return mlirOperationGetOperand(op, 1);
  return stow_ir_op_is(op, "nvgpu.mbarrier.try_wait.parity") ? mlirOperationGetOperand(op, 0)
                                                             : (MlirValue){NULL};
}
