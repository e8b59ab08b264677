//===- plugin.cpp - StowagePlugin.so, for any mlir-opt --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loaders of MLIR ask a plugin for the version of the entry point alone, which has
// been the same in many versions of MLIR. In another one than it was built for, a plugin
// ends the process when it registers its passes. So it looks itself, and where it does
// not fit names no version that a loader takes.
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

namespace {

struct Version {
  unsigned major, minor, patch;
};

// The LLVM that the process finds first: the tool's, before the one that came with us.
Version toolsVersion() {
  Version version = {LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR, LLVM_VERSION_PATCH};
  using Getter = void(unsigned *, unsigned *, unsigned *);
  if (void *getter = dlsym(RTLD_DEFAULT, "LLVMGetVersion"))
    reinterpret_cast<Getter *>(getter)(&version.major, &version.minor, &version.patch);
  return version;
}

uint32_t apiVersion() {
  const Version tool = toolsVersion();
  if (tool.major == LLVM_VERSION_MAJOR)
    return MLIR_PLUGIN_API_VERSION;
  llvm::errs() << "StowagePlugin.so: built for MLIR " << LLVM_VERSION_MAJOR
               << ", and this tool is of LLVM " << tool.major << '.' << tool.minor << '.'
               << tool.patch << ": load it into mlir-opt-" << LLVM_VERSION_MAJOR << '\n';
  return 0;
}

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {apiVersion(), "Stowage", STOWAGE_VERSION, stowage::registerPasses};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {apiVersion(), "Stowage", STOWAGE_VERSION, stowage::registerDialects};
}
