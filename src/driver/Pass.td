//===- Pass.td - what all passes of Stowage are ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASS
#define STOWAGE_PASS

include "mlir/Pass/PassBase.td"

// `struct` is that of stowage/passes.h that the options go into. Where each goes is its last argument; see
// Options.h. So an option is one line, and its field.
class ModulePass<string argument, string struct = ""> : Pass<argument, "::mlir::ModuleOp"> {
  let baseClass = !if(!empty(struct), "::stowage::ModulePass", "::stowage::OptionsPass<" # struct # ">");
}

#endif // STOWAGE_PASS
