//===- programs.h - functions for the unit tests of src/ir ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TEST_UNIT_IR_PROGRAMS_H
#define STOWAGE_TEST_UNIT_IR_PROGRAMS_H

#include "check.h"
#include "ir/flow.h"

typedef struct test_program {
  MlirModule module;
  MlirOperation function; // the first
} test_program;

// Of one that is not valid the function is null, and a check has failed.
test_program test_parse(const char *text);
void test_program_free(test_program *program);

// Its flow, as if nothing were known of the functions that it calls.
stow_flow test_flow_of(const test_program *program);

enum { MAX_BLOCKS = 10 };

// Ends block `block` of `count` by a return, or a branch to one or two blocks other than the entry.
void test_put_terminator(stow_text *text, test_random *random, unsigned count);

#endif // STOWAGE_TEST_UNIT_IR_PROGRAMS_H
