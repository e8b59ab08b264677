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

#include "lifetime/markers.h"
#include "lifetime/touches.h"

//===----------------------------------------------------------------------===//
// lives.c: the lives that a function's markers describe
//===----------------------------------------------------------------------===//
//
// A *life* is all that markers say of one SSA value: where it begins and ends, and the other
// positions that matter to it, as events sorted by position. Lives are grouped by *root*, the
// buffer that their bytes are in.

typedef enum stow_lifetime_event_kind {
  STOW_LIFE_ROOT,  // the buffer comes into being
  STOW_LIFE_NAME,  // the value does
  STOW_LIFE_START, //
  STOW_LIFE_END,   //
  STOW_LIFE_FREED, // the buffer is freed, for certain
} stow_lifetime_event_kind;

typedef struct stow_lifetime_event {
  int64_t position;
  stow_lifetime_event_kind kind;
} stow_lifetime_event;

typedef struct stow_lifetime_marked {
  int32_t value; // of the flow
  stow_view_bytes bytes;
  STOW_ARRAY(stow_lifetime_event) events; // by position; at one position by kind
  STOW_ARRAY(int32_t) roots;              // where the value may come from; one, unless paths join
} stow_lifetime_marked;

// A start, listed under a root.
typedef struct stow_lifetime_root_start {
  int64_t position;
  int32_t marked;
} stow_lifetime_root_start;

typedef struct stow_lifetime_root {
  int32_t value; // of the flow
  STOW_ARRAY(int32_t) marked;
  STOW_ARRAY(stow_lifetime_root_start) starts; // by position
} stow_lifetime_root;

typedef struct stow_lifetime_lives {
  const stow_flow *flow;
  stow_lifetime_paths paths;
  stow_lifetime_touch_index index;
  STOW_ARRAY(stow_lifetime_marked) marked;
  STOW_ARRAY(stow_lifetime_root) roots;
  int32_t *marked_of, *root_of; // per value, or -1
  bool *is_marked;              // per value
} stow_lifetime_lives;

// Reads the markers of one function. Lives are in program order of their first marker.
stow_lifetime_lives stow_lifetime_lives_of(const stow_flow *flow);
void stow_lifetime_lives_free(stow_lifetime_lives *lives);

// The index of the first event at or after a position.
size_t stow_lifetime_event_from(const stow_lifetime_marked *marked, int64_t position);

// The position of the first start, or -1.
int64_t stow_lifetime_first_start(const stow_lifetime_marked *marked);

//===----------------------------------------------------------------------===//
// verify.c: one check of the markers of a function
//===----------------------------------------------------------------------===//

typedef struct stow_lifetime_check {
  const stow_flow *flow;
  stow_lifetime_lives lives;
  stow_dominance *dominance;
  stow_lifetime_history history;
  stow_walk alive, ahead, behind_free; // of the life that is being looked at, over segments
  stow_walk query;                     // of a question that reports nothing
  bool shares_roots;                   // the life that is being looked at, with another one
  bool silent, failed;
} stow_lifetime_check;

// ahead.c: an error at a position, with a note at another one unless that is -1.
void stow_lifetime_report(stow_lifetime_check *check, int64_t position, bool names_op,
                          const char *what, int64_t note_at, const char *note);

// Reports what begins while the life lasts, and what begins after its buffer was freed.
void stow_lifetime_check_starts(stow_lifetime_check *check, int32_t index);
void stow_lifetime_check_frees(stow_lifetime_check *check, int32_t index);

// verify.c: whether verify-lifetimes has no fault to find in a function.
bool stow_lifetime_markers_hold(const stow_flow *flow);

#endif // STOWAGE_LIFETIME_VERIFY_H
