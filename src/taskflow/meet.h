//===- meet.h - whether two accesses may name one cell --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_MEET_H
#define STOWAGE_TASKFLOW_MEET_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the iterations of two loops, one around each access, relate.
typedef enum stow_iteration_order {
  STOW_ITERATION_SAME,   // variable of b = variable of a + shift
  STOW_ITERATION_BEFORE, // variable of b < variable of a + shift
  STOW_ITERATION_AFTER   // variable of b > variable of a + shift
} stow_iteration_order;

typedef struct stow_iteration_relation {
  MlirOperation loop_of_a, loop_of_b; // affine.for ops around a and around b
  int64_t shift;
  stow_iteration_order order;
} stow_iteration_relation;

// Whether an execution of access `a` and one of access `b` may name the same cell, where their
// iterations have these relations. They are two executions, even of one op. `b` and `a` are taken
// to access the same buffer. True where it is not known.
bool stow_may_meet(MlirOperation a, MlirOperation b, const stow_iteration_relation *relations,
                   size_t relation_count);

#endif // STOWAGE_TASKFLOW_MEET_H
