//===- state.h - where a program keeps what goes from call to call ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the caller keeps the state of a function, prepare-model gives the function one argument of
// bytes, memref<Nxi8>, with the alignment as an attribute, and adds a function NAME_state_init that
// writes the initial state.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_STATE_H
#define STOWAGE_IR_STATE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#define STOW_STATE "stowage.state"           // of the argument: its alignment in bytes
#define STOW_STATE_INIT "stowage.state_init" // of the function beside
#define STOW_STATE_INIT_SUFFIX "_state_init"

// Of an argument: which result of the program's it is the memory of.
#define STOW_RESULT "stowage.result"

// Of an argument or a result whose signless integers have no sign in the program. It is for C.
#define STOW_UNSIGNED "stowage.unsigned"

// Says of the last argument, the memory of a result, what is said of that result.
void stow_ir_keep_sign(MlirOperation function, bool is_unsigned);

// `argument` is -1 where a function has no state.
typedef struct stow_kept {
  intptr_t argument;
  uint64_t bytes, alignment;
} stow_kept;

stow_kept stow_kept_by(MlirOperation function);

#endif // STOWAGE_IR_STATE_H
