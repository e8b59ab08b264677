//===- stream_rows.c - networks executed row by row -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass. A function becomes at most a few *versions*: as the first rules cut it, with the best
// cuts, with and without buffers that share bytes. Each is planned, and the one with the smallest
// arenas stays, if that saves enough; else the function is as it was.
//
//===----------------------------------------------------------------------===//

#include "ir/nothing_done.h"
#include "rows/block.h"
#include "rows/report.h"
#include "rows/within.h"

#include <assert.h>
#include <stdlib.h>

#define MAX_ROWS (1 << 16) // at a time

static void check(const stow_rows_problem *problem, const stow_stream_cut *cut,
                  const stow_stream_places *places) {
#ifndef NDEBUG
  for (size_t i = 0; i < cut->stream_count; ++i)
    assert(stow_stream_verify(&problem->problem, &cut->streams[i], NULL) != STOW_STREAM_BROKEN);
  assert(stow_stream_verify_places(&problem->problem, cut->streams, cut->stream_count, places,
                                   NULL) != STOW_STREAM_BROKEN);
#endif
  (void)problem;
  (void)cut;
  (void)places;
}

// Where a version has its cuts from: it finds the best ones, takes those that were found, or cuts
// by the first rules.
typedef enum source { FIND, TAKE, FIRST } source;

// The streams of each block, without buffers that share bytes.
typedef struct cuts {
  STOW_ARRAY(stow_rows_cut) list;
  size_t taken;
  bool others; // by other rules than the first
} cuts;

// What a function may become.
typedef struct version {
  size_t streams;
  bool shares; // some buffers share bytes row by row
  stow_remarks remarks;
  stow_rows_account account;
} version;

typedef struct function {
  stow_attempt *attempt; // nothing is kept where nobody looks
  version now;           // in the module
  version other;
  MlirOperation other_op; // owned, or null
  stow_planned other_planned;
  cuts cuts;
} function;

typedef struct functions {
  stow_attempts attempts;
  STOW_ARRAY(function) list; // one each
} functions;

typedef struct settings {
  stow_stream_options how;
  source from;
  bool reports; // somebody reads accounts
  bool overlap;
  double least_saved;
  bool noalias; // arguments share no byte
} settings;

// Fewer than two ops with loops are no stream.
static bool may_stream(MlirBlock block) {
  size_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && count < 2;
       op = mlirOperationGetNextInBlock(op))
    count += stow_rows_has_loops(op);
  return count >= 2;
}

// Where buffers lie that share bytes: only of streams, and only if that is wanted.
static void overlap(const stow_rows_block *b, const stow_rows_problem *problem,
                    const settings *options, stow_stream_cut *cut, stow_stream_places *out) {
  *out = (stow_stream_places){0};
  if (!options->overlap || cut->stream_count == 0)
    return;
  bool *sharers = stow_rows_sharers(b, problem);
  if (!stow_stream_overlap(&problem->problem, &options->how, sharers, cut, out))
    stow_bridge_out_of_memory();
  free(sharers);
}

static void rewrite(stow_rows_block *b, const stow_rows_problem *problem,
                    const stow_stream_cut *cut, const stow_stream_places *places) {
  stow_rows_shared shared;
  stow_rows_make_shared(b, places, &shared);
  for (size_t i = 0; i < cut->stream_count; ++i)
    stow_rows_rewrite(b, problem, &cut->streams[i], &shared);
  stow_rows_share_whole(b, cut, &shared);
}

static void find_cut(stow_rows_block *b, const settings *options, cuts *all,
                     stow_rows_problem *problem) {
  stow_rows_cut cut;
  stow_rows_cut_block(b, &options->how, problem, &cut);
  all->others |= cut.rules.without_sums || cut.rules.across.count > 0;
  STOW_PUSH(all->list, cut);
}

static stow_stream_cut take_cut(stow_rows_block *b, cuts *all, stow_rows_problem *problem) {
  stow_rows_cut *known = &all->list.at[all->taken++];
  stow_rows_prepare(b, &known->rules, problem);
  const stow_stream_cut taken = known->cut;
  known->cut = (stow_stream_cut){0};
  return taken;
}

// Freed by the caller, unless they are found: then others take them.
static stow_stream_cut cut_block(stow_rows_block *b, const settings *options, cuts *all,
                                 stow_rows_problem *problem) {
  stow_rows_cut first;
  switch (options->from) {
  case FIND:
    find_cut(b, options, all, problem);
    return all->list.at[all->list.count - 1].cut;
  case TAKE:
    return take_cut(b, all, problem);
  case FIRST:
    break;
  }
  stow_rows_cut_first(b, &options->how, problem, &first);
  return first.cut;
}

static void stream_block(MlirBlock block, const settings *options, function *f) {
  stow_layout layout = stow_layout_at(mlirBlockGetParentOperation(block));
  stow_rows_block b;
  stow_rows_problem problem;
  stow_stream_places places;
  stow_rows_rename(block);
  stow_rows_shift(block);
  stow_rows_read(block, &layout, options->noalias, &b);
  stow_stream_cut cut = cut_block(&b, options, &f->cuts, &problem);
  overlap(&b, &problem, options, &cut, &places);
  check(&problem, &cut, &places);
  stow_rows_remark(&f->now.remarks, &b, &problem, &cut, &places);
  if (options->reports)
    stow_rows_describe(&f->now.account, f->attempt->op, &b, &problem, &cut, &places);
  f->now.streams += cut.stream_count;
  f->now.shares |= places.count > 0;
  rewrite(&b, &problem, &cut, &places);
  stow_stream_places_free(&places);
  if (options->from != FIND)
    stow_stream_cut_free(&cut);
  stow_rows_problem_free(&problem);
  stow_rows_block_free(&b);
}

static void stream_version(function *f, const settings *options) {
  const stow_block_list all = stow_ir_memory_blocks_in(f->attempt->op);
  STOW_EACH_ITEM(MlirBlock, block, all)
    if (may_stream(block))
      stream_block(block, options, f);
  free(all.at);
}

//===----------------------------------------------------------------------===//
// Which version
//===----------------------------------------------------------------------===//

// Steps cost time: not for a few bytes.
static bool saves_enough(const stow_attempt *attempt, const settings *options) {
  const uint64_t before = attempt->before.arenas;
  return (double)(before - attempt->now.arenas) >= options->least_saved * (double)before;
}

static bool is_worth_it(const function *f, const settings *options) {
  return f->now.streams > 0 && stow_reduce_is_gain(f->attempt->now, f->attempt->before) &&
         saves_enough(f->attempt, options);
}

static void swap(function *f) {
  const version now = f->now;
  const stow_planned planned = f->attempt->now;
  f->other_op = stow_attempt_exchange(f->attempt, f->other_op);
  f->attempt->now = f->other_planned;
  f->other_planned = planned;
  f->now = f->other;
  f->other = now;
}

static void drop_other(function *f) {
  if (!mlirOperationIsNull(f->other_op))
    mlirOperationDestroy(f->other_op);
  f->other_op.ptr = NULL;
  stow_remarks_settle(&f->other.remarks, f->other_op, false);
  stow_rows_account_free(&f->other.account);
  f->other = (version){0};
}

// Buffers share bytes in all versions but the one that finds cuts.
static settings settings_of(const function *f, const settings *options, source from) {
  settings how = *options;
  how.how.memory = f->attempt->before.arenas;
  how.from = from;
  how.overlap &= from != FIND;
  if (from == FIRST && f->attempt->now.arenas - 1 < options->how.most_shared)
    how.how.most_shared = f->attempt->now.arenas - 1;
  return how;
}

// Whether it is another one.
static bool add_version(function *f, const settings *options, source from) {
  const settings how = settings_of(f, options, from);
  f->other_op = mlirOperationClone(f->attempt->kept);
  swap(f);
  stream_version(f, &how);
  if (from == FIRST ? f->now.streams > 0 : f->now.shares)
    return true;
  swap(f);
  drop_other(f);
  return false;
}

static bool wants_version(const function *f, const settings *options, source from) {
  return f->now.streams > 0 && (from == FIRST ? f->cuts.others : options->overlap);
}

// Versions with cuts from there, which stay where their arenas are smaller.
static void add_versions(MlirOperation module, functions *all, const settings *options,
                         source from) {
  bool any = false;
  for (size_t i = 0; i < all->list.count; ++i)
    any |= wants_version(&all->list.at[i], options, from) &&
           add_version(&all->list.at[i], options, from);
  if (!any)
    return;
  stow_attempts_plan(module, &all->attempts);
  STOW_EACH(function, f, all->list) {
    if (!mlirOperationIsNull(f->other_op) &&
        !stow_reduce_is_gain(f->attempt->now, f->other_planned))
      swap(f);
    drop_other(f);
  }
}

static void stream_functions(MlirOperation module, functions *all, const settings *options) {
  bool streams = false;
  STOW_EACH(function, f, all->list) {
    if (f->attempt->before.arenas == 0)
      continue;
    stow_attempt_keep(f->attempt);
    const settings how = settings_of(f, options, FIND);
    stream_version(f, &how);
    streams |= f->now.streams > 0;
  }
  if (streams)
    stow_attempts_plan(module, &all->attempts);
  add_versions(module, all, options, TAKE);
  add_versions(module, all, options, FIRST);
}

//===----------------------------------------------------------------------===//
// Never more than before
//===----------------------------------------------------------------------===//

// Whether streams are left.
static bool settle(functions *all, const settings *options) {
  bool any = false;
  STOW_EACH(function, f, all->list) {
    const bool worth = is_worth_it(f, options);
    stow_remarks_settle(&f->now.remarks, f->attempt->op, worth || f->now.streams == 0);
    stow_attempt_finish(f->attempt, "stream-rows", "streams", f->now.streams, worth);
    any |= worth;
  }
  return any;
}

// Why nothing was done; freed by the caller.
static char *idle_text(MlirOperation module, const functions *all) {
  size_t ops = 0;
  STOW_EACH_OP_OF(op, module)
    ops += stow_rows_has_loops(op);
  if (ops == 0)
    return stow_ir_format("no linalg op or copy on memrefs of static shape%s",
                          stow_ir_or_tensors(module, ""));
  if (!stow_attempts_are_planned(&all->attempts))
    return stow_reduce_none_planned_text(module);
  return stow_ir_format("of %zu linalg ops and copies no stream makes an arena smaller", ops);
}

static bool report(functions *all, const stow_report_files *files, stow_report_streams *to) {
  stow_report_streamed *entries = stow_ir_allocate(all->list.count, sizeof *entries);
  size_t count = 0;
  STOW_EACH(function, f, all->list) {
    const stow_attempt *attempt = f->attempt;
    if (attempt->before.arenas > 0)
      entries[count++] = stow_rows_streamed(
          &f->now.account, attempt->op, attempt->before.arenas,
          (f->now.account.streams.count > 0 ? attempt->now : attempt->before).arenas);
  }
  to->functions = entries;
  to->function_count = count;
  if (stow_ir_reports_want_maps(files))
    to->map = stow_planned_map(files->module, STOW_UNKNOWN_OPS_DEFAULT, "with stream-rows");
  const bool written = stow_ir_write_reports(files, to);
  free(entries);
  return written;
}

static void find_functions(functions *all, MlirOperation module) {
  all->attempts = stow_attempts_begin(module, NULL);
  STOW_EACH(stow_attempt, attempt, all->attempts)
    STOW_PUSH(all->list, (function){.attempt = attempt});
}

// Of an option; below 0: none.
static double share_of(double given, double otherwise) {
  return given == 0 ? otherwise : given < 0 ? 0 : given;
}

static void free_cuts(cuts *all) {
  for (size_t i = 0; i < all->list.count; ++i)
    stow_rows_cut_free(&all->list.at[i]);
  free(all->list.at);
}

static void free_functions(functions *all) {
  STOW_EACH(function, f, all->list) {
    stow_rows_account_free(&f->now.account);
    free_cuts(&f->cuts);
  }
  free(all->list.at);
  free(all->attempts.at);
}

bool stow_rows_stream_within(MlirOperation module, const stow_stream_rows_options *given,
                             uint64_t most) {
  stow_stream_rows_options options;
  stow_ir_take_options(&options, given, sizeof options);
  const stow_report_files files = stow_rows_files(module, &options);
  if (!stow_ir_can_report(&files))
    return false;
  const settings how = {{.rows = options.rows < MAX_ROWS ? options.rows : MAX_ROWS,
                         .max_moved = share_of(options.max_moved, STOW_DEFAULT_MAX_MOVED),
                         .most_shared = most},
                        FIND,
                        options.report_count > 0,
                        !options.keep_apart,
                        share_of(options.least_saved, STOW_DEFAULT_LEAST_SAVED),
                        options.assume_noalias_arguments};
  functions all = {0};
  stow_report_streams told = {.title = "stream-rows"};
  char *idle = NULL;
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  if (stow_ir_reports_want_maps(&files))
    told.map_before = stow_planned_map(module, STOW_UNKNOWN_OPS_DEFAULT, "without stream-rows");
  find_functions(&all, module);
  stream_functions(module, &all, &how);
  if (!settle(&all, &how)) {
    told.note = idle = idle_text(module, &all);
    stow_bridge_tell_idle_pass(module, "stream-rows", idle);
  }
  const bool written = report(&all, &files, &told);
  free(idle);
  free((char *)told.map);
  free((char *)told.map_before);
  free_functions(&all);
  return written;
}

bool stow_stream_rows(MlirOperation module, const stow_stream_rows_options *given) {
  return stow_rows_stream_within(module, given, UINT64_MAX);
}
