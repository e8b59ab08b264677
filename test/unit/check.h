//===- check.h - the unit tests' harness ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program is a table of named functions. A failed CHECK prints where and
// what, and the program goes on; main returns 1 if any failed. An argument runs
// only the tests whose name contains it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TEST_UNIT_CHECK_H
#define STOWAGE_TEST_UNIT_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_case {
  const char *name;
  void (*run)(void);
} test_case;

// Reports a failed check. Returns `holds`.
bool check_that(bool holds, const char *file, int line, const char *what);
bool check_equal(uint64_t actual, uint64_t expected, const char *file, int line, const char *what);

#define CHECK(CONDITION) check_that((CONDITION), __FILE__, __LINE__, #CONDITION)
#define CHECK_EQ(ACTUAL, EXPECTED)                                                                 \
  check_equal((uint64_t)(ACTUAL), (uint64_t)(EXPECTED), __FILE__, __LINE__,                        \
              #ACTUAL " == " #EXPECTED)

// Long loops over seeds take every one of them, or under a sanitizer every eleventh.
#ifdef __has_feature
#define TEST_HAS_FEATURE(NAME) __has_feature(NAME)
#else
#define TEST_HAS_FEATURE(NAME) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_HAS_FEATURE(address_sanitizer)
enum { TEST_STEP = 11 };
#else
enum { TEST_STEP = 1 };
#endif

// Very long ones take every `step`-th as well, or all where STOWAGE_SOAK is set.
uint64_t soak_step(uint64_t step);

// A note printed with every later failure of the same test, such as a seed. NULL clears it.
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

int test_main(int argc, char **argv, const test_case *cases, size_t count);

#define TEST_MAIN(...)                                                                             \
  int main(int argc, char **argv) {                                                                \
    static const test_case cases[] = {__VA_ARGS__};                                                \
    return test_main(argc, argv, cases, sizeof cases / sizeof *cases);                             \
  }
#define TEST(NAME) {#NAME, NAME}

// A small deterministic generator: the same seed gives the same numbers everywhere.
typedef struct test_random {
  uint64_t state;
} test_random;

uint64_t random_next(test_random *random);
uint64_t random_below(test_random *random, uint64_t bound);
int64_t random_between(test_random *random, int64_t low, int64_t high); // both included

#endif // STOWAGE_TEST_UNIT_CHECK_H
