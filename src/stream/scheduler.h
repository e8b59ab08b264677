//===- scheduler.h - schedules of many ranges of one problem --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is the same for all ranges of a problem, and tables that each range uses anew. A
// schedule takes time by the accesses of its range, not by the size of the problem.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_SCHEDULER_H
#define STOWAGE_STREAM_SCHEDULER_H

#include "stowage/stream.h"

// Where a buffer is touched: statements [first, last]. Untouched: last < first.
typedef struct stow_stream_span {
  size_t first, last;
} stow_stream_span;

// One access of the range, in the list of its buffer, latest first.
typedef struct stow_stream_node {
  size_t statement; // counted from the range's first
  const stow_stream_access *access;
  int64_t next, next_write; // in the list, and of those that write; or -1
} stow_stream_node;

// All accesses of the range to one buffer.
typedef struct stow_stream_list {
  int64_t head, head_write; // the latest, and the latest that writes; or -1
  int64_t stride;           // of all accesses by rows; 0: there is none, -1: several
} stow_stream_list;

// Statement `to` of the range depends on `from`, an earlier one.
typedef struct stow_stream_edge {
  size_t from, to;
  const stow_stream_access *before, *after;
  int64_t lag; // delay(to) >= delay(from) + lag; of statements in steps
} stow_stream_edge;

// A ring in a window's place. A round is so many of the common periods of the buffer's statements;
// the phase may be any number of steps.
typedef struct stow_stream_ring {
  stow_stream_window window; // kept is 0: there is none
  int64_t blocks;
} stow_stream_ring;

typedef struct stow_stream_scheduler {
  const stow_stream_problem *problem;
  stow_stream_span *spans;   // per buffer
  uint64_t *crossing;        // bytes of local buffers touched both before and from statement p on
  uint64_t *held;            // bytes of others that are touched before statement p, and still there
  stow_stream_span alive_in; // statements between which local buffers are alive; none: as a span
  // Of one range:
  size_t first, count;
  bool overlap;            // as in stow_stream_options
  stow_stream_list *lists; // per buffer
  bool *inside;            // per buffer that is touched; once rates are set
  size_t *touched, touched_count;
  stow_stream_node *nodes;
  size_t node_count, node_capacity;
  stow_stream_edge *edges; // ordered by `to`
  size_t edge_count, edge_capacity;
  size_t *edge_begins;                // count + 1: the first edge to each statement
  size_t *leaving, *leaving_begins;   // edges by `from`
  stow_stream_order *orders;          // per statement of the range
  int64_t *numerators, *denominators; // iterations per step, as fractions; 0: not known yet
  size_t *stack;
  stow_stream_ring *rings; // per window
  uint64_t *alive, *made;  // bytes by moments of the range: of local buffers; of others, what
                           // begins less what ends
  size_t *index;           // per buffer: SIZE_MAX
  uint64_t effort;         // moments that may still be looked at, row by row
} stow_stream_scheduler;

// One row after the other, in the order of iterations.
static inline bool stow_stream_by_rows(const stow_stream_access *access) {
  return !access->whole && access->stride > 0;
}

// Whether a statement of the range runs in the steps, with the others.
static inline bool stow_stream_in_steps(const stow_stream_scheduler *scheduler, size_t statement) {
  return scheduler->orders[statement].stage == STOW_STREAM_STEPS;
}

// Rounded down, and what is left. `b` is above 0.
static inline int64_t stow_stream_floor(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static inline int64_t stow_stream_modulo(int64_t a, int64_t b) {
  return a - stow_stream_floor(a, b) * b;
}

// The greatest common divisor; of 0 and b it is b.
static inline int64_t stow_stream_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// False: no memory. Freed with stow_stream_scheduler_free, also then.
bool stow_stream_scheduler_create(const stow_stream_problem *problem,
                                  stow_stream_scheduler *out_scheduler);
void stow_stream_scheduler_free(stow_stream_scheduler *scheduler);

// Collects the accesses of a range and what depends on what. False: no memory.
bool stow_stream_read_range(stow_stream_scheduler *scheduler, size_t first, size_t end);

// Decides what runs in steps, and how often: `rows` iterations each time.
void stow_stream_set_rates(stow_stream_scheduler *scheduler, int64_t rows);

// Decides in which step each statement begins.
void stow_stream_set_delays(stow_stream_scheduler *scheduler);

// Decides the order in a step: as in the program, or with as few groups as can be. Gives the
// statements in that order, counted from the range's first, and returns how many there are.
size_t stow_stream_set_groups(stow_stream_scheduler *scheduler, bool as_written,
                              size_t *out_sequence);

// Decides of each buffer whether it can be kept as rows: all that touches it runs in the steps of
// this range. Of a buffer that is touched, `inside` says so.
void stow_stream_set_inside(stow_stream_scheduler *scheduler);

// The window of a buffer that is inside, with as few rows as can be.
stow_stream_window stow_stream_window_of(const stow_stream_scheduler *scheduler, size_t buffer);

// The smallest ring of a buffer that is inside.
stow_stream_ring stow_stream_ring_of(const stow_stream_scheduler *scheduler, size_t buffer);

// The rows of its window if rows could move at any time, also by parts of a row: never more than
// the window has, and a convex function of each delay.
double stow_stream_rows_between(const stow_stream_scheduler *scheduler, size_t buffer);

// What some bytes take up.
uint64_t stow_stream_taken(const stow_stream_problem *problem, uint64_t bytes);

// The last step of a statement that runs in steps, plus one.
int64_t stow_stream_ends(const stow_stream_scheduler *scheduler, size_t statement);

#endif // STOWAGE_STREAM_SCHEDULER_H
