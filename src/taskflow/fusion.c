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

#include "taskflow/fusion.h"

#include "taskflow/forward.h"
#include "taskflow/functions.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/place.h"
#include "taskflow/thread.h"

#include <stdlib.h>
#include <string.h>

// A task; its number is never given again.
typedef struct node {
  MlirOperation op; // null: fused away
  uint32_t number;
} node;

typedef struct pair {
  node writer, reader;
  size_t position; // of the writer, then of the reader, in program order
  size_t reader_position;
  stow_values buffers; // what the one writes and the other reads
  size_t trial;        // index of its trial
  uint64_t bytes, accesses;
  bool simple; // one buffer written, one read
  stow_place place;
} pair;

// The work on one block.
typedef struct fuser {
  stow_fusion *fusion;
  MlirOperation function;
  stow_trial_options options;
  node *nodes;
  size_t node_count;
  uint32_t next_number;
  stow_map known; // pairs of numbers to trials
  stow_trial *trials;
  size_t trial_count, trial_capacity;
  pair *pairs;
  size_t pair_count, pair_capacity;
} fuser;

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static void free_pairs(fuser *f) {
  for (size_t i = 0; i < f->pair_count; ++i) {
    stow_values_free(&f->pairs[i].buffers);
    stow_place_free(&f->pairs[i].place);
  }
  f->pair_count = 0;
}

static pair *pair_of(fuser *f, size_t first_of_reader, size_t writer, size_t reader) {
  for (size_t i = first_of_reader; i < f->pair_count; ++i)
    if (f->pairs[i].position == writer)
      return &f->pairs[i];
  f->pairs = stow_grow(f->pairs, f->pair_count, &f->pair_capacity, sizeof *f->pairs);
  f->pairs[f->pair_count] = (pair){.writer = f->nodes[writer],
                                   .reader = f->nodes[reader],
                                   .position = writer,
                                   .reader_position = reader};
  return &f->pairs[f->pair_count++];
}

// Each reader with the last writer of each buffer that it reads.
static void find_pairs(fuser *f) {
  stow_values written = {0};
  size_t *writer_of = NULL, capacity = 0;
  free_pairs(f);
  for (size_t n = 0; n < f->node_count; ++n) {
    stow_task task = stow_task_of(f->nodes[n].op);
    size_t first = f->pair_count;
    for (intptr_t i = 0; i < task.reads; ++i) {
      MlirValue buffer = stow_task_original_read(&task, i);
      int32_t index = stow_values_find(&written, buffer);
      if (index >= 0)
        stow_values_add(&pair_of(f, first, writer_of[index], n)->buffers, buffer);
    }
    for (intptr_t i = 0; i < task.writes; ++i) {
      size_t index = stow_values_add(&written, stow_task_original_write(&task, i));
      writer_of = stow_grow(writer_of, index, &capacity, sizeof *writer_of);
      writer_of[index] = n;
    }
  }
  stow_values_free(&written);
  free(writer_of);
}

static size_t trial_of(fuser *f, const pair *p) {
  uint64_t key = (uint64_t)p->writer.number << 32 | p->reader.number;
  int32_t known = stow_map_get(&f->known, (const void *)(uintptr_t)key);
  if (known >= 0)
    return (size_t)known;
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  f->trials = stow_grow(f->trials, f->trial_count, &f->trial_capacity, sizeof *f->trials);
  f->trials[f->trial_count] = stow_try_fusion(&writer, &reader, &p->buffers, f->options);
  stow_map_add(&f->known, (const void *)(uintptr_t)key, (int32_t)f->trial_count);
  return f->trial_count++;
}

// Whether only the two tasks, and deallocs, use a buffer that the function allocates.
static bool is_private(const pair *p, MlirValue buffer) {
  if (!stow_is_local_allocation(buffer))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(user, p->writer.op) && !mlirOperationEqual(user, p->reader.op) &&
        !stow_op_is(user, "memref.dealloc"))
      return false;
  }
  return true;
}

static void weigh(const fuser *f, pair *p) {
  const stow_trial *trial = &f->trials[p->trial];
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  p->bytes = 0;
  p->accesses = trial->loads + trial->stores;
  p->simple = writer.writes == 1 && reader.reads == 1;
  for (size_t i = 0; i < trial->dry_count; ++i) {
    uint64_t bytes;
    if (!is_private(p, trial->dry[i].buffer))
      continue;
    p->accesses += trial->dry[i].stores;
    if (stow_allocation_bytes(trial->dry[i].buffer, &bytes))
      p->bytes += bytes;
  }
}

static int by_gain(const void *left, const void *right) {
  const pair *a = left, *b = right;
  if (a->bytes != b->bytes)
    return a->bytes > b->bytes ? -1 : 1;
  if (a->accesses != b->accesses)
    return a->accesses > b->accesses ? -1 : 1;
  if (a->simple != b->simple)
    return a->simple ? -1 : 1;
  if (a->position != b->position)
    return a->position < b->position ? -1 : 1;
  return a->reader_position < b->reader_position ? -1 : a->reader_position > b->reader_position;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static char *copy_string(MlirStringRef string) {
  stow_text text = {0};
  stow_text_append(&text, string.data, string.length);
  return stow_text_take(&text);
}

static stow_fusion_record *add_record(fuser *f, const pair *p, stow_fusion_reason reason) {
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

static void record_refusal(fuser *f, const pair *p) {
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
       use = mlirValueGetFirstUse(buffer))
    mlirOperationDestroy(mlirOpOperandGetOwner(use)); // deallocs
  mlirOperationDestroy(mlirOpResultGetOwner(buffer));
}

// The buffers that nobody needs when the pair is fused.
static stow_values buffers_that_go(const fuser *f, const pair *p) {
  const stow_trial *trial = &f->trials[p->trial];
  stow_values gone = {0};
  for (size_t i = 0; i < trial->dry_count; ++i)
    if (is_private(p, trial->dry[i].buffer))
      stow_values_add(&gone, trial->dry[i].buffer);
  return gone;
}

static void replace_nodes(fuser *f, const pair *p, MlirOperation fused) {
  bool at_reader = mlirOperationEqual(p->place.before, p->reader.op);
  f->nodes[at_reader ? p->reader_position : p->position] = (node){fused, f->next_number++};
  f->nodes[at_reader ? p->position : p->reader_position].op = (MlirOperation){NULL};
}

static void fuse_pair(fuser *f, pair *p, size_t round) {
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

static void place_pair(const fuser *f, pair *p) {
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  stow_place_free(&p->place);
  p->place = stow_find_place(&writer, &reader, f->options.distinct_arguments);
}

static bool still_there(const fuser *f, const pair *p) {
  return f->nodes[p->position].number == p->writer.number &&
         f->nodes[p->reader_position].number == p->reader.number &&
         !mlirOperationIsNull(f->nodes[p->position].op) &&
         !mlirOperationIsNull(f->nodes[p->reader_position].op);
}

static void drop_empty_nodes(fuser *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->node_count; ++i)
    if (!mlirOperationIsNull(f->nodes[i].op))
      f->nodes[count++] = f->nodes[i];
  f->node_count = count;
}

static void try_pairs(fuser *f) {
  find_pairs(f);
  for (size_t i = 0; i < f->pair_count; ++i) {
    pair *p = &f->pairs[i];
    p->trial = trial_of(f, p);
    place_pair(f, p);
    weigh(f, p);
  }
  qsort(f->pairs, f->pair_count, sizeof *f->pairs, by_gain);
}

// Whether anything was fused. A pair's place is asked for again: fusions before it moved tasks.
static bool run_round(fuser *f, size_t round) {
  bool changed = false;
  try_pairs(f);
  for (size_t i = 0; i < f->pair_count; ++i) {
    pair *p = &f->pairs[i];
    if (f->trials[p->trial].reason != STOW_FUSION_FUSED || !still_there(f, p))
      continue;
    place_pair(f, p);
    if (!p->place.found)
      continue;
    weigh(f, p);
    fuse_pair(f, p, round);
    changed = true;
  }
  drop_empty_nodes(f);
  return changed;
}

static int by_position(const void *left, const void *right) {
  const pair *a = left, *b = right;
  if (a->reader_position != b->reader_position)
    return a->reader_position < b->reader_position ? -1 : 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

static void record_refusals(fuser *f) {
  try_pairs(f);
  qsort(f->pairs, f->pair_count, sizeof *f->pairs, by_position);
  for (size_t i = 0; i < f->pair_count; ++i)
    record_refusal(f, &f->pairs[i]);
}

static void free_fuser(fuser *f) {
  free_pairs(f);
  for (size_t i = 0; i < f->trial_count; ++i)
    stow_trial_free(&f->trials[i]);
  free(f->trials), free(f->pairs), free(f->nodes);
  stow_map_free(&f->known);
}

static void fuse_block(stow_fusion *fusion, MlirOperation function, MlirBlock block) {
  const stow_fusion_options *o = &fusion->options;
  fuser f = {
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
    f.nodes[f.node_count++] = (node){op, f.next_number++};
  }
  size_t round = 1;
  while (o->max_rounds >= 0 && (o->max_rounds == 0 || round <= (size_t)o->max_rounds) &&
         run_round(&f, round))
    ++round;
  record_refusals(&f);
  free_fuser(&f);
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
