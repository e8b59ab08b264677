//===- compiler.h - what the compiler as a library needs of MLIR's C++ -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C interface registers all dialects and passes or none. The library registers those that
// lead from tensors to an object, so that a static link leaves the others out.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_COMPILER_H
#define STOWAGE_DRIVER_COMPILER_H

#include "stowage/compiler.h"

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"

#ifdef __cplusplus
extern "C" {
#endif

// Stowage's dialects and MLIR's, with what bufferizes and translates them.
void stow_compiler_add_dialects(MlirDialectRegistry registry);

// Stowage's passes and MLIR's, once per process.
void stow_compiler_add_passes(void);

// Top-level ops without a module around them get one, which MLIR's C interface has for nameless
// text only. A null module: an error was told.
MlirModule stow_compiler_parse(MlirContext context, const char *name, stow_bytes text);

// What stow_module_fill does.
bool stow_compiler_fill_constants(MlirModule module, const stow_constant *constants, size_t count);

// Remarks of the context go to `told`.
void stow_compiler_tell_remarks(MlirContext context, stow_told told, void *user);

// The bytes of an elements attribute as a global of `type`, of the LLVM dialect, has them in memory
// on a little-endian machine: `out_piece`, which is the attribute's, so many times. False where
// they differ.
bool stow_compiler_raw_elements(MlirAttribute elements, MlirType type, stow_bytes *out_piece,
                                uint64_t *out_repeats);

// What vectors a machine computes with.
typedef struct stow_vectors {
  unsigned bits;      // of the registers that code should use; 0: none
  unsigned registers; //
  bool pairs;      // one instruction multiplies pairs of integers of 16 bits and adds both products
  const char *dot; // the one that multiplies bytes in fours, as convert-linalg-to-vectors names it
} stow_vectors;

stow_vectors stow_compiler_vectors_of(LLVMTargetMachineRef machine);

// Whether objects of the triple are ELF files.
bool stow_compiler_is_elf(const char *triple);

// A static library of one object, with the index that linkers look for.
void stow_compiler_write_archive(const char *member, stow_bytes object, stow_write write,
                                 void *user);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_DRIVER_COMPILER_H
