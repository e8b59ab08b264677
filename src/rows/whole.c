//===- whole.c - why a buffer stays whole ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a cut. Computes for each large buffer that has no window why: an op that is not split or
// needs all rows, a use that is not known, or that its ops cannot run together, for which
// src/stream is asked.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/bridge.h"
#include "ir/alias.h"
#include "ir/parts.h"

#include <stdlib.h>

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

// The use by which a statement writes memory from outside, or null.
static const stow_rows_use *write_outside(const stow_rows_block *b, const stow_rows_statement *s) {
  for (size_t u = s->first_use; u < s->end_use; ++u)
    if (b->uses.at[u].buffer == STOW_ROWS_OUTSIDE && b->uses.at[u].writes)
      return &b->uses.at[u];
  return NULL;
}

// Whether it would be memory of its own if it were said of all arguments that they are.
static bool lacks_promise(const stow_rows_block *b, const stow_rows_statement *s,
                          const stow_rows_use *use) {
  if (b->noalias || use->operand < 0)
    return false;
  const MlirValue root = stow_ir_root_of(mlirOperationGetOperand(s->op, use->operand));
  return stow_ir_is_reached_alone(root, true) && !stow_ir_is_reached_alone(root, false) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(root), b->block);
}

static stow_rows_cause writes_outside(const stow_rows_block *b, const stow_rows_statement *s,
                                      const stow_rows_use *use) {
  return (stow_rows_cause){
      "writes-outside", "the op writes memory that is not the block's own",
      lacks_promise(b, s, use)
          ? "if nothing else reaches the argument's memory, give it llvm.noalias, or set "
            "assume-noalias-arguments"
          : "give its result an allocation, and copy that at the end",
      s->op};
}

static stow_rows_cause not_in_steps(const stow_rows_block *b, const stow_rows_statement *s) {
  const stow_rows_use *outside = write_outside(b, s);
  if (outside)
    return writes_outside(b, s, outside);
  return (stow_rows_cause){
      "not-in-steps",
      "the op cannot run in the steps of the others: it reads a sum of rows, or "
      "another op needs all that it makes",
      NULL, s->op};
}

static bool splits(const stow_rows_statement *s) {
  for (intptr_t i = 0; i < s->loops.count; ++i)
    if (s->loops.extents[i] > 1 && stow_rows_can_split(s->op, s->maps, &s->loops, i))
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

static stow_rows_cause cause_by(const stow_rows_block *b, hindrance found,
                                const stow_rows_statement *s) {
  if (found == ALL_ROWS)
    return (stow_rows_cause){"all-rows", "each row of the op's result needs all of them", NULL,
                             s->op};
  if (found == SUM_OF_ROWS)
    return (stow_rows_cause){
        "sum-of-rows", "the op adds up rows: its result is there at the end only", NULL, s->op};
  const stow_rows_use *outside = stow_rows_has_loops(s->op) ? write_outside(b, s) : NULL;
  return outside ? writes_outside(b, s, outside) : not_split(s->op);
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

// But for what shows only when ops run together. False: nothing is in the way.
static bool find_cause(const stow_rows_block *b, const stow_rows_problem *problem, size_t buffer,
                       stow_rows_cause *out) {
  hindrance found = NONE;
  const stow_rows_statement *by = NULL;
  for (size_t u = b->buffer_begins[buffer]; u < b->buffer_begins[buffer + 1] && found <= NOT_SPLIT;
       ++u) {
    const size_t use = b->by_buffer[u];
    const stow_rows_statement *s = &b->statements.at[b->uses.at[use].statement];
    const hindrance it = hindrance_of(s, &problem->accesses[use]);
    if (it > found) {
      found = it;
      by = s;
    }
  }
  if (buffer >= b->alloc_end)
    *out = cause_of_counted(b, buffer);
  else if (b->buffers.at[buffer].escapes)
    *out = escapes();
  else if (by)
    *out = cause_by(b, found, by);
  return buffer >= b->alloc_end || b->buffers.at[buffer].escapes || found != NONE;
}

// All that touch these buffers could run row by row. Whether they can do so together shows in a
// stream that has no more ops than it must.
static void find_together(const stow_rows_block *b, const stow_rows_problem *problem,
                          const size_t *at, size_t count, stow_rows_wholes *out) {
  size_t *buffers = stow_ir_allocate(count, sizeof *buffers);
  size_t *obstacles = stow_ir_allocate(count, sizeof *obstacles);
  for (size_t i = 0; i < count; ++i)
    buffers[i] = out->at[at[i]].buffer;
  if (count > 0 && !stow_stream_find_obstacles(&problem->problem, buffers, count, obstacles))
    stow_bridge_out_of_memory();
  for (size_t i = 0; i < count; ++i)
    out->at[at[i]].why = obstacles[i] == SIZE_MAX
                             ? across_a_cut()
                             : not_in_steps(b, &b->statements.at[obstacles[i]]);
  free(buffers);
  free(obstacles);
}

bool *stow_rows_windowed(const stow_rows_block *b, const stow_stream_cut *cut) {
  bool *windowed = stow_ir_allocate(b->buffers.count, sizeof *windowed);
  for (size_t i = 0; i < cut->stream_count; ++i)
    for (size_t w = 0; w < cut->streams[i].window_count; ++w)
      windowed[cut->streams[i].windows[w].buffer] = true;
  return windowed;
}

void stow_rows_find_wholes(const stow_rows_block *b, const stow_rows_problem *problem,
                           const stow_stream_cut *cut, uint64_t bytes, stow_rows_wholes *out) {
  bool *windowed = stow_rows_windowed(b, cut);
  STOW_ARRAY(size_t) together = {0};
  *out = (stow_rows_wholes){0};
  for (size_t i = STOW_ROWS_FIRST_ALLOC; i < b->buffers.count; ++i) {
    const stow_rows_buffer *it = &b->buffers.at[i];
    stow_rows_whole whole = {.buffer = i};
    if (windowed[i] || it->passes || it->given || it->bytes < bytes ||
        b->buffer_begins[i] == b->buffer_begins[i + 1])
      continue;
    if (!find_cause(b, problem, i, &whole.why))
      STOW_PUSH(together, out->count);
    STOW_PUSH(*out, whole);
  }
  find_together(b, problem, together.at, together.count, out);
  free(windowed);
  free(together.at);
}
