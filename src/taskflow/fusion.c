//===- fusion.c - one way to fuse the tasks of a function ---------------===//
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
#include "mlir-c/BuiltinAttributes.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/steps.h"
#include "taskflow/thread.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

stow_fusion_record stow_fusion_record_of(MlirOperation function, MlirOperation writer,
                                         MlirOperation reader, stow_fusion_reason reason,
                                         bool noalias) {
  const stow_task first = stow_task_of(writer), second = stow_task_of(reader);
  return (stow_fusion_record){
      .function = stow_ir_copy_string(stow_bridge_function_name(function)),
      .writer = stow_ir_copy_string(stow_task_name(&first)),
      .reader = stow_ir_copy_string(stow_task_name(&second)),
      .writer_location = mlirOperationGetLocation(writer),
      .reader_location = mlirOperationGetLocation(reader),
      .reason = reason,
      .noalias = noalias,
  };
}

static stow_fusion_record *add_record(stow_fuser *f, const stow_task_pair *p,
                                      stow_fusion_reason reason) {
  const stow_fusion_record record = stow_fusion_record_of(
      f->way->function, p->writer.op, p->reader.op, reason, f->asked->assume_noalias_arguments);
  return &f->way->records.at[STOW_PUSH(f->way->records, record)];
}

void stow_fusion_record_free(stow_fusion_record *record) {
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
  if (placed && p->place != STOW_NOWHERE && stow_taskflow_pair_gains(f, p))
    return; // the rounds are over
  if (placed && !stow_taskflow_pair_gains(f, p)) {
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

static MlirAttribute name_attribute(MlirOperation task) {
  return stow_attribute_of(task, "task_name");
}

static bool is_taken(const stow_fuser *f, const char *name) {
  const MlirContext context = mlirOperationGetContext(f->way->function);
  const MlirAttribute attribute = mlirStringAttrGet(context, stow_ir_string(name));
  bool taken = stow_map_get(&f->names, attribute.ptr) >= 0;
  STOW_EACH(const stow_task_node, node, f->nodes)
    taken |=
        !mlirOperationIsNull(node->op) && mlirAttributeEqual(name_attribute(node->op), attribute);
  return taken;
}

// No other task of the function has it.
static char *fused_name(const stow_fuser *f, const stow_task *writer, const stow_task *reader) {
  MlirStringRef first = stow_task_name(writer), second = stow_task_name(reader);
  char *name = stow_ir_format("%.*s_%.*s_fused", (int)first.length, first.data, (int)second.length,
                              second.data);
  while (is_taken(f, name)) {
    char *const longer = stow_ir_format("%s_", name);
    free(name);
    name = longer;
  }
  return name;
}

// In program order.
static void move_nodes(stow_fuser *f, const stow_alive_change *change) {
  for (size_t i = 0; i < f->nodes.count; ++i) {
    stow_task_node node = f->nodes.at[i];
    node.position = stow_taskflow_position_after(change, node.position);
    size_t at = i;
    for (; at > 0 && f->nodes.at[at - 1].position > node.position; --at)
      f->nodes.at[at] = f->nodes.at[at - 1];
    f->nodes.at[at] = node;
  }
}

static void replace_nodes(stow_fuser *f, const stow_task_pair *p, MlirOperation fused,
                          bool windows) {
  bool at_reader = p->place == STOW_AT_READER;
  size_t kept = at_reader ? p->reader_index : p->writer_index;
  const stow_parents parents = {.number = {p->writer.number, p->reader.number}};
  const uint32_t number = (uint32_t)STOW_PUSH(f->parents, parents);
  f->parents.at[p->writer.number].child = f->parents.at[p->reader.number].child = number;
  f->nodes.at[kept] = (stow_task_node){fused, number, stow_taskflow_pair_round(p),
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
    if (stow_taskflow_allocation_bytes(buffers->gone.at[i], &bytes))
      sum += bytes;
  for (size_t i = 0; i < buffers->windows.count; ++i)
    if (stow_taskflow_allocation_bytes(buffers->windows.at[i]->buffer, &bytes))
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
    stow_alive_rename(&f->alive, window->buffer, stow_taskflow_keep_window(body, window));
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
  char *name = fused_name(f, &writer, &reader);
  stow_fusion_record *record = add_record(f, p, STOW_FUSION_FUSED);
  record->fused = name;
  record->round = stow_taskflow_pair_round(p);
  record->tied = tied;
  record->buffers = buffers.gone.count;
  record->windows = buffers.windows.count;
  record->bytes = bytes_saved(&buffers);
  record->loads = trial->loads;
  record->stores = trial->stores + stores_gone(trial, &buffers);
  STOW_PUSH(f->way->joined, stow_taskflow_pair_edge(f, p));

  stow_open_pair open = stow_taskflow_redo_fusion(&writer, &reader, &p->buffers, f->options, trial);
  for (size_t i = 0; i < buffers.gone.count; ++i)
    stow_taskflow_remove_stores(open.body, buffers.gone.at[i]);
  stow_taskflow_remove_unused(open.body);
  const stow_alive_change change = stow_taskflow_pair_change(p, p->place, &buffers);
  stow_alive_apply(&f->alive, change);
  keep_windows(f, open.body, &buffers);
  const MlirLocation both[] = {record->writer_location, record->reader_location};
  MlirContext context = mlirOperationGetContext(writer.op);
  stow_task fused =
      stow_taskflow_open_close(&open, mlirLocationFusedGet(context, 2, both, (MlirAttribute){NULL}),
                               stow_ir_string(name), make_room(p));
  stow_task_hand_out_values(&writer, &fused, 0);
  stow_task_hand_out_values(&reader, &fused, writer.value_outputs);
  replace_nodes(f, p, fused.op, buffers.windows.count > 0);
  move_nodes(f, &change);
  if (f->attempt)
    STOW_PUSH(f->attempt->made, fused.op);
  take_out(f, reader.op);
  take_out(f, writer.op);
  for (size_t i = 0; i < buffers.gone.count; ++i)
    stow_taskflow_erase_allocation(buffers.gone.at[i]);
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

// Whether the choice of pairs and the limit of rounds allow it.
static bool may_join(const stow_fuser *f, const stow_task_pair *p) {
  const int64_t most = f->asked->max_rounds;
  return (most == 0 || stow_taskflow_pair_round(p) <= (size_t)most) &&
         !stow_taskflow_pair_is_apart(f, p);
}

static bool may_fuse(const stow_fuser *f, const stow_task_pair *p) {
  return f->trials.at[p->trial].reason == STOW_FUSION_FUSED && still_there(f, p) &&
         stow_taskflow_pair_gains(f, p) && may_join(f, p);
}

// Others that would gain as much as pair `index`.
static size_t count_tied(const stow_fuser *f, size_t index) {
  size_t count = 0;
  for (size_t i = index + 1; i < f->pairs.count && stow_taskflow_pairs_tie(f, index, i); ++i)
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
      stow_taskflow_pair_try(f, p);
      if (stow_taskflow_pair_comes_later(f, i))
        stow_fuser_sort_pairs(f, i);
    }
    if (!may_fuse(f, p))
      continue;
    stow_taskflow_pair_find_place(f, p);
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
      stow_taskflow_pair_try(f, &f->pairs.at[i]);
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
                                   .records = f->way->records.count,
                                   .joined = f->way->joined.count};
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

// The pairs are those from before.
static void undo_attempt(stow_fuser *f) {
  stow_fusion_attempt *attempt = f->attempt;
  for (size_t i = attempt->made.count; i-- > 0;) {
    for (size_t k = 2 * i + 2; k-- > 2 * i;)
      stow_ir_insert_before(attempt->next.at[k], attempt->removed.at[k]);
    mlirOperationDestroy(attempt->made.at[i]);
  }
  stow_alive_restore(&f->alive, &attempt->alive);
  f->nodes.count = 0;
  for (size_t i = 0; i < attempt->nodes.count; ++i)
    STOW_PUSH(f->nodes, attempt->nodes.at[i]);
  while (f->way->records.count > attempt->records)
    stow_fusion_record_free(&f->way->records.at[--f->way->records.count]);
  f->way->joined.count = attempt->joined;
  free_attempt(attempt);
  f->attempt = NULL;
  stow_fuser_find_pairs(f);
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

// Whether the pair can be fused for the sake of a buffer that others use, too. What must rise
// before it would not be put back.
static bool may_attempt(stow_fuser *f, stow_task_pair *p, MlirValue buffer) {
  if (!stow_taskflow_pair_windows(f, p, buffer) || gives_values(p) || !may_join(f, p))
    return false;
  stow_taskflow_pair_find_place(f, p);
  return p->place == STOW_AT_READER || (p->place == STOW_AT_WRITER && p->up.rising.count == 0);
}

// Ends an attempt by a fusion after which the buffer has its window, where that is allowed.
static bool finish(stow_fuser *f, stow_task_pair *p, MlirValue buffer) {
  stow_fusion_attempt *attempt = f->attempt;
  if (!stow_taskflow_pair_shrinks(f, p, buffer) || !may_join(f, p))
    return false;
  f->attempt = NULL;
  stow_taskflow_pair_find_place(f, p);
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
      stow_taskflow_pair_try(f, p);
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
  const void *key = stow_taskflow_pair_key(p);
  if (stow_map_get(&f->in_vain, key) >= 0 || gives_values(p))
    return false;
  const stow_trial *trial = &f->trials.at[p->trial];
  stow_map_add(&f->in_vain, key, 0);
  for (size_t i = 0; i < trial->windows.count; ++i) {
    const MlirValue buffer = trial->windows.at[i].buffer;
    if (stow_taskflow_pair_windows(f, p, buffer) &&
        stow_taskflow_only_tasks_use(buffer, mlirOperationGetBlock(p->writer.op)))
      return attempt_from(f, p, buffer);
  }
  return false;
}

// Whether tasks were fused so that a buffer has a window.
static bool fuse_several(stow_fuser *f) {
  drop_empty_nodes(f);
  stow_fuser_find_pairs(f);
  for (size_t i = 0; i < f->pairs.count; ++i)
    if (begin_from(f, i))
      return true;
  return false;
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
      stow_taskflow_pair_find_place(f, &f->pairs.at[i]);
    record_refusal(f, &f->pairs.at[i]);
  }
}

// The position of the first op of the block that uses the value; -1 where there is none.
static int32_t first_use(const stow_map *positions, MlirValue value) {
  int32_t first = -1;
  STOW_EACH_USE(use, value) {
    int32_t position = stow_taskflow_position_around(positions, mlirOpOperandGetOwner(use));
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
    int32_t first = (stow_ir_op_traits(ops.at[i]) & STOW_ALLOCATES_HEAP)
                        ? first_use(&positions, stow_taskflow_result(ops.at[i]))
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
  while (f->asked->max_rounds >= 0 && fuse_next(f))
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

static void list_pairs(stow_fuser *f) {
  stow_fuser_find_pairs(f);
  STOW_EACH(const stow_task_pair, p, f->pairs)
    STOW_PUSH(f->way->pairs, (stow_task_edge){f->block, p->writer.number, p->reader.number});
}

static void name_others(stow_fuser *f, MlirBlock block) {
  STOW_EACH_FOUND(task, stow_tasks_of(f->way->function))
    if (!mlirBlockEqual(mlirOperationGetBlock(task), block))
      stow_map_note(&f->names, name_attribute(task).ptr);
}

static stow_fuser fuser_of(MlirBlock block, size_t number, const stow_fusion_options *asked,
                           const stow_task_edges *apart, bool sums_outside, stow_twins *twins,
                           stow_fusion_way *way) {
  stow_fuser f = {.asked = asked,
                  .way = way,
                  .apart = apart,
                  .twins = twins,
                  .block = number,
                  .options = {{!asked->keep_loop_order, !asked->whole_nests, sums_outside},
                              false,
                              asked->assume_noalias_arguments},
                  .alive = stow_alive_in(block)};
  f.alive.allowed = asked->max_live_bytes;
  STOW_PUSH(f.parents, (stow_parents){.child = 0});
  STOW_EACH_OP(op, block)
    if (stow_taskflow_is_task(op))
      STOW_PUSH(f.nodes, (stow_task_node){
                             .op = op,
                             .number = (uint32_t)STOW_PUSH(f.parents, (stow_parents){.child = 0}),
                             .position = stow_alive_position(&f.alive, op)});
  name_others(&f, block);
  return f;
}

static void fuse_block(stow_fuser *f, MlirBlock block) {
  bool any = fuse_all(f);
  if (!f->asked->whole_buffers && !f->asked->channels) {
    allow_windows(f);
    any |= fuse_all(f);
  }
  record_refusals(f);
  if (any)
    sink_allocations(block);
  for (size_t i = 0; i < f->nodes.count; ++i)
    if (f->nodes.at[i].windows) {
      const MlirBlock body = stow_task_of(f->nodes.at[i].op).body;
      stow_taskflow_split_steady(body);
      if (!f->asked->rolled_windows)
        stow_taskflow_unroll_windows(body);
    }
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

static stow_fusion_record *record_of(const stow_fusion_way *way, const stow_channel *channel) {
  STOW_EACH(stow_fusion_record, record, way->records)
    if (!record->fused && stow_ir_string_equal(channel->writer, record->writer) &&
        stow_ir_string_equal(channel->reader, record->reader))
      return record;
  return NULL;
}

// What became of buffers takes the place of why their tasks were not fused.
static void put_channels_in(stow_fusion_way *way, MlirBlock block, bool distinct_arguments) {
  stow_channels list = stow_taskflow_plan_channels(block, distinct_arguments);
  STOW_EACH(const stow_channel, channel, list) {
    stow_fusion_record *record = record_of(way, channel);
    if (!record)
      continue;
    record->reason = channel->reason;
    record->blame_count = 0;
    record->depth = channel->depth;
    record->elements = channel->elements;
    record->bytes = channel->bytes;
  }
  stow_taskflow_make_channels(&list);
  free(list.at);
}

// No buffer is left that nothing reads.
static void put_channels(stow_fusion_way *way, bool distinct_arguments) {
  stow_block_set blocks = stow_task_blocks_of(way->function);
  for (size_t i = blocks.count; i-- > 0;)
    put_channels_in(way, blocks.at[i], distinct_arguments);
  STOW_SET_FREE(blocks);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// Inner blocks first: a task that is fused is made anew, and what it holds with it.
stow_fusion_way stow_taskflow_fuse(MlirOperation function, const stow_fusion_options *options,
                                   const stow_task_edges *apart, bool sums_outside,
                                   stow_twins *twins) {
  stow_fusion_way way = {.function = function};
  stow_block_set blocks = stow_task_blocks_of(function);
  for (size_t i = blocks.count; i-- > 0;) {
    stow_fuser f = fuser_of(blocks.at[i], i, options, apart, sums_outside, twins, &way);
    list_pairs(&f);
    fuse_block(&f, blocks.at[i]);
    way.trials += f.trials.count;
    stow_fuser_free(&f);
  }
  STOW_SET_FREE(blocks);
  if (options->max_rounds >= 0)
    stow_taskflow_remove_unread(function, &way.unread_buffers, &way.unread_bytes);
  if (options->max_rounds >= 0 && options->channels)
    put_channels(&way, options->assume_noalias_arguments);
  way.figures = stow_figures_of(function);
  return way;
}

void stow_fusion_way_free(stow_fusion_way *way) {
  STOW_EACH(stow_fusion_record, record, way->records)
    stow_fusion_record_free(record);
  free(way->records.at);
  free(way->joined.at);
  free(way->pairs.at);
}
