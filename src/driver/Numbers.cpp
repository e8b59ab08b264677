//===- Numbers.cpp - options that are numbers -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Numbers.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace stowage;

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
  llvm::StringRef unit = text;
  const bool isNumber = takeDigits(unit, out.value);
  const uint64_t scale = llvm::StringSwitch<uint64_t>(unit)
                             .Cases({"", "B"}, 1)
                             .Cases({"K", "KiB"}, 1ull << 10)
                             .Cases({"M", "MiB"}, 1ull << 20)
                             .Cases({"G", "GiB"}, 1ull << 30)
                             .Default(0);
  const bool fits = !__builtin_mul_overflow(out.value, scale, &out.value);
  return !(isNumber && scale && fits) && refuse(option, "bytes such as 65536 or 64KiB", text);
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
