//===- Passes.h - Stowage's passes for MLIR's pass manager ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each NAMEPasses.cpp turns options as the command line has them into those of
// stowage/passes.h and calls the C functions. No decision is taken there.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_PASSES_H
#define STOWAGE_DRIVER_PASSES_H

#include "ir/nothing_done.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "stowage/passes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace mlir {
class DialectRegistry;
}

namespace stowage {

// Registers every dialect of Stowage.
void registerDialects(mlir::DialectRegistry *registry);

// Registers every pass and pipeline of Stowage. Must run before the command line is parsed.
void registerPasses();

// What all of them are. With --mlir-pass-statistics, what each found and left is counted
// (Statistics.cpp).
class ModulePass : public mlir::OperationPass<mlir::ModuleOp> {
protected:
  using OperationPass::OperationPass;
  virtual void runOnModule() = 0;

private:
  void runOnOperation() final;
};

// The error for a value that an option of the pass does not take.
mlir::LogicalResult refuseOption(mlir::Operation *module, llvm::StringRef pass,
                                 llvm::StringRef option, llvm::StringRef allowed,
                                 llvm::StringRef given);

// Which of the words that an option takes was given; an error for any other.
mlir::FailureOr<size_t> readWord(mlir::Operation *module, llvm::StringRef pass,
                                 llvm::StringRef option, llvm::ArrayRef<llvm::StringRef> words,
                                 llvm::StringRef given);

// The texts of a list option, which must outlive them; of `report`, those that are reports.
std::vector<const char *> textsOf(llvm::ArrayRef<std::string> given);
std::vector<const char *> reportsOf(llvm::ArrayRef<std::string> given);

// The option unknown-ops.
mlir::LogicalResult readUnknownOps(mlir::Operation *module, llvm::StringRef pass,
                                   llvm::StringRef given, stow_unknown_ops &out);

// What the pass's function returns; where that is true and nothing came of it, says so
// (ir/nothing_done.h).
bool tryWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                llvm::function_ref<bool(MlirOperation)> function);

// The same for a function that cannot fail.
void runWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                llvm::function_ref<void(MlirOperation)> function);

// Pipelines, by room.
void registerDeallocPipeline();
void registerLifetimePipeline();
void registerModelPipeline();

//===----------------------------------------------------------------------===//
// Options that are numbers
//===----------------------------------------------------------------------===//
//
// Types of options that are numbers. LLVM's parsers refuse "1e9" and "64K", and do not say what
// they take. These do, and take what the command `stowage` takes.

struct Number {
  uint64_t value = 0;
  operator uint64_t() const { return value; }
};

// A number of bytes: 65536, 64K or 64KiB.
struct Bytes : Number {
  Bytes(uint64_t bytes = 0) : Number{bytes} {}
};

// A number of anything else: 1000000 or 1e6.
struct Count : Number {
  Count(uint64_t count = 0) : Number{count} {}
};

// A share of something else: 0.25 or 2.
struct Ratio {
  Ratio(double ratio = 0) : value(ratio) {}
  operator double() const { return value; }
  double value;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Number &number) {
  return os << number.value;
}

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Ratio &ratio) {
  return os << ratio.value;
}

// Each returns whether it refused the text, as parsers of llvm::cl do.
bool parseNumber(llvm::cl::Option &option, llvm::StringRef text, Bytes &out);
bool parseNumber(llvm::cl::Option &option, llvm::StringRef text, Count &out);
bool parseNumber(llvm::cl::Option &option, llvm::StringRef text, Ratio &out);

template <typename NumberT> struct NumberParser : llvm::cl::basic_parser<NumberT> {
  using llvm::cl::basic_parser<NumberT>::basic_parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text, NumberT &out) {
    return parseNumber(option, text, out);
  }
  void printOptionDiff(const llvm::cl::Option &option, NumberT, llvm::cl::OptionValue<NumberT>,
                       size_t width) const {
    this->printOptionNoValue(option, width);
  }
};

} // namespace stowage

template <> struct llvm::cl::parser<stowage::Bytes> : stowage::NumberParser<stowage::Bytes> {
  using NumberParser::NumberParser;
  StringRef getValueName() const override { return "bytes"; }
};

template <> struct llvm::cl::parser<stowage::Count> : stowage::NumberParser<stowage::Count> {
  using NumberParser::NumberParser;
  StringRef getValueName() const override { return "number"; }
};

template <> struct llvm::cl::parser<stowage::Ratio> : stowage::NumberParser<stowage::Ratio> {
  using NumberParser::NumberParser;
  StringRef getValueName() const override { return "ratio"; }
};

#endif // STOWAGE_DRIVER_PASSES_H
