//===- stowage-opt.cpp - an mlir-opt with Stowage's passes and dialects in it ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "driver/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool>
    idleNotes("idle-notes", llvm::cl::init(true),
              llvm::cl::desc("Say in a line on standard error why a pass of Stowage did nothing"));

static void sayIdle(const char *line) {
  if (idleNotes)
    llvm::errs() << line << "\n";
}

int main(int argc, char **argv) {
  stow_bridge_listen(sayIdle);
  mlir::registerAllPasses();
  stowage::registerPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  stowage::registerDialects(&registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Stowage: memory planning for MLIR\n", registry));
}
