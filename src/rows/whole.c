//===- whole.c - why a buffer stays whole ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

static stow_rows_cause not_split(MlirOperation op) {
  return (stow_rows_cause){"not-split", "the op has no loop along the rows that could run in parts",
                           "another form of the op: linalg, of static shape, whose maps go from "
                           "the first row to the last",
                           op};
}

static stow_rows_cause escapes(void) {
  return (stow_rows_cause){
      "escapes", "it is returned, stored or given to a function that is not seen", NULL, {NULL}};
}

static stow_rows_cause across_a_cut(void) {
  return (stow_rows_cause){"across-a-cut",
                           "keeping it whole costs less than the rows of all ops around it",
                           "other values of max-moved and rows change the choice",
                           {NULL}};
}

// How an op keeps a buffer whole. That a linalg op is split along no loop may be due to another op,
// which is the one to name.
typedef enum hindrance { NONE, NOT_SPLIT, NO_LOOPS, ALL_ROWS, SUM_OF_ROWS } hindrance;

static hindrance hindrance_of(const stow_rows_statement *s, const stow_stream_access *access) {
  if (!s->has_loops)
    return NO_LOOPS;
  if (s->loop < 0)
    return NOT_SPLIT;
  return access->whole ? ALL_ROWS : access->stride == 0 ? SUM_OF_ROWS : NONE;
}

static stow_rows_cause cause_by(hindrance found, MlirOperation op) {
  if (found == NONE)
    return across_a_cut();
  if (found == ALL_ROWS)
    return (stow_rows_cause){"all-rows", "each row of the op's result needs all of them", NULL, op};
  if (found == SUM_OF_ROWS)
    return (stow_rows_cause){"sum-of-rows",
                             "the op adds up rows: its result is there at the end only", NULL, op};
  return not_split(op);
}

stow_rows_cause stow_rows_cause_of(const stow_rows_block *b, const stow_rows_problem *problem,
                                   size_t buffer) {
  hindrance found = NONE;
  MlirOperation op = {NULL};
  if (b->buffers.at[buffer].escapes)
    return escapes();
  for (size_t u = b->buffer_begins[buffer]; u < b->buffer_begins[buffer + 1] && found <= NOT_SPLIT;
       ++u) {
    const size_t use = b->by_buffer[u];
    const stow_rows_statement *s = &b->statements.at[b->uses.at[use].statement];
    const hindrance it = hindrance_of(s, &problem->accesses[use]);
    if (it > found)
      found = it, op = s->op;
  }
  return cause_by(found, op);
}

static bool has_window(const stow_stream_cut *cut, size_t buffer) {
  for (size_t i = 0; i < cut->stream_count; ++i)
    if (stow_stream_find_window(&cut->streams[i], buffer))
      return true;
  return false;
}

bool stow_rows_stays_whole(const stow_rows_block *b, const stow_stream_cut *cut, size_t buffer) {
  return b->buffer_begins[buffer] < b->buffer_begins[buffer + 1] && !has_window(cut, buffer);
}
