//===- Passes.cpp - what every room brings to the pass manager ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"
#include "driver/Dialects.h"
#include "driver/Pipeline.h"

#include "mlir/IR/DialectRegistry.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

// Passes that are an option of another one now. They go with the next release.
static const struct OldName {
  const char *name, *pass, *options;
} oldNames[] = {
    {"buffer-reuse-analysis", "buffer-reuse", "analysis"},
    {"expand-lifetimes", "convert-lifetime-to-llvm", "prepare"},
    {"simplify-clones", "lower-clones", "simplify-only"},
    {"tighten-deallocs", "buffer-deallocation", "tighten"},
};

static void registerOldName(const OldName &old) {
  const std::string now = std::string(old.pass) + "{" + old.options + "}";
  auto build = [=](mlir::OpPassManager &manager, llvm::StringRef given, ErrorHandler error) {
    llvm::errs() << "warning: " << old.name << " is deprecated: use " << now << '\n';
    return addPasses(manager, std::string(old.pass) + "{" + old.options + " " + given.str() + "}",
                     old.name, "", error);
  };
  mlir::registerPassPipeline(old.name, "Deprecated: " + now, build, [](auto) {});
}

void stowage::registerDialects(mlir::DialectRegistry *registry) {
  registry->insert<lifetime::LifetimeDialect, taskflow::TaskflowDialect>();
}

void stowage::registerPasses() {
  registerStowagePasses();
  registerDeallocPipeline();
  registerLifetimePipeline();
  registerModelPipeline();
  for (const OldName &old : oldNames)
    registerOldName(old);
}
