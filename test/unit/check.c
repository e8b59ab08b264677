//===- check.c - the unit tests' harness ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORTS = 20 };

static struct {
  const char *name;
  unsigned checks, failures;
  char note[200];
} current;

static void report(const char *file, int line, const char *what, const char *detail) {
  if (++current.failures > MAX_REPORTS)
    return;
  printf("%s:%d: %s: failed: %s%s", file, line, current.name, what, detail);
  if (current.note[0])
    printf("  [%s]", current.note);
  printf("\n");
}

bool check_that(bool holds, const char *file, int line, const char *what) {
  ++current.checks;
  if (!holds)
    report(file, line, what, "");
  return holds;
}

bool check_equal(uint64_t actual, uint64_t expected, const char *file, int line, const char *what) {
  ++current.checks;
  if (actual == expected)
    return true;
  char detail[80];
  snprintf(detail, sizeof detail, "  (%" PRIu64 " against %" PRIu64 ")", actual, expected);
  report(file, line, what, detail);
  return false;
}

uint64_t soak_step(uint64_t step) { return TEST_STEP * (getenv("STOWAGE_SOAK") ? 1 : step); }

void test_note(const char *format, ...) {
  current.note[0] = '\0';
  if (!format)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(current.note, sizeof current.note, format, arguments);
  va_end(arguments);
}

static unsigned run_case(const test_case *test) {
  memset(&current, 0, sizeof current);
  current.name = test->name;
  test->run();
  printf("%s %s (%u checks, %u failed)\n", current.failures ? "FAIL" : "ok  ", test->name,
         current.checks, current.failures);
  fflush(stdout);
  return current.failures;
}

int test_main(int argc, char **argv, const test_case *cases, size_t count) {
  unsigned ran = 0, failed = 0;
  for (size_t i = 0; i < count; ++i) {
    if (argc > 1 && !strstr(cases[i].name, argv[1]))
      continue;
    ++ran;
    failed += run_case(&cases[i]) != 0;
  }
  printf("%u passed, %u failed\n", ran - failed, failed);
  return failed || !ran;
}

uint64_t random_next(test_random *random) {
  random->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t value = random->state;
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

uint64_t random_below(test_random *random, uint64_t bound) { return random_next(random) % bound; }

int64_t random_between(test_random *random, int64_t low, int64_t high) {
  return low + (int64_t)random_below(random, (uint64_t)(high - low) + 1);
}
