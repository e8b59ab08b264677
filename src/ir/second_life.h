//===- second_life.h - an allocation for a later life of a buffer ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SECOND_LIFE_H
#define STOWAGE_IR_SECOND_LIFE_H

#include "mlir-c/IR.h"

// If an op of the buffer's block overwrites all of it, later reads do not depend on earlier writes.
// Makes a second allocation before that op, which replaces the first in all uses from the op on;
// views that they use are made again. SSA construction does the same with definitions.
void stow_ir_begin_second_life(MlirOperation at, MlirValue buffer);

#endif // STOWAGE_IR_SECOND_LIFE_H
