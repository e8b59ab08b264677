//===- verify.h - one check of the markers of a function ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What verify.c (what came before?) and ahead.c (what begins too early?) have in common.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_VERIFY_H
#define STOWAGE_LIFETIME_VERIFY_H

#include "lifetime/lives.h"

typedef struct stow_life_check {
  const stow_flow *flow;
  stow_life_lives lives;
  stow_dominance *dominance;
  stow_life_history history;
  int32_t *seen_alive, *seen_ahead, *seen_freed; // per segment: the life that looked at it last
  int32_t *query, queries;                       // the same for questions that report nothing
  int32_t *stack;                                // of segments
  bool shares_roots; // the life that is being looked at, with another one
  bool silent, failed;
} stow_life_check;

// ahead.c: an error at a position, with a note at another one unless that is -1.
void stow_life_report(stow_life_check *check, int64_t position, bool names_op, const char *what,
                      int64_t note_at, const char *note);

// Reports what begins while the life lasts, and what begins after its buffer was freed.
void stow_life_check_starts(stow_life_check *check, int32_t index);
void stow_life_check_frees(stow_life_check *check, int32_t index);

// verify.c: whether verify-lifetimes has no fault to find in a function.
bool stow_life_markers_hold(const stow_flow *flow);

#endif // STOWAGE_LIFETIME_VERIFY_H
