//===- table_test.c - the rows of ops.def are found -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are searched by halves: one that is out of order hides others.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "ir/op.h"

#include <string.h>

static const char *const rows[] = {
#define OP(kind, name, traits) name,
#include "ir/ops.def"
};

static const char *const prefixes[] = {
#undef OP
#define OP(kind, name, traits)
#undef PREFIX
#define PREFIX(name, traits) name,
#include "ir/ops.def"
};

static void check_sorted(const char *const *names, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    test_note("%s behind %s", names[i], names[i - 1]);
    CHECK(strcmp(names[i - 1], names[i]) < 0);
  }
  test_note(NULL);
}

static void rows_are_sorted(void) {
  check_sorted(rows, sizeof rows / sizeof *rows);
  check_sorted(prefixes, sizeof prefixes / sizeof *prefixes);
}

TEST_MAIN(TEST(rows_are_sorted))
