//===- fusion.c - memory-access-streaming-fusion ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds until nothing changes. A round tries every writer and reader of a buffer that
// are next to each other in the graph of tasks, sorts those that can be fused by what
// is gained, and fuses them in that order, each task once. What a trial found out of
// two tasks holds as long as both exist; where the fused task may stand, and whether a
// buffer has other users, is asked anew each round.
//
//===----------------------------------------------------------------------===//

#include "taskflow/pairs.h"

#include "taskflow/forward.h"
#include "taskflow/functions.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/thread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static char *copy_string(MlirStringRef string) {
  stow_text text = {0};
  stow_text_append(&text, string.data, string.length);
  return stow_text_take(&text);
}

static stow_fusion_record *add_record(stow_fuser *f, const stow_pair *p,
                                      stow_fusion_reason reason) {
  stow_fusion *fusion = f->fusion;
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  fusion->records = stow_grow(fusion->records, fusion->record_count, &fusion->record_capacity,
                              sizeof *fusion->records);
  fusion->records[fusion->record_count] = (stow_fusion_record){
      .function = copy_string(stow_function_name(f->function)),
      .writer = copy_string(stow_task_name(&writer)),
      .reader = copy_string(stow_task_name(&reader)),
      .writer_location = mlirOperationGetLocation(writer.op),
      .reader_location = mlirOperationGetLocation(reader.op),
      .reason = reason,
  };
  return &fusion->records[fusion->record_count++];
}

static void blame(stow_fusion_record *record, MlirOperation op) {
  if (!mlirOperationIsNull(op))
    record->blame[record->blame_count++] = mlirOperationGetLocation(op);
}

static void record_refusal(stow_fuser *f, const stow_pair *p) {
  const stow_trial *trial = &f->trials[p->trial];
  if (trial->reason == STOW_FUSION_FUSED && p->place.found)
    return; // the rounds are over
  bool between = trial->reason == STOW_FUSION_FUSED;
  stow_fusion_record *record = add_record(f, p, between ? STOW_FUSION_BETWEEN : trial->reason);
  if (between) {
    blame(record, p->place.blame_down);
    blame(record, p->place.blame_up);
    return;
  }
  memcpy(record->blame, trial->blame, sizeof record->blame);
  record->blame_count = trial->blame_count;
}

//===----------------------------------------------------------------------===//
// Fusing
//===----------------------------------------------------------------------===//

static char *fused_name(const stow_task *writer, const stow_task *reader) {
  MlirStringRef first = stow_task_name(writer), second = stow_task_name(reader);
  stow_text text = {0};
  stow_text_printf(&text, "%.*s_%.*s_fused", (int)first.length, first.data, (int)second.length,
                   second.data);
  return stow_text_take(&text);
}

static void hand_out_values(const stow_task *from, const stow_task *fused, intptr_t first) {
  intptr_t memrefs = from->read_outputs + from->write_outputs;
  intptr_t outputs = fused->read_outputs + fused->write_outputs;
  for (intptr_t i = 0; i < from->value_outputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(from->op, memrefs + i),
                                  mlirOperationGetResult(fused->op, outputs + first + i));
}

static void erase_buffer(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirValueGetFirstUse(buffer)) {
    assert(stow_op_is(mlirOpOperandGetOwner(use), "memref.dealloc"));
    mlirOperationDestroy(mlirOpOperandGetOwner(use));
  }
  mlirOperationDestroy(mlirOpResultGetOwner(buffer));
}

// The buffers that nobody needs when the pair is fused.
static stow_values buffers_that_go(const stow_fuser *f, const stow_pair *p) {
  const stow_trial *trial = &f->trials[p->trial];
  stow_values gone = {0};
  for (size_t i = 0; i < trial->dry_count; ++i)
    if (stow_pair_is_private(p, trial->dry[i].buffer))
      stow_values_add(&gone, trial->dry[i].buffer);
  return gone;
}

static void replace_nodes(stow_fuser *f, const stow_pair *p, MlirOperation fused) {
  bool at_reader = mlirOperationEqual(p->place.before, p->reader.op);
  f->nodes[at_reader ? p->reader_position : p->position] =
      (stow_task_node){fused, f->next_number++};
  f->nodes[at_reader ? p->position : p->reader_position].op = (MlirOperation){NULL};
}

static void fuse_pair(stow_fuser *f, stow_pair *p, size_t round) {
  const stow_trial *trial = &f->trials[p->trial];
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  stow_values gone = buffers_that_go(f, p);
  char *name = fused_name(&writer, &reader);
  stow_fusion_record *record = add_record(f, p, STOW_FUSION_FUSED);
  record->fused = name;
  record->round = round;
  record->buffers = gone.count;
  record->bytes = p->bytes;
  stow_figures before = stow_accesses_in(writer.op), more = stow_accesses_in(reader.op);
  stow_figures_add(&before, &more);

  stow_open_pair open = stow_redo_fusion(&writer, &reader, &p->buffers, f->options, trial);
  for (size_t i = 0; i < gone.count; ++i)
    stow_remove_stores(open.body, gone.items[i]);
  stow_remove_unused(open.body);
  for (size_t i = 0; i < p->place.moved.count; ++i)
    mlirOperationMoveBefore(p->place.moved.items[i], p->place.before);
  const MlirLocation both[] = {record->writer_location, record->reader_location};
  MlirContext context = mlirOperationGetContext(writer.op);
  stow_task fused =
      stow_open_close(&open, mlirLocationFusedGet(context, 2, both, (MlirAttribute){NULL}),
                      mlirStringRefCreateFromCString(name), p->place.before);
  hand_out_values(&writer, &fused, 0);
  hand_out_values(&reader, &fused, writer.value_outputs);
  replace_nodes(f, p, fused.op);
  mlirOperationDestroy(reader.op);
  mlirOperationDestroy(writer.op);
  for (size_t i = 0; i < gone.count; ++i)
    erase_buffer(gone.items[i]);

  stow_figures after = stow_accesses_in(fused.op);
  record->loads = before.loads > after.loads ? before.loads - after.loads : 0;
  record->stores = before.stores > after.stores ? before.stores - after.stores : 0;
  stow_values_free(&gone);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static bool still_there(const stow_fuser *f, const stow_pair *p) {
  return f->nodes[p->position].number == p->writer.number &&
         f->nodes[p->reader_position].number == p->reader.number &&
         !mlirOperationIsNull(f->nodes[p->position].op) &&
         !mlirOperationIsNull(f->nodes[p->reader_position].op);
}

static void drop_empty_nodes(stow_fuser *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->node_count; ++i)
    if (!mlirOperationIsNull(f->nodes[i].op))
      f->nodes[count++] = f->nodes[i];
  f->node_count = count;
}

// Whether anything was fused. A pair's place is asked for again: fusions before it moved tasks.
static bool run_round(stow_fuser *f, size_t round) {
  bool changed = false;
  stow_fuser_try_pairs(f, false);
  for (size_t i = 0; i < f->pair_count; ++i) {
    stow_pair *p = &f->pairs[i];
    if (f->trials[p->trial].reason != STOW_FUSION_FUSED || !still_there(f, p))
      continue;
    stow_pair_look_again(f, p);
    if (!p->place.found)
      continue;
    fuse_pair(f, p, round);
    changed = true;
  }
  drop_empty_nodes(f);
  return changed;
}

static void record_refusals(stow_fuser *f) {
  stow_fuser_try_pairs(f, true);
  for (size_t i = 0; i < f->pair_count; ++i)
    record_refusal(f, &f->pairs[i]);
}

static void fuse_block(stow_fusion *fusion, MlirOperation function, MlirBlock block) {
  const stow_fusion_options *o = &fusion->options;
  stow_fuser f = {
      .fusion = fusion,
      .function = function,
      .options = {{!o->forbid_permutation, !o->forbid_reduction}, o->assume_noalias_arguments},
      .next_number = 1};
  size_t capacity = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!stow_is_task(op))
      continue;
    f.nodes = stow_grow(f.nodes, f.node_count, &capacity, sizeof *f.nodes);
    f.nodes[f.node_count++] = (stow_task_node){op, f.next_number++};
  }
  size_t round = 1;
  while (o->max_rounds >= 0 && (o->max_rounds == 0 || round <= (size_t)o->max_rounds) &&
         run_round(&f, round))
    ++round;
  record_refusals(&f);
  stow_fuser_free(&f);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// Inner blocks first: a task that is fused is made anew, and what it holds with it.
static void fuse_blocks(stow_fusion *fusion, MlirOperation function) {
  stow_task_blocks blocks = stow_task_blocks_of(function);
  for (size_t i = blocks.count; i-- > 0;)
    fuse_block(fusion, function, blocks.items[i]);
  stow_task_blocks_free(&blocks);
}

static void fuse_function(MlirOperation function, void *user) {
  stow_fusion *fusion = user;
  stow_unthread(function);
  stow_function_fusion account = {.function = function,
                                  .before = stow_figures_of(function),
                                  .graph_before = stow_task_graph_of(function)};
  if (account.before.tasks > 0)
    fuse_blocks(fusion, function);
  account.after = stow_figures_of(function);
  account.graph_after = stow_task_graph_of(function);
  stow_thread(function);
  fusion->functions = stow_grow(fusion->functions, fusion->function_count,
                                &fusion->function_capacity, sizeof *fusion->functions);
  fusion->functions[fusion->function_count++] = account;
}

static void free_record(stow_fusion_record *record) {
  free(record->function), free(record->writer), free(record->reader), free(record->fused);
}

static void free_fusion(stow_fusion *fusion) {
  for (size_t i = 0; i < fusion->record_count; ++i)
    free_record(&fusion->records[i]);
  for (size_t i = 0; i < fusion->function_count; ++i) {
    stow_task_graph_free(&fusion->functions[i].graph_before);
    stow_task_graph_free(&fusion->functions[i].graph_after);
  }
  free(fusion->records);
  free(fusion->functions);
}

bool stow_streaming_fusion(MlirOperation module, const stow_fusion_options *options) {
  stow_fusion fusion = {.module = module};
  size_t size = options->struct_size ? options->struct_size : sizeof *options;
  memcpy(&fusion.options, options, size < sizeof *options ? size : sizeof *options);
  bool ok = stow_fusion_options_are_valid(&fusion);
  if (ok) {
    stow_each_function(module, fuse_function, &fusion);
    stow_fusion_remarks(&fusion);
    ok = stow_fusion_reports(&fusion);
  }
  free_fusion(&fusion);
  return ok;
}
