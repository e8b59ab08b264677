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

static const unit time_units[] = {{"", 1000000},  {"us", 1},           {"ms", 1000},
                                  {"s", 1000000}, {"m", 60 * 1000000}, {"h", 3600000000u},
                                  {NULL, 0}};

// 0 where there is no such unit.
static uint64_t unit_scale(const unit *units, const char *name, size_t size) {
  while (units->name && (strlen(units->name) != size || strncmp(units->name, name, size)))
    units++;
  return units->scale;
}

// The digits at *at, which is moved past them.
static bool take_unsigned(const char **at, uint64_t *out_value) {
  bool fits;
  const size_t digits = tool_scan_unsigned(*at, strlen(*at), out_value, &fits);
  *at += digits;
  return digits && fits;
}

bool tool_parse_count(const char *text, uint64_t *out_count) {
  uint64_t zeros = 0;
  bool done = take_unsigned(&text, out_count);
  if (done && *text == 'e') {
    text++;
    done = take_unsigned(&text, &zeros);
  }
  for (; zeros && *out_count; zeros--)
    if (__builtin_mul_overflow(*out_count, (uint64_t)10, out_count))
      return false;
  return done && !*text;
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

// "2.5s" at *at, which is moved past it. A plain number is seconds.
static bool take_time(const char **at, uint64_t *out_microseconds) {
  uint64_t whole, fraction = 0;
  if (!take_unsigned(at, &whole))
    return false;
  if (**at == '.') {
    const size_t count = strspn(*at + 1, "0123456789");
    fraction = thousandths(*at + 1, count);
    *at += 1 + count;
  }
  const size_t letters = strcspn(*at, "0123456789");
  const uint64_t scale = unit_scale(time_units, *at, letters);
  *at += letters;
  return scale && !__builtin_mul_overflow(whole, scale, out_microseconds) &&
         !__builtin_add_overflow(*out_microseconds, (fraction * scale + 999) / 1000,
                                 out_microseconds);
}

bool tool_parse_microseconds(const char *text, uint64_t *out_microseconds) {
  uint64_t part;
  *out_microseconds = 0;
  if (!strcmp(text, "inf"))
    return true;
  do
    if (!take_time(&text, &part) ||
        __builtin_add_overflow(*out_microseconds, part, out_microseconds))
      return false;
  while (*text);
  return true;
}
