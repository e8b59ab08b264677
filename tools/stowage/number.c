//===- number.c - integers out of text ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "number.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t tool_scan_unsigned(const char *text, size_t size, uint64_t *out_value, bool *out_fits) {
  size_t at = 0;
  uint64_t value = 0;
  *out_fits = true;
  for (; at < size && is_digit(text[at]); at++)
    if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(text[at] - '0'), &value))
      *out_fits = false;
  *out_value = value;
  return at;
}

size_t tool_scan_signed(const char *text, size_t size, int64_t *out_value, bool *out_fits) {
  const bool negative = size && text[0] == '-';
  const size_t sign = negative || (size && text[0] == '+');
  uint64_t magnitude;
  const size_t digits = tool_scan_unsigned(text + sign, size - sign, &magnitude, out_fits);
  const uint64_t limit = (uint64_t)INT64_MAX + negative;
  *out_fits = *out_fits && magnitude <= limit;
  *out_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
  return digits ? sign + digits : 0;
}

// One line per unit: its name and how many of the smallest unit it is.
typedef struct unit {
  const char *name;
  uint64_t scale;
} unit;

static const unit byte_units[] = {{"", 1},
                                  {"B", 1},
                                  {"K", 1024},
                                  {"KiB", 1024},
                                  {"M", 1024 * 1024},
                                  {"MiB", 1024 * 1024},
                                  {"G", 1024 * 1024 * 1024},
                                  {"GiB", 1024 * 1024 * 1024},
                                  {NULL, 0}};

static const unit time_units[] = {{"", 1000},   {"ms", 1},      {"s", 1000},
                                  {"m", 60000}, {"h", 3600000}, {NULL, 0}};

static uint64_t unit_scale(const unit *units, const char *name) {
  while (units->name && strcmp(units->name, name))
    units++;
  return units->scale;
}

bool tool_parse_bytes(const char *text, uint64_t *out_bytes) {
  bool fits;
  uint64_t count;
  const size_t digits = tool_scan_unsigned(text, strlen(text), &count, &fits);
  const uint64_t scale = unit_scale(byte_units, text + digits);
  return digits && fits && scale && !__builtin_mul_overflow(count, scale, out_bytes);
}

// The digits after the point, as thousandths, rounded up: a little time is not none.
static uint64_t thousandths(const char *digits, size_t count) {
  uint64_t value = 0, finer = 0;
  for (size_t i = 0; i < 3; i++)
    value = value * 10 + (i < count ? (uint64_t)(digits[i] - '0') : 0);
  for (size_t i = 3; i < count; i++)
    finer |= digits[i] != '0';
  return value + finer;
}

bool tool_parse_milliseconds(const char *text, uint64_t *out_milliseconds) {
  bool fits, ignored;
  uint64_t whole, fraction_digits, fraction = 0;
  const size_t digits = tool_scan_unsigned(text, strlen(text), &whole, &fits);
  const char *rest = text + digits;
  if (*rest == '.') {
    const size_t count = tool_scan_unsigned(rest + 1, strlen(rest + 1), &fraction_digits, &ignored);
    fraction = thousandths(rest + 1, count);
    rest += 1 + count;
  }
  const uint64_t scale = unit_scale(time_units, rest);
  return digits && fits && scale && !__builtin_mul_overflow(whole, scale, out_milliseconds) &&
         !__builtin_add_overflow(*out_milliseconds, (fraction * scale + 999) / 1000,
                                 out_milliseconds);
}
