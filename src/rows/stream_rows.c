//===- stream_rows.c - networks executed row by row -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/linalg.h"
#include "rows/block.h"
#include "rows/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAX_ROWS (1 << 16) // at a time

typedef struct blocks {
  STOW_ARRAY(MlirBlock) list;
} blocks;

// Blocks in whose ops memory may be touched; not those in which linalg computes elements.
static MlirWalkResult collect(MlirOperation op, void *user) {
  blocks *all = user;
  if (stow_op_facts(op) & STOW_OP_STRUCTURED)
    return MlirWalkResultSkip;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      if (!mlirOperationIsNull(mlirBlockGetTerminator(block)))
        STOW_PUSH(all->list, block);
  return MlirWalkResultAdvance;
}

static void check(const stow_rows_problem *problem, const stow_stream_cut *cut) {
#ifndef NDEBUG
  for (size_t i = 0; i < cut->stream_count; ++i)
    assert(stow_stream_verify(&problem->problem, &cut->streams[i], NULL) != STOW_STREAM_BROKEN);
#endif
  (void)problem, (void)cut;
}

// A function, and what became of it.
typedef struct function {
  MlirOperation op, kept; // kept: as it was; null where nobody looked
  size_t streams;
  uint64_t before, after; // bytes of its arenas, as merge-alloc plans them
  stow_rows_remarks remarks;
  stow_rows_account account;
} function;

typedef struct functions {
  STOW_ARRAY(function) list;
  stow_map index; // of ops
  bool after;
} functions;

typedef struct settings {
  stow_stream_options how;
  bool reports; // somebody reads accounts
} settings;

// Fewer than two ops with loops are no stream.
static bool may_stream(MlirBlock block) {
  size_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && count < 2;
       op = mlirOperationGetNextInBlock(op))
    count += stow_rows_has_loops(op);
  return count >= 2;
}

static void stream_block(MlirBlock block, const settings *options, function *f) {
  stow_layout layout = stow_layout_at(mlirBlockGetParentOperation(block));
  stow_rows_block b;
  stow_rows_problem problem;
  stow_stream_cut cut;
  stow_rows_rename(block);
  stow_rows_read(block, &layout, &b);
  stow_rows_choose(&b);
  stow_rows_make_problem(&b, &problem);
  if (!stow_stream_cut_problem(&problem.problem, &options->how, &cut))
    stow_out_of_memory();
  check(&problem, &cut);
  stow_rows_remark(&f->remarks, &b, &problem, &cut);
  if (options->reports)
    stow_rows_describe(&f->account, f->op, &b, &problem, &cut);
  f->streams += cut.stream_count;
  for (size_t i = 0; i < cut.stream_count; ++i)
    stow_rows_rewrite(&b, &problem, &cut.streams[i]);
  stow_stream_cut_free(&cut);
  stow_rows_problem_free(&problem);
  stow_rows_block_free(&b);
}

static void stream_function(function *f, const settings *options) {
  blocks all = {0};
  f->kept = mlirOperationClone(f->op);
  mlirOperationWalk(f->op, collect, &all, MlirWalkPreOrder);
  for (size_t i = 0; i < all.list.count; ++i)
    if (may_stream(all.list.at[i]))
      stream_block(all.list.at[i], options, f);
  free(all.list.at);
}

//===----------------------------------------------------------------------===//
// Never more than before
//===----------------------------------------------------------------------===//

static void add_arena(void *user, MlirOperation op, uint64_t bytes) {
  functions *all = user;
  const int32_t at = stow_map_get(&all->index, op.ptr);
  if (at >= 0 && all->after)
    all->list.at[at].after += bytes;
  else if (at >= 0)
    all->list.at[at].before += bytes;
}

static bool is_worth_it(const function *f) { return f->streams > 0 && f->after < f->before; }

static void tell(function *f) {
  MlirStringRef name = stow_function_name(f->op);
  const bool worth = is_worth_it(f);
  stow_rows_emit(&f->remarks, name, worth || f->streams == 0);
  if (f->streams == 0)
    return;
  stow_text text = {0};
  stow_text_printf(&text,
                   worth ? "streams: %zu; arenas of %" PRIu64 " bytes, not %" PRIu64
                         : "streams: %zu, undone: they need arenas of %" PRIu64
                           " bytes, the function as it was %" PRIu64,
                   f->streams, f->after, f->before);
  const stow_remark remark = {.kind = worth ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
                              .location = mlirOperationGetLocation(f->op),
                              .category = "stream-rows",
                              .name = worth ? "function" : "undone",
                              .function = name,
                              .text = text.data};
  stow_remark_emit(&remark);
  free(text.data);
}

static void settle(function *f) {
  tell(f);
  if (mlirOperationIsNull(f->kept))
    return;
  if (is_worth_it(f)) {
    mlirOperationDestroy(f->kept);
    return;
  }
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(f->op), f->op, f->kept);
  mlirOperationDestroy(f->op);
  f->op = f->kept;
  f->streams = 0;
}

static MlirWalkResult count_op(MlirOperation op, void *user) {
  *(size_t *)user += stow_rows_has_loops(op);
  return MlirWalkResultAdvance;
}

// Why nothing was done; freed by the caller.
static char *idle_text(MlirOperation module, const functions *all) {
  size_t ops = 0, planned = 0;
  mlirOperationWalk(module, count_op, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < all->list.count; ++i)
    planned += all->list.at[i].before > 0;
  if (ops == 0)
    return stow_format("no linalg op or copy on memrefs of static shape: bufferize first");
  if (planned == 0)
    return stow_format("no buffer that merge-alloc would plan: its remarks tell why");
  return stow_format("of %zu linalg ops and copies no stream makes an arena smaller", ops);
}

static bool report(MlirOperation module, functions *all, const stow_stream_rows_options *options,
                   stow_rows_report *to) {
  stow_report_streamed *entries = stow_allocate(all->list.count, sizeof *entries);
  size_t count = 0;
  for (size_t i = 0; i < all->list.count; ++i) {
    function *f = &all->list.at[i];
    if (f->before > 0)
      entries[count++] = stow_rows_streamed(&f->account, f->op, f->before,
                                            f->account.streams.count > 0 ? f->after : f->before);
  }
  to->streams.functions = entries, to->streams.function_count = count;
  if (stow_rows_wants_maps(options))
    to->map = stow_planned_map(module, STOW_UNKNOWN_OPS_DEFAULT, "with stream-rows");
  const bool written = stow_rows_write_report(module, options, to);
  free(entries);
  return written;
}

static MlirWalkResult add_function(MlirOperation op, void *user) {
  functions *all = user;
  if (!stow_op_is_function(op) || mlirRegionIsNull(stow_function_body(op)))
    return MlirWalkResultAdvance;
  stow_map_add(&all->index, op.ptr, (int32_t)STOW_PUSH(all->list, (function){.op = op}));
  return MlirWalkResultSkip;
}

static double share_of(double given) { return given == 0 ? 0.2 : given < 0 ? 0 : given; }

static void stream_functions(MlirOperation module, functions *all, const settings *options) {
  size_t streams = 0;
  mlirOperationWalk(module, add_function, all, MlirWalkPreOrder);
  stow_planned_arenas(module, STOW_UNKNOWN_OPS_DEFAULT, add_arena, all);
  for (size_t i = 0; i < all->list.count; ++i)
    if (all->list.at[i].before > 0)
      stream_function(&all->list.at[i], options), streams += all->list.at[i].streams;
  all->after = true;
  if (streams > 0)
    stow_planned_arenas(module, STOW_UNKNOWN_OPS_DEFAULT, add_arena, all);
}

// Whether streams are left.
static bool settle_functions(functions *all) {
  size_t streams = 0;
  for (size_t i = 0; i < all->list.count; ++i) {
    settle(&all->list.at[i]);
    streams += all->list.at[i].streams;
  }
  return streams > 0;
}

static void free_functions(functions *all) {
  for (size_t i = 0; i < all->list.count; ++i)
    stow_rows_account_free(&all->list.at[i].account);
  stow_map_free(&all->index);
  free(all->list.at);
}

bool stow_stream_rows(MlirOperation module, const stow_stream_rows_options *given) {
  stow_stream_rows_options options = {0};
  if (given)
    stow_take_options(&options, given, sizeof options);
  if (!stow_rows_can_report(module, &options))
    return false;
  const settings how = {
      {options.rows < MAX_ROWS ? options.rows : MAX_ROWS, share_of(options.max_moved)},
      options.report_count > 0};
  functions all = {0};
  stow_rows_report told = {.streams.title = "stream-rows"};
  char *idle = NULL;
  stow_load_dialects(mlirOperationGetContext(module));
  if (stow_rows_wants_maps(&options))
    told.map_before = stow_planned_map(module, STOW_UNKNOWN_OPS_DEFAULT, "without stream-rows");
  stream_functions(module, &all, &how);
  if (!settle_functions(&all)) {
    told.streams.note = idle = idle_text(module, &all);
    stow_tell_idle_pass(module, "stream-rows", idle);
  }
  const bool written = report(module, &all, &options, &told);
  free(idle), free(told.map), free(told.map_before);
  free_functions(&all);
  return written;
}
