//===- Numbers.h - options that are numbers -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of pass options. LLVM's parsers refuse "1e9" and "64K", and do not say what they
// take. These do, and take what the command `stowage` takes.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_NUMBERS_H
#define STOWAGE_DRIVER_NUMBERS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace stowage {

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

#endif // STOWAGE_DRIVER_NUMBERS_H
