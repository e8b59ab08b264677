//===- foreign.h - views of a dialect that Stowage does not know ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   foreign.part   by OffsetSizeAndStrideOpInterface: static_offsets, static_sizes and
//                  static_strides, and operands for sizes only, behind the source and a number
//   foreign.other  with any attributes, which mean nothing to MLIR
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TEST_UNIT_IR_FOREIGN_H
#define STOWAGE_TEST_UNIT_IR_FOREIGN_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

void test_load_foreign(MlirContext context);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_TEST_UNIT_IR_FOREIGN_H
