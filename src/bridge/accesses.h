//===- accesses.h - loads and stores of LLVM ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_ACCESSES_H
#define STOWAGE_BRIDGE_ACCESSES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// New alias scopes of one new domain.
void stow_alias_scopes(MlirContext context, intptr_t count, MlirAttribute *out_scopes);

// Where the function is entered, a declaration of a scope: it is new in each call.
void stow_declare_scope(MlirOperation function, MlirAttribute scope);

// Replaces a memref.load or memref.store by LLVM's, as finalize-memref-to-llvm would, with what it
// is in and what it aliases not: arrays of scopes. `index_bits`: 0: as the data layout says. False,
// and nothing is done, where LLVM has no such memref.
bool stow_access_by_llvm(MlirOperation access, unsigned index_bits, MlirAttribute scopes,
                         MlirAttribute others);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BRIDGE_ACCESSES_H
