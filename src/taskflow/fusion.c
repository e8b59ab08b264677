//===- fusion.c - memory-access-streaming-fusion ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Until nothing changes, every pair of a writer and a reader of a buffer that are adjacent in
// the graph of tasks is taken, and of those that can be fused the one that gains most is. A
// task that was fused competes at once. The round of a fusion is one more than those of the
// two tasks. The outcome of a trial holds as long as both tasks exist; where the fused task
// may stand, whether a buffer has other users, and the effect on the peak are computed when
// the pair's turn comes.
//
// Of two tasks of which one was just fused, the trial before that tells what to
// expect. They are tried when their turn comes; those that are expected to be refused,
// when nothing else is left. So a buffer of many readers takes a trial per reader and
// not one per reader and fusion.
//
//===----------------------------------------------------------------------===//

#include "taskflow/pairs.h"

#include "ir/support.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/steps.h"
#include "taskflow/thread.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static stow_fusion_record *add_record(stow_fuser *f, const stow_task_pair *p,
                                      stow_fusion_reason reason) {
  stow_fusion *fusion = f->fusion;
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  size_t added =
      STOW_PUSH(fusion->records, (stow_fusion_record){
                                     .function = stow_copy_string(stow_function_name(f->function)),
                                     .writer = stow_copy_string(stow_task_name(&writer)),
                                     .reader = stow_copy_string(stow_task_name(&reader)),
                                     .writer_location = mlirOperationGetLocation(writer.op),
                                     .reader_location = mlirOperationGetLocation(reader.op),
                                     .reason = reason,
                                     .noalias = fusion->options.assume_noalias_arguments,
                                 });
  return &fusion->records.at[added];
}

static void free_record(stow_fusion_record *record) {
  free(record->function);
  free(record->writer);
  free(record->reader);
  free(record->fused);
}

static void blame(stow_fusion_record *record, MlirOperation op) {
  if (!mlirOperationIsNull(op))
    record->blame[record->blame_count++] = mlirOperationGetLocation(op);
}

static void record_refusal(stow_fuser *f, const stow_task_pair *p) {
  const stow_trial *trial = &f->trials.at[p->trial];
  bool placed = trial->reason == STOW_FUSION_FUSED;
  if (placed && p->place != STOW_NOWHERE && stow_pair_gains(f, p))
    return; // the rounds are over
  if (placed && !stow_pair_gains(f, p)) {
    add_record(f, p, STOW_FUSION_OTHERS);
    return;
  }
  stow_fusion_reason nowhere = p->peak_rises ? STOW_FUSION_PEAK : STOW_FUSION_BETWEEN;
  stow_fusion_record *record = add_record(f, p, placed ? nowhere : trial->reason);
  if (placed && !p->peak_rises) {
    blame(record, p->down.blame);
    blame(record, p->up.blame);
  } else if (!placed) {
    memcpy(record->blame, trial->blame, sizeof record->blame);
    record->blame_count = trial->blame_count;
  }
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

static char *fused_name(const stow_task *writer, const stow_task *reader) {
  MlirStringRef first = stow_task_name(writer), second = stow_task_name(reader);
  return stow_format("%.*s_%.*s_fused", (int)first.length, first.data, (int)second.length,
                     second.data);
}

static void replace_nodes(stow_fuser *f, const stow_task_pair *p, MlirOperation fused,
                          bool windows) {
  bool at_reader = p->place == STOW_AT_READER;
  size_t kept = at_reader ? p->reader_index : p->writer_index;
  f->nodes.at[kept] = (stow_task_node){fused,
                                       f->next_number++,
                                       {p->writer.number, p->reader.number},
                                       stow_pair_round(p),
                                       at_reader ? p->reader.position : p->writer.position,
                                       p->writer.windows || p->reader.windows || windows};
  f->nodes.at[at_reader ? p->writer_index : p->reader_index].op = (MlirOperation){NULL};
}

static MlirOperation make_room(const stow_task_pair *p) {
  if (p->place == STOW_AT_READER)
    return p->reader.op;
  for (size_t i = 0; i < p->up.rising.count; ++i)
    mlirOperationMoveBefore(p->up.rising.at[i], p->writer.op);
  return p->writer.op;
}

static uint64_t bytes_saved(const stow_pair_buffers *buffers) {
  uint64_t sum = 0, bytes;
  for (size_t i = 0; i < buffers->gone.count; ++i)
    if (stow_allocation_bytes(buffers->gone.at[i], &bytes))
      sum += bytes;
  for (size_t i = 0; i < buffers->windows.count; ++i)
    if (stow_allocation_bytes(buffers->windows.at[i]->buffer, &bytes))
      sum += bytes - buffers->windows.at[i]->bytes;
  return sum;
}

static uint64_t stores_gone(const stow_trial *trial, const stow_pair_buffers *buffers) {
  uint64_t sum = 0;
  for (size_t i = 0; i < trial->dry.count; ++i)
    if (stow_values_find(&buffers->gone, trial->dry.at[i].buffer) >= 0)
      sum += trial->dry.at[i].stores;
  return sum;
}

static void keep_windows(stow_fuser *f, MlirBlock body, const stow_pair_buffers *buffers) {
  for (size_t i = 0; i < buffers->windows.count; ++i) {
    const stow_window *window = buffers->windows.at[i];
    stow_alive_rename(&f->alive, window->buffer, stow_keep_window(body, window));
  }
}

static void take_out(stow_fuser *f, MlirOperation task) {
  if (!f->attempt) {
    mlirOperationDestroy(task);
    return;
  }
  STOW_PUSH(f->attempt->next, mlirOperationGetNextInBlock(task));
  STOW_PUSH(f->attempt->removed, task);
  mlirOperationRemoveFromParent(task);
}

static void fuse_pair(stow_fuser *f, stow_task_pair *p, size_t tied) {
  const stow_trial *trial = &f->trials.at[p->trial];
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  stow_pair_buffers buffers = stow_pair_buffers_of(f, p);
  char *name = fused_name(&writer, &reader);
  stow_fusion_record *record = add_record(f, p, STOW_FUSION_FUSED);
  record->fused = name;
  record->round = stow_pair_round(p);
  record->tied = tied;
  record->buffers = buffers.gone.count;
  record->windows = buffers.windows.count;
  record->bytes = bytes_saved(&buffers);
  record->loads = trial->loads;
  record->stores = trial->stores + stores_gone(trial, &buffers);

  stow_open_pair open = stow_redo_fusion(&writer, &reader, &p->buffers, f->options, trial);
  for (size_t i = 0; i < buffers.gone.count; ++i)
    stow_remove_stores(open.body, buffers.gone.at[i]);
  stow_remove_unused(open.body);
  stow_alive_apply(&f->alive, stow_pair_change(p, p->place, &buffers));
  keep_windows(f, open.body, &buffers);
  const MlirLocation both[] = {record->writer_location, record->reader_location};
  MlirContext context = mlirOperationGetContext(writer.op);
  stow_task fused =
      stow_open_close(&open, mlirLocationFusedGet(context, 2, both, (MlirAttribute){NULL}),
                      stow_string(name), make_room(p));
  stow_task_hand_out_values(&writer, &fused, 0);
  stow_task_hand_out_values(&reader, &fused, writer.value_outputs);
  replace_nodes(f, p, fused.op, buffers.windows.count > 0);
  if (f->attempt)
    STOW_PUSH(f->attempt->made, fused.op);
  take_out(f, reader.op);
  take_out(f, writer.op);
  for (size_t i = 0; i < buffers.gone.count; ++i)
    stow_erase_allocation(buffers.gone.at[i]);
  stow_pair_buffers_free(&buffers);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static bool still_there(const stow_fuser *f, const stow_task_pair *p) {
  return f->nodes.at[p->writer_index].number == p->writer.number &&
         f->nodes.at[p->reader_index].number == p->reader.number &&
         !mlirOperationIsNull(f->nodes.at[p->writer_index].op) &&
         !mlirOperationIsNull(f->nodes.at[p->reader_index].op);
}

static void drop_empty_nodes(stow_fuser *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->nodes.count; ++i)
    if (!mlirOperationIsNull(f->nodes.at[i].op))
      f->nodes.at[count++] = f->nodes.at[i];
  f->nodes.count = count;
}

static bool may_fuse(const stow_fuser *f, const stow_task_pair *p) {
  const int64_t most = f->fusion->options.max_rounds;
  return f->trials.at[p->trial].reason == STOW_FUSION_FUSED && still_there(f, p) &&
         stow_pair_gains(f, p) && (most == 0 || stow_pair_round(p) <= (size_t)most);
}

// Others that would gain as much as pair `index`.
static size_t count_tied(const stow_fuser *f, size_t index) {
  size_t count = 0;
  for (size_t i = index + 1; i < f->pairs.count && stow_pairs_tie(f, index, i); ++i)
    count += may_fuse(f, &f->pairs.at[i]);
  return count;
}

// Fuses the first pair that can be; tells whether there is one. What a pair gains may turn out to
// be less than was expected: then others come first.
static bool fuse_best(stow_fuser *f) {
  stow_fuser_sort_pairs(f, 0);
  for (size_t i = 0; i < f->pairs.count; ++i) {
    stow_task_pair *p = &f->pairs.at[i];
    while (may_fuse(f, p) && !p->tried) {
      stow_pair_try(f, p);
      if (stow_pair_comes_later(f, i))
        stow_fuser_sort_pairs(f, i);
    }
    if (!may_fuse(f, p))
      continue;
    stow_pair_find_place(f, p);
    if (p->place == STOW_NOWHERE)
      continue;
    fuse_pair(f, p, count_tied(f, i));
    return true;
  }
  return false;
}

// Tells whether there were any.
static bool try_the_rest(stow_fuser *f) {
  bool any = false;
  for (size_t i = 0; i < f->pairs.count; ++i) {
    any |= !f->pairs.at[i].tried;
    if (!f->pairs.at[i].tried)
      stow_pair_try(f, &f->pairs.at[i]);
  }
  return any;
}

//===----------------------------------------------------------------------===//
// More than two
//===----------------------------------------------------------------------===//
//
// A buffer that several tasks write or read can have a window when all of them are one. They
// are fused pair by pair, and all of it is undone where that does not end well.

static void begin_attempt(stow_fuser *f, stow_fusion_attempt *attempt) {
  *attempt = (stow_fusion_attempt){.alive = stow_alive_save(&f->alive),
                                   .records = f->fusion->records.count};
  for (size_t i = 0; i < f->nodes.count; ++i)
    STOW_PUSH(attempt->nodes, f->nodes.at[i]);
  f->attempt = attempt;
}

static void free_attempt(stow_fusion_attempt *attempt) {
  stow_alive_free(&attempt->alive);
  free(attempt->nodes.at);
  free(attempt->removed.at);
  free(attempt->next.at);
  free(attempt->made.at);
}

static void undo_attempt(stow_fuser *f) {
  stow_fusion_attempt *attempt = f->attempt;
  for (size_t i = attempt->made.count; i-- > 0;) {
    for (size_t k = 2 * i + 2; k-- > 2 * i;)
      stow_insert_before(attempt->next.at[k], attempt->removed.at[k]);
    mlirOperationDestroy(attempt->made.at[i]);
  }
  stow_alive_restore(&f->alive, &attempt->alive);
  f->nodes.count = 0;
  for (size_t i = 0; i < attempt->nodes.count; ++i)
    STOW_PUSH(f->nodes, attempt->nodes.at[i]);
  while (f->fusion->records.count > attempt->records)
    free_record(&f->fusion->records.at[--f->fusion->records.count]);
  free_attempt(attempt);
  f->attempt = NULL;
}

static void accept_attempt(stow_fuser *f) {
  for (size_t i = 0; i < f->attempt->removed.count; ++i)
    mlirOperationDestroy(f->attempt->removed.at[i]);
  free_attempt(f->attempt);
  f->attempt = NULL;
}

static bool gives_values(const stow_task_pair *p) {
  return stow_task_of(p->writer.op).value_outputs + stow_task_of(p->reader.op).value_outputs > 0;
}

static bool is_within_rounds(const stow_fuser *f, const stow_task_pair *p) {
  const int64_t most = f->fusion->options.max_rounds;
  return most == 0 || stow_pair_round(p) <= (size_t)most;
}

// Whether the pair can be fused for the sake of a buffer that others use, too. What must rise
// before it would not be put back.
static bool may_attempt(stow_fuser *f, stow_task_pair *p, MlirValue buffer) {
  if (!stow_pair_windows(f, p, buffer) || gives_values(p) || !is_within_rounds(f, p))
    return false;
  stow_pair_find_place(f, p);
  return p->place == STOW_AT_READER || (p->place == STOW_AT_WRITER && p->up.rising.count == 0);
}

// Ends an attempt by a fusion after which the buffer has its window, where that is allowed.
static bool finish(stow_fuser *f, stow_task_pair *p, MlirValue buffer) {
  stow_fusion_attempt *attempt = f->attempt;
  if (!stow_pair_shrinks(f, p, buffer) || !is_within_rounds(f, p))
    return false;
  f->attempt = NULL;
  stow_pair_find_place(f, p);
  f->attempt = attempt;
  if (p->place == STOW_NOWHERE)
    return false;
  accept_attempt(f);
  fuse_pair(f, p, 0);
  return true;
}

// The next pair to fuse for the buffer's sake; NULL: none. Ends the attempt where one is the last.
static stow_task_pair *next_of_attempt(stow_fuser *f, MlirValue buffer) {
  drop_empty_nodes(f);
  stow_fuser_find_pairs(f);
  stow_task_pair *next = NULL;
  for (size_t i = 0; i < f->pairs.count && f->attempt; ++i) {
    stow_task_pair *p = &f->pairs.at[i];
    if (stow_values_find(&p->buffers, buffer) < 0)
      continue;
    if (!p->tried)
      stow_pair_try(f, p);
    if (!finish(f, p, buffer) && !next && may_attempt(f, p, buffer))
      next = p;
  }
  return f->attempt ? next : NULL;
}

static bool attempt_from(stow_fuser *f, stow_task_pair *p, MlirValue buffer) {
  stow_fusion_attempt attempt;
  begin_attempt(f, &attempt);
  if (!may_attempt(f, p, buffer))
    p = NULL;
  while (p) {
    fuse_pair(f, p, 0);
    stow_alive_keep_limits(&f->alive, &attempt.alive);
    p = next_of_attempt(f, buffer);
  }
  const bool done = !f->attempt;
  if (!done)
    undo_attempt(f);
  return done;
}

static bool begin_from(stow_fuser *f, size_t index) {
  stow_task_pair *p = &f->pairs.at[index];
  const void *key = stow_pair_key(p);
  if (stow_map_get(&f->in_vain, key) >= 0 || gives_values(p))
    return false;
  const stow_trial *trial = &f->trials.at[p->trial];
  stow_map_add(&f->in_vain, key, 0);
  for (size_t i = 0; i < trial->windows.count; ++i) {
    const MlirValue buffer = trial->windows.at[i].buffer;
    if (stow_pair_windows(f, p, buffer) &&
        stow_only_tasks_use(buffer, mlirOperationGetBlock(p->writer.op)))
      return attempt_from(f, p, buffer);
  }
  return false;
}

// Whether tasks were fused so that a buffer has a window.
static bool fuse_several(stow_fuser *f) {
  for (size_t i = 0;; ++i) {
    drop_empty_nodes(f);
    stow_fuser_find_pairs(f);
    if (i >= f->pairs.count)
      return false;
    if (begin_from(f, i))
      return true;
  }
}

// Whether there was one.
static bool fuse_next(stow_fuser *f) {
  stow_fuser_find_pairs(f);
  const bool changed = fuse_best(f) || (try_the_rest(f) && fuse_best(f)) || fuse_several(f);
  drop_empty_nodes(f);
  return changed;
}

static void record_refusals(stow_fuser *f) {
  stow_fuser_find_pairs(f);
  try_the_rest(f);
  for (size_t i = 0; i < f->pairs.count; ++i) {
    if (f->trials.at[f->pairs.at[i].trial].reason == STOW_FUSION_FUSED)
      stow_pair_find_place(f, &f->pairs.at[i]);
    record_refusal(f, &f->pairs.at[i]);
  }
}

// The position of the first op of the block that uses the value; -1 where there is none.
static int32_t first_use(const stow_map *positions, MlirValue value) {
  int32_t first = -1;
  STOW_EACH_USE(use, value) {
    int32_t position = stow_position_around(positions, mlirOpOperandGetOwner(use));
    if (position >= 0 && (first < 0 || position < first))
      first = position;
  }
  return first;
}

// A task that has moved down has left the allocations of what it writes behind, where the heap
// would hold them for longer than the peak was counted for. They follow.
static void sink_allocations(MlirBlock block) {
  stow_map positions = {0};
  stow_op_list ops = {0};
  STOW_EACH_OP(op, block)
    stow_map_add(&positions, op.ptr, (int32_t)STOW_PUSH(ops, op));
  for (size_t i = 0; i < ops.count; ++i) {
    int32_t first = (stow_op_traits(ops.at[i]) & STOW_ALLOCATES_HEAP)
                        ? first_use(&positions, stow_result(ops.at[i]))
                        : -1;
    if (first >= 0)
      mlirOperationMoveBefore(ops.at[i], ops.at[first]);
  }
  free(ops.at);
  stow_map_free(&positions);
}

// Whether any were fused.
static bool fuse_all(stow_fuser *f) {
  bool any = false;
  while (f->fusion->options.max_rounds >= 0 && fuse_next(f))
    any = true;
  return any;
}

// A value that is forwarded is better than one in a window: that comes first.
static void allow_windows(stow_fuser *f) {
  stow_map_free(&f->known);
  stow_map_free(&f->expected);
  stow_map_free(&f->in_vain);
  f->options.windows = true;
}

static void fuse_block(stow_fusion *fusion, MlirOperation function, MlirBlock block) {
  const stow_fusion_options *o = &fusion->options;
  stow_fuser f = {
      .fusion = fusion,
      .function = function,
      .options = {{!o->keep_loop_order, !o->whole_nests}, false, o->assume_noalias_arguments},
      .next_number = 1,
      .alive = stow_alive_in(block)};
  STOW_EACH_OP(op, block)
    if (stow_is_task(op))
      STOW_PUSH(f.nodes, (stow_task_node){.op = op,
                                          .number = f.next_number++,
                                          .position = stow_alive_position(&f.alive, op)});
  bool any = fuse_all(&f);
  if (!o->whole_buffers) {
    allow_windows(&f);
    any |= fuse_all(&f);
  }
  record_refusals(&f);
  if (any)
    sink_allocations(block);
  for (size_t i = 0; i < f.nodes.count; ++i)
    if (f.nodes.at[i].windows)
      stow_split_steady(stow_task_of(f.nodes.at[i].op).body);
  stow_fuser_free(&f);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// Inner blocks first: a task that is fused is made anew, and what it holds with it.
static void fuse_blocks(stow_fusion *fusion, MlirOperation function) {
  stow_block_list blocks = stow_task_blocks_of(function);
  for (size_t i = blocks.count; i-- > 0;)
    fuse_block(fusion, function, blocks.at[i]);
  free(blocks.at);
}

static void fuse_function(stow_fusion *fusion, MlirOperation function) {
  stow_unthread(function);
  stow_function_fusion account = {.function = function,
                                  .before = stow_figures_of(function),
                                  .graph_before = stow_task_graph_of(function)};
  if (account.before.tasks > 0)
    fuse_blocks(fusion, function);
  if (account.before.tasks > 0 && fusion->options.max_rounds >= 0)
    stow_remove_unread(function, &account.unread_buffers, &account.unread_bytes);
  account.after = stow_figures_of(function);
  account.graph_after = stow_task_graph_of(function);
  stow_thread(function);
  STOW_PUSH(fusion->functions, account);
}

static void free_fusion(stow_fusion *fusion) {
  for (size_t i = 0; i < fusion->records.count; ++i)
    free_record(&fusion->records.at[i]);
  for (size_t i = 0; i < fusion->functions.count; ++i) {
    stow_task_graph_free(&fusion->functions.at[i].graph_before);
    stow_task_graph_free(&fusion->functions.at[i].graph_after);
  }
  free(fusion->records.at);
  free(fusion->functions.at);
}

bool stow_streaming_fusion(MlirOperation module, const stow_fusion_options *options) {
  stow_fusion fusion = {.module = module};
  stow_take_options(&fusion.options, options, sizeof fusion.options);
  const stow_report_files files = stow_fusion_files(&fusion);
  bool ok = stow_can_report(&files);
  if (ok) {
    stow_op_list functions = stow_functions_in(module);
    STOW_EACH(const MlirOperation, function, functions)
      fuse_function(&fusion, *function);
    free(functions.at);
    stow_fusion_remarks(&fusion);
    ok = stow_write_reports(&files, &fusion);
  }
  free_fusion(&fusion);
  return ok;
}
