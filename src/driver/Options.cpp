//===- Options.cpp - options of passes, and the structs that they fill ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Options.h"

#include "mlir/IR/Diagnostics.h"
#include "report/put.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace stowage;

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
  return !stow_report_read_bytes(text.str().c_str(), &out.value) &&
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

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

std::string Words::list() const {
  const llvm::ArrayRef<llvm::StringRef> all = words;
  return llvm::join(all.drop_back(), ", ") + " or " + all.back().str();
}

Words stowage::policies() { return Words({"escape", "use"}, STOW_UNKNOWN_OPS_ESCAPE); }

Words stowage::places() {
#define WORD(place, word, backing, kind) word,
  return {STOW_ARENA_PLACES(WORD, )};
#undef WORD
}

std::string Range::text() const {
  const std::string from = "a number from " + std::to_string(low);
  return from + (high == UINT64_MAX ? " on" : " to " + std::to_string(high));
}

std::string stowage::aboveZero(uint64_t given, uint64_t &out) {
  out = given;
  return given == 0 ? "a power of two" : "";
}

std::string stowage::vectorWidth(unsigned given, unsigned &out) {
  out = given;
  const bool good = given >= 32 && given <= 4096 && llvm::isPowerOf2_32(given);
  return good ? "" : "a power of two from 32 to 4096";
}

std::string stowage::strategyOf(llvm::StringRef given, stow_strategy &out) {
  if (stow_strategy_parse(given.str().c_str(), &out))
    return "";
  std::string names;
  for (int i = 0; const char *name = stow_strategy_name(static_cast<stow_strategy>(i)); ++i)
    names += (i == 0 ? "" : ", ") + std::string(name);
  return "one of " + names;
}

std::string stowage::isBound(double given, bool &out) {
  out = given >= 0;
  return "";
}

std::string stowage::shareOf(double given, double &out) {
  out = given == 0 ? -1 : given;
  return given >= 0 ? "" : "a share from 0 on";
}

std::string stowage::roundsOf(int64_t given, int64_t &out) {
  out = given < 0 ? 0 : given == 0 ? -1 : given;
  return "";
}

std::string stowage::checkSize(llvm::StringRef given) {
  const auto [name, number] = given.split('=');
  int64_t size; // or an index, which may be below 0
  const bool good = !name.empty() && !number.getAsInteger(10, size);
  return good ? "" : "NAME=NUMBER such as n=128";
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

bool stowage::tryWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                         llvm::function_ref<bool(MlirOperation)> function) {
  std::string name = pass.str();
  subject.pass = name.c_str();
  stow_idle_watch watch = stow_ir_idle_begin(wrap(module), subject);
  bool done = function(wrap(module));
  if (done)
    stow_ir_idle_end(&watch);
  return done;
}

void stowage::runWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                         llvm::function_ref<void(MlirOperation)> function) {
  tryWatched(module, pass, subject, [&](MlirOperation op) {
    function(op);
    return true;
  });
}

mlir::LogicalResult ModulePass::refuse(llvm::StringRef option, llvm::StringRef allowed,
                                       llvm::StringRef given) {
  if (allowed.empty())
    return mlir::success();
  return mlir::emitError(getOperation().getLoc())
         << getArgument() << ": " << option << " must be " << allowed << ", not '" << given << "'";
}

mlir::LogicalResult ModulePass::readList(llvm::StringRef option, llvm::ArrayRef<std::string> given,
                                         Check *check, const char *leftOut,
                                         std::vector<const char *> &out) {
  out.clear();
  for (const std::string &text : given) {
    if (failed(refuse(option, check(text), text)))
      return mlir::failure();
    if (!leftOut || text != leftOut)
      out.push_back(text.c_str());
  }
  return mlir::success();
}
