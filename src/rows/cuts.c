//===- cuts.c - by which rules rows are chosen ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is cut into streams by the rules of choose.c. By these, a product may be split along the
// rows that it adds up. It then reads and writes all of its result in each step, and cannot run by
// rows of its result in another stream. So where there are such sums, the block is cut once more
// without them; and where much is read again in each step, with rows across (across.c). The best
// cut has the fewest bytes at the peak; of equal ones it has the least traffic, and then the fewest
// bytes of sums. Buffers do not share bytes yet when peaks are compared. So where the best is not
// the first, stream_rows.c plans a version by the first rules, too.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"
#include "rows/limits.h"

#include <stdlib.h>

static double traffic_of(const stow_stream_cut *cut) {
  double traffic = 0;
  for (size_t i = 0; i < cut->stream_count; ++i)
    traffic += cut->streams[i].traffic;
  return traffic;
}

static void cut_problem(const stow_rows_problem *problem, const stow_stream_options *options,
                        stow_stream_cut *out) {
  if (!stow_stream_cut_problem(&problem->problem, options, out))
    stow_bridge_out_of_memory();
}

static double again_in(const stow_stream_cut *cut) {
  double again = 0;
  for (size_t i = 0; i < cut->stream_count; ++i)
    again += cut->streams[i].again;
  return again;
}

// Bytes of sums that a statement reads and writes anew each time that it runs, where they are many.
static double sums_of(const stow_stream_statement *s, int64_t rate) {
  double bytes = 0;
  for (size_t a = 0; a < s->access_count; ++a)
    if (s->accesses[a].writes && s->accesses[a].again > STOW_ROWS_LEAST_AGAIN)
      bytes += (double)s->accesses[a].again;
  return bytes * (double)((s->iterations + rate - 1) / rate - 1);
}

static double sums_in(const stow_rows_problem *problem, const stow_stream_cut *cut) {
  double bytes = 0;
  for (size_t i = 0; i < cut->stream_count; ++i) {
    const stow_stream_schedule *s = &cut->streams[i];
    for (size_t k = 0; k < s->sequence_count; ++k)
      bytes +=
          sums_of(&problem->statements[s->sequence[k]], s->orders[s->sequence[k] - s->first].rate);
  }
  return bytes;
}

// A cut, with the problem that it was made of.
typedef struct attempt {
  stow_rows_cut cut;
  stow_rows_problem problem;
} attempt;

// Fewer bytes, else less traffic, else fewer sums that are read and written anew.
static bool is_better(const attempt *it, const attempt *than) {
  const stow_stream_cut *a = &it->cut.cut, *b = &than->cut.cut;
  return stow_ir_then(
             STOW_COMPARE(a->peak_bytes, b->peak_bytes),
             stow_ir_then(STOW_COMPARE(traffic_of(a), traffic_of(b)),
                          STOW_COMPARE(sums_in(&it->problem, a), sums_in(&than->problem, b)))) < 0;
}

// Takes other rules where their cut is better.
static void attempt_rules(stow_rows_block *b, const stow_stream_options *options,
                          stow_rows_rules rules, attempt *best) {
  attempt other = {.cut.rules = rules};
  stow_rows_prepare(b, &other.cut.rules, &other.problem);
  cut_problem(&other.problem, options, &other.cut.cut);
  const bool better = is_better(&other, best);
  stow_rows_cut_free(better ? &best->cut : &other.cut);
  stow_rows_problem_free(better ? &best->problem : &other.problem);
  if (better)
    *best = other;
  else
    stow_rows_choose(b, &best->cut.rules);
}

// Whether a statement adds up rows.
static bool has_sums(const stow_rows_block *b) {
  bool any = false;
  for (size_t i = 0; i < b->statements.count; ++i) {
    const stow_rows_statement *s = &b->statements.at[i];
    any |= s->loop >= 0 && !s->loops.parallel[s->loop];
  }
  return any;
}

static void attempt_across(stow_rows_block *b, const stow_stream_options *options, attempt *best) {
  stow_rows_rules rules = {.without_sums = best->cut.rules.without_sums};
  stow_rows_find_across(b, &best->problem, options, best->cut.cut.peak_bytes, &rules);
  if (rules.across.count > 0) {
    attempt_rules(b, options, rules, best);
    return;
  }
  free(rules.across.at);
  stow_rows_choose(b, &best->cut.rules);
}

void stow_rows_cut_free(stow_rows_cut *cut) {
  stow_stream_cut_free(&cut->cut);
  free(cut->rules.across.at);
  *cut = (stow_rows_cut){0};
}

void stow_rows_cut_first(stow_rows_block *b, const stow_stream_options *options,
                         stow_rows_problem *out_problem, stow_rows_cut *out) {
  *out = (stow_rows_cut){0};
  stow_rows_prepare(b, &out->rules, out_problem);
  cut_problem(out_problem, options, &out->cut);
}

void stow_rows_cut_block(stow_rows_block *b, const stow_stream_options *options,
                         stow_rows_problem *out_problem, stow_rows_cut *out) {
  attempt best;
  stow_rows_cut_first(b, options, &best.problem, &best.cut);
  if (has_sums(b))
    attempt_rules(b, options, (stow_rows_rules){.without_sums = true}, &best);
  if (again_in(&best.cut.cut) > 0)
    attempt_across(b, options, &best);
  *out = best.cut;
  *out_problem = best.problem;
}
