//===- backward.h - what is needed, and what is lost, before an event -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transfer functions of the dataflow in solve.c: what holds before an event, from
// what holds after it. Facts (live.h) are changed in place.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_BACKWARD_H
#define STOWAGE_CHECK_BACKWARD_H

#include "check/live.h"
#include "check/relate.h"
#include "check/steps.h"

typedef struct stow_check_backward {
  const stow_check_program *program;
  stow_check_live live; // what holds at the event that is looked at
  stow_check_relations relations;
  bool noting; // faults
  STOW_ARRAY(stow_check_fault) faults;
  uint64_t steps;
} stow_check_backward;

void stow_check_backward_pass(stow_check_backward *backward, const stow_check_event *event);

// What comes from several sides holds all together.
void stow_check_backward_join(stow_check_backward *backward, const stow_check_fact *fact);

// What holds of a choice holds of what it stands for: the sources [first, end).
void stow_check_backward_move(stow_check_backward *backward, const stow_check_fact *fact,
                              size_t first, size_t end);

// `op` reads the place, or STOW_CHECK_NO_OP: the caller does.
void stow_check_backward_read(stow_check_backward *backward, stow_check_place place, int32_t op);

#endif // STOWAGE_CHECK_BACKWARD_H
