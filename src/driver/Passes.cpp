//===- Passes.cpp - what every room brings to the pass manager ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "lifetime/Lifetime.h"
#include "mlir/IR/DialectRegistry.h"
#include "taskflow/TaskflowDialect.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

void stowage::registerDialects(mlir::DialectRegistry *registry) {
  registry->insert<lifetime::LifetimeDialect, taskflow::TaskflowDialect>();
}

void stowage::registerPasses() {
  registerStowagePasses();
  registerDeallocPipeline();
  registerLifetimePipeline();
  registerModelPipeline();
}
