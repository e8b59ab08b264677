//===- weights.h - constants that LLVM need not see ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COMPILER_WEIGHTS_H
#define STOWAGE_COMPILER_WEIGHTS_H

#include "compiler/compiler.h"
#include "ir/support.h"

// A constant's bytes: MLIR's own, and how many of them come again.
typedef struct stow_weight {
  const void *symbol; // the attribute that is its name
  stow_bytes piece;
  uint64_t repeats;
  uint64_t offset; // in the section
} stow_weight;

typedef struct stow_weights {
  STOW_ARRAY(stow_weight) all; // in the order of the section
  uint64_t size, alignment;
  bool elsewhere; // not in the object, which finds them by the symbol
} stow_weights;

// Takes the large constants out of a module of the LLVM dialect: what used them uses a symbol that
// stow_weights_declare declares. Freed with stow_weights_free.
stow_weights stow_weights_take(MlirOperation module, bool elsewhere);
void stow_weights_free(stow_weights *weights);

// A section for them, of which the object that LLVM writes has the size only.
void stow_weights_declare(const stow_weights *weights, LLVMModuleRef ir);

// What the section has.
void stow_weights_write_bytes(const stow_weights *weights, stow_write write, void *user);

// That object, an ELF file, with their bytes.
void stow_weights_write(const stow_weights *weights, stow_bytes object, stow_write write,
                        void *user);

#endif // STOWAGE_COMPILER_WEIGHTS_H
