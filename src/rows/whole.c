//===- whole.c - why a buffer stays whole ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/bridge.h"

static stow_rows_cause not_split(MlirOperation op) {
  return (stow_rows_cause){"not-split", "the op has no loop along the rows that could run in parts",
                           "another form of the op: linalg, of static shape, whose maps go from "
                           "the first row to the last",
                           op};
}

static stow_rows_cause escapes(void) {
  return (stow_rows_cause){"escapes",
                           "it is returned, stored, given to a function that is not seen, or used "
                           "in another block",
                           NULL,
                           {NULL}};
}

static stow_rows_cause across_a_cut(void) {
  return (stow_rows_cause){"across-a-cut",
                           "a stream of the ops around it would not make the peak smaller",
                           "other values of max-moved and rows change the choice",
                           {NULL}};
}

static bool writes_outside(const stow_rows_block *b, const stow_rows_statement *s) {
  for (size_t u = s->first_use; u < s->end_use; ++u)
    if (b->uses.at[u].buffer == STOW_ROWS_OUTSIDE && b->uses.at[u].writes)
      return true;
  return false;
}

static stow_rows_cause not_in_steps(const stow_rows_block *b, const stow_rows_statement *s) {
  if (writes_outside(b, s))
    return (stow_rows_cause){"writes-outside", "the op writes memory that is not the block's own",
                             "give its result an allocation, and copy that at the end", s->op};
  return (stow_rows_cause){
      "not-in-steps",
      "the op cannot run in the steps of the others: it reads a sum of rows, or "
      "another op needs all that it makes",
      NULL, s->op};
}

// The first statement that touches a buffer and does not run in the steps, or NULL.
static const stow_rows_statement *outside_of_steps(const stow_rows_block *b,
                                                   const stow_stream_schedule *s, size_t buffer) {
  for (size_t u = b->buffer_begins[buffer]; u < b->buffer_begins[buffer + 1]; ++u) {
    const size_t statement = b->uses.at[b->by_buffer[u]].statement;
    if (s->orders[statement - s->first].turn != STOW_STREAM_STEPS)
      return &b->statements.at[statement];
  }
  return NULL;
}

// All that touch the buffer could run row by row. Whether they can do so together shows in a stream
// that has no more ops than it must.
static stow_rows_cause cause_together(const stow_rows_block *b, const stow_rows_problem *problem,
                                      size_t buffer) {
  const size_t *uses = &b->by_buffer[b->buffer_begins[buffer]];
  const size_t count = b->buffer_begins[buffer + 1] - b->buffer_begins[buffer];
  const size_t first = b->uses.at[uses[0]].statement, last = b->uses.at[uses[count - 1]].statement;
  stow_stream_schedule s;
  if (!stow_stream_schedule_range(&problem->problem, first, last + 1, NULL, &s))
    stow_out_of_memory();
  const stow_rows_statement *apart = outside_of_steps(b, &s, buffer);
  stow_stream_schedule_free(&s);
  return apart ? not_in_steps(b, apart) : across_a_cut();
}

static bool splits(const stow_rows_statement *s) {
  for (intptr_t i = 0; i < s->loops.count; ++i)
    if (s->loops.extents[i] > 1 && stow_rows_can_split(s->op, &s->loops, i))
      return true;
  return false;
}

// How an op keeps a buffer whole. That a linalg op is split along no loop where it could be is due
// to another op, which is the one to name.
typedef enum hindrance { NONE, NOT_SPLIT, NO_LOOPS, ALL_ROWS, SUM_OF_ROWS } hindrance;

static hindrance hindrance_of(const stow_rows_statement *s, const stow_stream_access *access) {
  if (s->loop < 0)
    return s->has_loops && splits(s) ? NOT_SPLIT : NO_LOOPS;
  return access->whole ? ALL_ROWS : access->stride == 0 ? SUM_OF_ROWS : NONE;
}

static stow_rows_cause cause_by(hindrance found, MlirOperation op) {
  if (found == ALL_ROWS)
    return (stow_rows_cause){"all-rows", "each row of the op's result needs all of them", NULL, op};
  if (found == SUM_OF_ROWS)
    return (stow_rows_cause){"sum-of-rows",
                             "the op adds up rows: its result is there at the end only", NULL, op};
  return not_split(op);
}

// Of an allocation that is only counted: the first op that may name it in ways that are not known.
static stow_rows_cause cause_of_counted(const stow_rows_block *b, size_t buffer) {
  for (size_t u = b->buffer_begins[buffer]; u < b->buffer_begins[buffer + 1]; ++u) {
    MlirOperation op = b->statements.at[b->uses.at[b->by_buffer[u]].statement].op;
    if (!stow_rows_has_loops(op))
      return not_split(op);
  }
  return escapes();
}

stow_rows_cause stow_rows_cause_of(const stow_rows_block *b, const stow_rows_problem *problem,
                                   size_t buffer) {
  hindrance found = NONE;
  MlirOperation op = {NULL};
  if (buffer >= b->alloc_end)
    return cause_of_counted(b, buffer);
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
  return found == NONE ? cause_together(b, problem, buffer) : cause_by(found, op);
}

static bool has_window(const stow_stream_cut *cut, size_t buffer) {
  for (size_t i = 0; i < cut->stream_count; ++i)
    if (stow_stream_find_window(&cut->streams[i], buffer))
      return true;
  return false;
}

bool stow_rows_stays_whole(const stow_rows_block *b, const stow_stream_cut *cut, size_t buffer) {
  return !b->buffers.at[buffer].passes && b->buffer_begins[buffer] < b->buffer_begins[buffer + 1] &&
         !has_window(cut, buffer);
}
