//===- across.c - rows across those of the block --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products in a row, y = f(x * v) * w, run by rows of x read all of v and w in each step. By
// columns of x * v, which are the rows of w, each step reads its own part of both, once, and adds
// to all of y. The same holds for the heads of an attention. Where weights are more than a cache
// holds and x and y are less, that is less traffic.
//
// Such rows are taken where two products need no more bytes for them than the peak. A step makes
// whole lines of a cache, or it would read the weights in parts of them.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"
#include "rows/limits.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

typedef enum state { WAITING, TRIED, KEPT, DROPPED } state;

typedef struct candidate {
  stow_rows_across rows;
  stow_rows_statements reached;
  double saved; // of what its statements touch again each time
  state is;
} candidate;

typedef struct candidates {
  STOW_ARRAY(candidate) list;
} candidates;

static double again_of(const stow_rows_problem *problem, size_t statement) {
  const stow_stream_statement *s = &problem->statements[statement];
  double bytes = 0;
  for (size_t a = 0; a < s->access_count; ++a)
    bytes += (double)s->accesses[a].again;
  return bytes;
}

static double again_of_all(const stow_rows_problem *problem, const stow_rows_statements *of) {
  double bytes = 0;
  for (size_t i = 0; i < of->count; ++i)
    bytes += again_of(problem, of->at[i]);
  return bytes;
}

// As many indices as are a line of a cache.
static int64_t unit_of(const stow_rows_buffer *buffer, intptr_t dim) {
  uint64_t run = buffer->bytes;
  for (intptr_t i = 0; i <= dim && run > 0; ++i)
    run /= (uint64_t)stow_rows_extent(buffer->value, i);
  return run == 0 ? 1 : (int64_t)((STOW_ROWS_LINE_BYTES + run - 1) / run);
}

static bool is_known(const candidates *in, const stow_rows_statements *reached) {
  for (size_t i = 0; i < in->list.count; ++i) {
    const stow_rows_statements *it = &in->list.at[i].reached;
    if (it->count == reached->count && memcmp(it->at, reached->at, it->count * sizeof *it->at) == 0)
      return true;
  }
  return false;
}

// Adds rows that a statement would sum up along another loop than its own, where that saves bytes.
static void look_at(stow_rows_block *b, const stow_rows_problem *problem, const stow_rows_use *use,
                    candidates *to) {
  const stow_rows_buffer *buffer = &b->buffers.at[use->buffer];
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(buffer->value));
  for (intptr_t dim = 0; dim < rank && to->list.count < STOW_ROWS_MOST_ACROSS; ++dim) {
    candidate it = {.rows = {use->buffer, dim, unit_of(buffer, dim)}};
    if (!buffer->has_rows || buffer->dim == dim || !stow_rows_sums_across(b, use, &it.rows))
      continue;
    it.reached = stow_rows_reach(b, &it.rows);
    it.saved = again_of_all(problem, &it.reached) - it.reached.again;
    if (it.saved > 0 && !is_known(to, &it.reached))
      STOW_PUSH(to->list, it);
    else
      free(it.reached.at);
  }
}

static void find_candidates(stow_rows_block *b, const stow_rows_problem *problem, candidates *out) {
  for (size_t u = 0; u < b->uses.count; ++u) {
    const stow_rows_use *use = &b->uses.at[u];
    if (STOW_ROWS_FIRST_ALLOC <= use->buffer && use->buffer < b->alloc_end && !use->writes &&
        use->operand >= 0 && again_of(problem, use->statement) > STOW_ROWS_LEAST_AGAIN)
      look_at(b, problem, use, out);
  }
}

static int most_saved_first(const void *a, const void *b) {
  const candidate *left = a, *right = b;
  return stow_ir_then(STOW_COMPARE(right->saved, left->saved),
                      stow_ir_then(STOW_COMPARE(left->rows.buffer, right->rows.buffer),
                                   STOW_COMPARE(left->rows.dim, right->rows.dim)));
}

static bool meets(const candidate *it, const bool *taken) {
  for (size_t i = 0; i < it->reached.count; ++i)
    if (taken[it->reached.at[i]])
      return true;
  return false;
}

static void take(const candidate *it, bool *taken) {
  for (size_t i = 0; i < it->reached.count; ++i)
    taken[it->reached.at[i]] = true;
}

// Of those that meet, the one that saves most is tried. Whether there is one.
static bool try_some(const stow_rows_block *b, candidates *of) {
  bool *taken = stow_ir_allocate(b->statements.count, sizeof *taken), any = false;
  for (size_t i = 0; i < of->list.count; ++i)
    if (of->list.at[i].is == KEPT)
      take(&of->list.at[i], taken);
  for (size_t i = 0; i < of->list.count; ++i) {
    candidate *it = &of->list.at[i];
    if (it->is != WAITING || meets(it, taken))
      continue;
    take(it, taken);
    it->is = TRIED;
    any = true;
  }
  free(taken);
  return any;
}

// Whether its statements together are a stream within the peak.
static bool fits(const stow_rows_problem *problem, const stow_stream_options *options,
                 const candidate *it, uint64_t peak) {
  stow_stream_schedule s;
  size_t first = SIZE_MAX, last = 0;
  for (size_t i = 0; i < it->reached.count; ++i) {
    first = it->reached.at[i] < first ? it->reached.at[i] : first;
    last = it->reached.at[i] > last ? it->reached.at[i] : last;
  }
  if (!stow_stream_schedule_range(&problem->problem, first, last + 1, options, &s))
    stow_bridge_out_of_memory();
  const bool done = s.window_count > 0 && s.peak_bytes <= peak;
  stow_stream_schedule_free(&s);
  return done;
}

// Those that are tried or kept.
static void set_across(const candidates *from, stow_rows_rules *out) {
  out->across.count = 0;
  for (size_t i = 0; i < from->list.count; ++i)
    if (from->list.at[i].is == TRIED || from->list.at[i].is == KEPT)
      STOW_PUSH(out->across, from->list.at[i].rows);
}

void stow_rows_prepare(stow_rows_block *b, const stow_rows_rules *rules, stow_rows_problem *out) {
  stow_rows_choose(b, rules);
  stow_rows_make_problem(b, out);
}

void stow_rows_find_across(stow_rows_block *b, const stow_rows_problem *problem,
                           const stow_stream_options *options, uint64_t peak,
                           stow_rows_rules *out) {
  candidates found = {0};
  find_candidates(b, problem, &found);
  stow_ir_sort(found.list.at, found.list.count, sizeof *found.list.at, most_saved_first);
  for (size_t round = 0; round < STOW_ROWS_MOST_ROUNDS && try_some(b, &found); ++round) {
    stow_rows_problem other;
    set_across(&found, out);
    stow_rows_prepare(b, out, &other);
    for (size_t i = 0; i < found.list.count; ++i)
      if (found.list.at[i].is == TRIED)
        found.list.at[i].is = fits(&other, options, &found.list.at[i], peak) ? KEPT : DROPPED;
    stow_rows_problem_free(&other);
  }
  set_across(&found, out);
  for (size_t i = 0; i < found.list.count; ++i)
    free(found.list.at[i].reached.at);
  free(found.list.at);
}
