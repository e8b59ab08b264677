//===- second_life.h - an allocation for a later life of a buffer ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SECOND_LIFE_H
#define STOWAGE_IR_SECOND_LIFE_H

#include "mlir-c/IR.h"

// Where an op of the buffer's block overwrites all of it, what is read later does not depend on
// what was written before. Gives the buffer, an allocation, a second one before that op: all uses
// from the op on are of it, and views of the first that they use are made anew. As SSA construction
// gives each definition a name of its own.
void stow_begin_second_life(MlirOperation at, MlirValue buffer);

#endif // STOWAGE_IR_SECOND_LIFE_H
