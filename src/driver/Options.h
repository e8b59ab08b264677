//===- Options.h - options of passes, and the structs that they fill ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of the .td files is all there is to an option beside its field in stowage/passes.h: name,
// type, default, text, and last which field it goes into and what it may be:
//
//     into(&S::pool_all)                      the value
//     intoNot(&S::leave_arena)                a flag that the field denies
//     into(&S::dynamic, Words{"off", "on"})   what a reader makes of it; others are below
//     intoList(&S::at, &S::at_count)          the texts of a list
//     intoReports()                           those of `report`
//
// S is the struct of the pass. The generated pass has an option as a member, and these are
// modifiers of it as llvm::cl has them. They note what is to be done when the pass runs.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_OPTIONS_H
#define STOWAGE_DRIVER_OPTIONS_H

#include "ir/nothing_done.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "stowage/budget.h"
#include "stowage/order.h"
#include "stowage/passes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace stowage {

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

namespace stowage {

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//
//
// Each puts a value into a field. Returns what is allowed where the value is not, else nothing.

// One of several words, as the enumerator of its number, from `first` on.
struct Words {
  Words(std::initializer_list<llvm::StringRef> all, size_t from = 0) : words(all), first(from) {}
  template <typename FieldT> std::string operator()(llvm::StringRef given, FieldT &out) const {
    const auto *found = llvm::find(words, given);
    out = static_cast<FieldT>(first + (found - words.begin()));
    return found == words.end() ? list() : "";
  }

private:
  llvm::SmallVector<llvm::StringRef> words;
  size_t first;
  std::string list() const;
};

Words policies(); // those of unknown-ops
Words places();   // of stowage/places.h

// A number from `low` to `high`; a smaller field has the largest that it can hold.
struct Range {
  uint64_t low = 0, high = UINT64_MAX;
  template <typename FieldT> std::string operator()(uint64_t given, FieldT &out) const {
    out = static_cast<FieldT>(std::min<uint64_t>(given, std::numeric_limits<FieldT>::max()));
    return given < low || given > high ? text() : "";
  }

private:
  std::string text() const;
};

std::string aboveZero(uint64_t given, uint64_t &out);   // a power of two, which the room checks
std::string vectorWidth(unsigned given, unsigned &out); // a power of two from 32 to 4096
std::string strategyOf(llvm::StringRef given, stow_strategy &out);
std::string isBound(double given, bool &out);      // not negative
std::string shareOf(double given, double &out);    // 0, which is a default there, as below 0
std::string roundsOf(int64_t given, int64_t &out); // 0 as below 0, and below 0 as 0

// Of an element of a list: NAME=NUMBER.
std::string checkSize(llvm::StringRef given);
inline std::string checkNothing(llvm::StringRef) { return ""; }

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

// What the pass's function returns; where that is true and nothing came of it, says so
// (ir/nothing_done.h).
bool tryWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                llvm::function_ref<bool(MlirOperation)> function);

// The same for a function that cannot fail.
void runWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                llvm::function_ref<void(MlirOperation)> function);

// What all of them are. With --mlir-pass-statistics, what each found and left is counted
// (Statistics.cpp).
class ModulePass : public mlir::OperationPass<mlir::ModuleOp> {
protected:
  using OperationPass::OperationPass;
  virtual void runOnModule() = 0;

  // The error for a value that an option does not take, where something is allowed instead.
  mlir::LogicalResult refuse(llvm::StringRef option, llvm::StringRef allowed,
                             llvm::StringRef given);

  // The texts of a list, which must outlive them, if each is taken.
  using Check = std::string(llvm::StringRef element);
  mlir::LogicalResult readList(llvm::StringRef option, llvm::ArrayRef<std::string> given,
                               Check *check, const char *leftOut, std::vector<const char *> &out);

private:
  void runOnOperation() final;
};

// One whose options fill a struct.
template <typename StructT> class OptionsPass : public ModulePass {
protected:
  using S = StructT;
  using ModulePass::ModulePass;
  OptionsPass(const OptionsPass &other) : ModulePass(other) {} // its options are its own

  // Runs a function of stowage/passes.h with the options, put into `options`; watched for `subject`
  // if there is one. Whether nothing failed; else the pass fails.
  template <typename ResultT>
  bool run(ResultT (*function)(MlirOperation, const StructT *), StructT options = {},
           const stow_idle_subject *subject = nullptr) {
    options.struct_size = sizeof options;
    auto call = [&](MlirOperation module) {
      if constexpr (std::is_void_v<ResultT>) {
        function(module, &options);
        return true;
      } else {
        return function(module, &options);
      }
    };
    mlir::Operation *module = getOperation();
    const bool done =
        llvm::all_of(fills, [&](Fill &fill) { return succeeded(fill(options)); }) &&
        (subject ? tryWatched(module, getArgument(), *subject, call) : call(wrap(module)));
    if (!done)
      signalPassFailure();
    return done;
  }

  template <typename FieldT> auto into(FieldT StructT::*field) {
    return fillWith([=](const auto &option, StructT &out) {
      put(option.getValue(), out.*field);
      return mlir::success();
    });
  }

  auto intoNot(bool StructT::*field) {
    return fillWith([=](const auto &option, StructT &out) {
      out.*field = !option.getValue();
      return mlir::success();
    });
  }

  template <typename FieldT, typename ReaderT>
  auto into(FieldT StructT::*field, const ReaderT &reader) {
    return fillWith([=](const auto &option, StructT &out) {
      const std::string allowed = reader(option.getValue(), out.*field);
      return refuse(option.ArgStr, allowed, textOf(option.getValue()));
    });
  }

  auto intoList(const char *const *StructT::*texts, size_t StructT::*count,
                Check *check = checkNothing, const char *leftOut = nullptr) {
    return fillWith(
        [=, list = std::vector<const char *>()](const auto &option, StructT &out) mutable {
          const llvm::ArrayRef<std::string> given = option;
          const mlir::LogicalResult good = readList(option.ArgStr, given, check, leftOut, list);
          if (!given.empty()) // else the pass keeps its default
            out.*texts = list.data(), out.*count = list.size();
          return good;
        });
  }

  auto intoReports() {
    return intoList(&StructT::reports, &StructT::report_count, checkNothing, "none");
  }

private:
  using Fill = std::function<mlir::LogicalResult(StructT &)>;
  std::vector<Fill> fills;

  template <typename FunctionT> struct Modifier {
    OptionsPass *pass;
    FunctionT function;
    template <typename OptionT> void apply(OptionT &option) const {
      pass->fills.push_back(
          [&option, function = function](StructT &out) mutable { return function(option, out); });
    }
  };

  template <typename FunctionT> Modifier<FunctionT> fillWith(FunctionT function) {
    return {this, function};
  }

  template <typename ValueT, typename FieldT> static void put(const ValueT &given, FieldT &out) {
    out = given;
  }
  static void put(const std::string &given, const char *&out) {
    out = given.empty() ? nullptr : given.c_str();
  }

  static std::string textOf(const std::string &given) { return given; }
  template <typename ValueT> static std::string textOf(const ValueT &given) {
    return std::to_string(given);
  }
};

} // namespace stowage

#endif // STOWAGE_DRIVER_OPTIONS_H
