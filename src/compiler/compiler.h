//===- compiler.h - what the files of the compiler share -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COMPILER_COMPILER_H
#define STOWAGE_COMPILER_COMPILER_H

#include "stowage/compiler.h"

#include "mlir-c/IR.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/TargetMachine.h"

struct stow_compiler {
  MlirContext context;
  stow_told told;
  void *user;
};

struct stow_module {
  stow_compiler *compiler;
  MlirModule module;
};

// Whether some function is given sizes at run time, with a memref of which its type does not say
// all.
bool stow_module_has_sizes(const stow_module *module);

// An error that MLIR did not tell itself. False, so that it can be returned.
bool stow_compiler_tell_error(const stow_compiler *compiler, const char *text);

// The same of LLVM's messages, which are freed: true where there is none.
bool stow_compiler_is_fine(const stow_compiler *compiler, LLVMErrorRef error);
bool stow_compiler_tell_llvm(const stow_compiler *compiler, LLVMBool failed, char *text);

// A machine of the target, or NULL after an error.
LLVMTargetMachineRef stow_compiler_machine_create(const stow_compiler *compiler,
                                                  const stow_target *target);

#endif // STOWAGE_COMPILER_COMPILER_H
