//===- Passes.cpp - what every room brings to the pass manager ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "lifetime/Lifetime.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "report/put.h"
#include "taskflow/TaskflowDialect.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

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

mlir::LogicalResult stowage::refuseOption(mlir::Operation *module, llvm::StringRef pass,
                                          llvm::StringRef option, llvm::StringRef allowed,
                                          llvm::StringRef given) {
  return mlir::emitError(module->getLoc())
         << pass << ": " << option << " must be " << allowed << ", not '" << given << "'";
}

mlir::FailureOr<size_t> stowage::readWord(mlir::Operation *module, llvm::StringRef pass,
                                          llvm::StringRef option,
                                          llvm::ArrayRef<llvm::StringRef> words,
                                          llvm::StringRef given) {
  if (const auto *found = llvm::find(words, given); found != words.end())
    return found - words.begin();
  const std::string all = llvm::join(words.drop_back(), ", ") + " or " + words.back().str();
  return refuseOption(module, pass, option, all, given);
}

std::vector<const char *> stowage::textsOf(llvm::ArrayRef<std::string> given) {
  std::vector<const char *> texts;
  for (const std::string &text : given)
    texts.push_back(text.c_str());
  return texts;
}

std::vector<const char *> stowage::reportsOf(llvm::ArrayRef<std::string> given) {
  std::vector<const char *> reports = textsOf(given);
  llvm::erase_if(reports, [](llvm::StringRef report) { return report == "none"; });
  return reports;
}

mlir::LogicalResult stowage::readUnknownOps(mlir::Operation *module, llvm::StringRef pass,
                                            llvm::StringRef given, stow_unknown_ops &out) {
  mlir::FailureOr<size_t> use = readWord(module, pass, "unknown-ops", {"escape", "use"}, given);
  out = use.value_or(0) == 1 ? STOW_UNKNOWN_OPS_USE : STOW_UNKNOWN_OPS_ESCAPE;
  return use;
}

bool stowage::tryWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                         llvm::function_ref<bool(MlirOperation)> function) {
  std::string name = pass.str();
  subject.pass = name.c_str();
  stow_idle_watch watch = stow_idle_begin(wrap(module), subject);
  bool done = function(wrap(module));
  if (done)
    stow_idle_end(&watch);
  return done;
}

void stowage::runWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                         llvm::function_ref<void(MlirOperation)> function) {
  tryWatched(module, pass, subject, [&](MlirOperation op) { return function(op), true; });
}

//===----------------------------------------------------------------------===//
// Options that are numbers
//===----------------------------------------------------------------------===//

static bool refuse(llvm::cl::Option &option, llvm::StringRef expected, llvm::StringRef text) {
  return option.error("expected " + expected + ", found '" + text + "'");
}

// The digits that the text begins with, which are taken from it.
static bool takeDigits(llvm::StringRef &text, uint64_t &out) {
  const llvm::StringRef digits = text.take_while([](char c) { return c >= '0' && c <= '9'; });
  text = text.drop_front(digits.size());
  return !digits.getAsInteger(10, out);
}

bool stowage::parseNumber(llvm::cl::Option &option, llvm::StringRef text, Bytes &out) {
  return !stow_read_bytes(text.str().c_str(), &out.value) &&
         refuse(option, "bytes such as 65536 or 64KiB", text);
}

bool stowage::parseNumber(llvm::cl::Option &option, llvm::StringRef text, Count &out) {
  llvm::StringRef rest = text;
  uint64_t zeros = 0;
  bool good = takeDigits(rest, out.value);
  if (rest.consume_front("e"))
    good &= takeDigits(rest, zeros);
  for (; good && zeros && out.value; --zeros)
    good = !__builtin_mul_overflow(out.value, uint64_t(10), &out.value);
  return !(good && rest.empty()) && refuse(option, "a number such as 1000000 or 1e6", text);
}

bool stowage::parseNumber(llvm::cl::Option &option, llvm::StringRef text, Ratio &out) {
  return (text.getAsDouble(out.value) || std::isnan(out.value)) &&
         refuse(option, "a number such as 0.25 or 2", text);
}
