//===- Pass.td - what all passes of Stowage are ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASS
#define STOWAGE_PASS

include "mlir/Pass/PassBase.td"

class ModulePass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let baseClass = "::stowage::ModulePass";
}

#endif // STOWAGE_PASS
