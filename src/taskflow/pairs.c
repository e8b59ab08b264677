//===- pairs.c - writers and readers that may become one task -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the tasks of a block in order. Computes the pairs of a writer and a reader of a buffer,
// tries each once in a dry run (trial.c), sorts them by what they save, and finds a place for the
// fused task. What is known of a pair is kept under the numbers of the tasks that it was made of.
//
//===----------------------------------------------------------------------===//

#include "taskflow/pairs.h"

#include "ir/op.h"
#include "taskflow/memory.h"

#include <assert.h>
#include <stdlib.h>

static void free_place(stow_task_pair *p) {
  stow_move_free(&p->down);
  stow_move_free(&p->up);
  free(p->rising.at);
  p->rising = (stow_positions){0};
  p->place = STOW_NOWHERE;
  p->peak_rises = false;
}

static void free_pairs(stow_fuser *f) {
  for (size_t i = 0; i < f->pairs.count; ++i) {
    stow_values_free(&f->pairs.at[i].buffers);
    free_place(&f->pairs.at[i]);
  }
  f->pairs.count = 0;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static stow_task_pair *pair_of(stow_fuser *f, size_t first_of_reader, size_t writer,
                               size_t reader) {
  for (size_t i = first_of_reader; i < f->pairs.count; ++i)
    if (f->pairs.at[i].writer_index == writer)
      return &f->pairs.at[i];
  size_t added = STOW_PUSH(f->pairs, (stow_task_pair){.writer = f->nodes.at[writer],
                                                      .reader = f->nodes.at[reader],
                                                      .writer_index = writer,
                                                      .reader_index = reader});
  return &f->pairs.at[added];
}

// Each reader with the last writer of each buffer that it reads.
static void pair_up(stow_fuser *f) {
  stow_values written = {0};
  STOW_ARRAY(size_t) writer_of = {0};
  free_pairs(f);
  for (size_t n = 0; n < f->nodes.count; ++n) {
    stow_task task = stow_task_of(f->nodes.at[n].op);
    size_t first = f->pairs.count;
    for (intptr_t i = 0; i < task.reads; ++i) {
      MlirValue buffer = stow_task_original_read(&task, i);
      int32_t index = stow_values_find(&written, buffer);
      if (index >= 0)
        stow_values_add(&pair_of(f, first, writer_of.at[index], n)->buffers, buffer);
    }
    for (intptr_t i = 0; i < task.writes; ++i) {
      size_t index = stow_values_add(&written, stow_task_original_write(&task, i));
      if (index == writer_of.count)
        STOW_PUSH(writer_of, n);
      writer_of.at[index] = n;
    }
  }
  stow_values_free(&written);
  free(writer_of.at);
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

static const void *key_of(uint32_t writer, uint32_t reader) {
  return (const void *)(uintptr_t)((uint64_t)writer << 32 | reader);
}

const void *stow_taskflow_pair_key(const stow_task_pair *p) {
  return key_of(p->writer.number, p->reader.number);
}

// What is known of two tasks by their numbers, or stands for it; -1: nothing.
static int32_t trial_of(const stow_fuser *f, uint32_t writer, uint32_t reader) {
  int32_t known = stow_map_get(&f->known, key_of(writer, reader));
  return known >= 0 ? known : stow_map_get(&f->expected, key_of(writer, reader));
}

// The trial of a task that one of the two was made of and the other, best one that succeeded.
static int32_t trial_of_parents(const stow_fuser *f, const stow_task_pair *p) {
  int32_t found = -1;
  for (int i = 0; i < 4; ++i) {
    uint32_t writer = i < 2 ? f->parents.at[p->writer.number].number[i] : p->writer.number;
    uint32_t reader = i < 2 ? p->reader.number : f->parents.at[p->reader.number].number[i - 2];
    int32_t trial = writer && reader ? trial_of(f, writer, reader) : -1;
    if (trial >= 0 && (found < 0 || f->trials.at[found].reason != STOW_FUSION_FUSED))
      found = trial;
  }
  return found;
}

// Tasks that an attempt has replaced are in none.
static bool is_in_a_block(MlirOperation op) { return !mlirBlockIsNull(mlirOperationGetBlock(op)); }

// Whether only the two tasks, and deallocs, use a buffer that the function allocates.
static bool is_private(const stow_task_pair *p, MlirValue buffer) {
  if (!stow_ir_is_local_allocation(buffer))
    return false;
  STOW_EACH_USE(use, buffer) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!is_in_a_block(user))
      continue;
    if (!mlirOperationEqual(user, p->writer.op) && !mlirOperationEqual(user, p->reader.op) &&
        !stow_ir_is_dealloc(user))
      return false;
  }
  return true;
}

// Whether nobody needs the buffer when the pair is fused. One that stands in the trial of other
// tasks may be gone since then.
static bool goes(const stow_task_pair *p, const stow_dry_buffer *dry) {
  return stow_values_find(&p->buffers, dry->buffer) >= 0 && is_private(p, dry->buffer);
}

// The same for all but a window of one. What was in it before the block must not count.
static bool shrinks(const stow_task_pair *p, const stow_window *window) {
  return stow_values_find(&p->buffers, window->buffer) >= 0 && is_private(p, window->buffer) &&
         mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(window->buffer)),
                        mlirOperationGetBlock(p->writer.op));
}

static const stow_window *window_of(const stow_fuser *f, const stow_task_pair *p,
                                    MlirValue buffer) {
  const stow_trial *trial = &f->trials.at[p->trial];
  for (size_t i = 0; i < trial->windows.count; ++i)
    if (mlirValueEqual(trial->windows.at[i].buffer, buffer))
      return &trial->windows.at[i];
  return NULL;
}

bool stow_taskflow_pair_windows(const stow_fuser *f, const stow_task_pair *p, MlirValue buffer) {
  return f->trials.at[p->trial].reason == STOW_FUSION_FUSED && window_of(f, p, buffer) &&
         stow_values_find(&p->buffers, buffer) >= 0;
}

bool stow_taskflow_pair_shrinks(const stow_fuser *f, const stow_task_pair *p, MlirValue buffer) {
  return stow_taskflow_pair_windows(f, p, buffer) && shrinks(p, window_of(f, p, buffer));
}

bool stow_taskflow_only_tasks_use(MlirValue buffer, MlirBlock block) {
  if (!mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(buffer)), block))
    return false;
  STOW_EACH_USE(use, buffer) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (is_in_a_block(user) && !stow_ir_is_dealloc(user) &&
        !(stow_taskflow_is_task(user) && mlirBlockEqual(mlirOperationGetBlock(user), block)))
      return false;
  }
  return true;
}

bool stow_taskflow_pair_gains(const stow_fuser *f, const stow_task_pair *p) {
  const stow_trial *trial = &f->trials.at[p->trial];
  bool gains = trial->streams;
  for (size_t i = 0; i < trial->windows.count && !gains; ++i)
    gains = shrinks(p, &trial->windows.at[i]);
  return gains;
}

static void weigh(const stow_fuser *f, stow_task_pair *p) {
  const stow_trial *trial = &f->trials.at[p->trial];
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  p->bytes = 0;
  p->accesses = trial->loads + trial->stores;
  p->simple = writer.writes == 1 && reader.reads == 1;
  for (size_t i = 0; i < trial->dry.count; ++i) {
    uint64_t bytes;
    if (!goes(p, &trial->dry.at[i]))
      continue;
    p->accesses += trial->dry.at[i].stores;
    if (stow_taskflow_allocation_bytes(trial->dry.at[i].buffer, &bytes))
      p->bytes += bytes;
  }
  for (size_t i = 0; i < trial->windows.count; ++i) {
    const stow_window *window = &trial->windows.at[i];
    uint64_t bytes;
    if (shrinks(p, window) && stow_taskflow_allocation_bytes(window->buffer, &bytes))
      p->bytes += bytes - window->bytes;
  }
}

void stow_taskflow_pair_try(stow_fuser *f, stow_task_pair *p) {
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  p->trial = STOW_PUSH(f->trials,
                       stow_taskflow_try_twin(f->twins, &writer, &reader, &p->buffers, f->options));
  stow_map_add(&f->known, key_of(p->writer.number, p->reader.number), (int32_t)p->trial);
  p->tried = true;
  weigh(f, p);
}

static void find_trial(stow_fuser *f, stow_task_pair *p) {
  const void *key = key_of(p->writer.number, p->reader.number);
  int32_t known = stow_map_get(&f->known, key), expected = stow_map_get(&f->expected, key);
  if (known < 0 && expected < 0 && (expected = trial_of_parents(f, p)) >= 0)
    stow_map_add(&f->expected, key, expected);
  if (known < 0 && expected < 0) {
    stow_taskflow_pair_try(f, p);
    return;
  }
  p->tried = known >= 0;
  p->trial = (size_t)(p->tried ? known : expected);
  weigh(f, p);
}

STOW_BY_FIELDS(by_position, stow_task_pair, reader_index, writer_index)

static void number_tasks(stow_fuser *f) {
  stow_map_free(&f->footprints.numbers);
  STOW_EACH(const stow_task_node, node, f->nodes)
    stow_map_add(&f->footprints.numbers, node->op.ptr, (int32_t)node->number);
}

void stow_fuser_find_pairs(stow_fuser *f) {
  number_tasks(f);
  pair_up(f);
  STOW_SORT(f->pairs, by_position);
  for (size_t i = 0; i < f->pairs.count; ++i)
    find_trial(f, &f->pairs.at[i]);
}

//===----------------------------------------------------------------------===//
// What a task was fused from
//===----------------------------------------------------------------------===//

// Whether task `first`, which was there at first, is `number` or one that it was fused from.
// Numbers grow from a task to the one that it became a part of.
static bool is_made_of(const stow_fuser *f, uint32_t number, uint32_t first) {
  while (first && first < number)
    first = f->parents.at[first].child;
  return first == number;
}

static bool spans(const stow_fuser *f, const stow_task_pair *p, const stow_task_edge *edge) {
  return edge->block == f->block && is_made_of(f, p->writer.number, edge->writer) &&
         is_made_of(f, p->reader.number, edge->reader);
}

bool stow_taskflow_pair_is_apart(const stow_fuser *f, const stow_task_pair *p) {
  STOW_EACH(const stow_task_edge, edge, *f->apart) {
    const stow_task_edge back = {edge->block, edge->reader, edge->writer};
    if (spans(f, p, edge) || spans(f, p, &back))
      return true;
  }
  return false;
}

static uint32_t first_of(const stow_fuser *f, uint32_t number) {
  while (f->parents.at[number].number[0])
    number = f->parents.at[number].number[0];
  return number;
}

stow_task_edge stow_taskflow_pair_edge(const stow_fuser *f, const stow_task_pair *p) {
  STOW_EACH(const stow_task_edge, edge, f->way->pairs)
    if (spans(f, p, edge))
      return *edge;
  return (stow_task_edge){f->block, first_of(f, p->writer.number), first_of(f, p->reader.number)};
}

//===----------------------------------------------------------------------===//
// Which comes first
//===----------------------------------------------------------------------===//

static int compare_gain(const stow_task_pair *a, const stow_task_pair *b) {
  return stow_ir_then(
      STOW_COMPARE(b->bytes, a->bytes),
      stow_ir_then(STOW_COMPARE(b->accesses, a->accesses), STOW_COMPARE(b->simple, a->simple)));
}

static int by_gain(const void *left, const void *right) {
  const stow_task_pair *a = left, *b = right;
  return stow_ir_then(compare_gain(a, b),
                      stow_ir_then(STOW_COMPARE(a->writer_index, b->writer_index),
                                   STOW_COMPARE(a->reader_index, b->reader_index)));
}

void stow_fuser_sort_pairs(stow_fuser *f, size_t first) {
  stow_ir_sort(f->pairs.at + first, f->pairs.count - first, sizeof *f->pairs.at, by_gain);
}

bool stow_taskflow_pair_comes_later(const stow_fuser *f, size_t index) {
  return index + 1 < f->pairs.count && by_gain(&f->pairs.at[index], &f->pairs.at[index + 1]) > 0;
}

bool stow_taskflow_pairs_tie(const stow_fuser *f, size_t one, size_t other) {
  return compare_gain(&f->pairs.at[one], &f->pairs.at[other]) == 0;
}

size_t stow_taskflow_pair_round(const stow_task_pair *p) {
  return 1 + (p->writer.round > p->reader.round ? p->writer.round : p->reader.round);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

stow_pair_buffers stow_pair_buffers_of(const stow_fuser *f, const stow_task_pair *p) {
  const stow_trial *trial = &f->trials.at[p->trial];
  stow_pair_buffers buffers = {0};
  if (f->attempt)
    return buffers;
  for (size_t i = 0; i < trial->dry.count; ++i)
    if (goes(p, &trial->dry.at[i]))
      stow_values_add(&buffers.gone, trial->dry.at[i].buffer);
  for (size_t i = 0; i < trial->windows.count; ++i)
    if (shrinks(p, &trial->windows.at[i]))
      STOW_PUSH(buffers.windows, &trial->windows.at[i]);
  return buffers;
}

void stow_pair_buffers_free(stow_pair_buffers *buffers) {
  stow_values_free(&buffers->gone);
  free(buffers->windows.at);
}

stow_alive_change stow_taskflow_pair_change(const stow_task_pair *p, stow_task_place place,
                                            const stow_pair_buffers *buffers) {
  return (stow_alive_change){p->writer.position, p->reader.position, place == STOW_AT_READER,
                             &p->rising, buffers};
}

// Those of the tasks that come before the writer, at its place.
static void find_rising(const stow_fuser *f, stow_task_pair *p) {
  for (size_t i = 0, n = p->writer_index + 1; i < p->up.rising.count; ++i) {
    if (!stow_taskflow_is_task(p->up.rising.at[i]))
      continue;
    while (!mlirOperationEqual(f->nodes.at[n].op, p->up.rising.at[i]))
      ++n;
    assert(n < p->reader_index);
    STOW_PUSH(p->rising, f->nodes.at[n].position);
  }
}

static void take_place(const stow_fuser *f, stow_task_pair *p, stow_task_place place,
                       const stow_pair_buffers *buffers) {
  p->peak_rises = !f->asked->allow_higher_peak && !f->attempt &&
                  stow_alive_rises(&f->alive, stow_taskflow_pair_change(p, place, buffers));
  p->place = p->peak_rises ? STOW_NOWHERE : place;
}

void stow_taskflow_pair_find_place(stow_fuser *f, stow_task_pair *p) {
  bool distinct = f->options.distinct_arguments;
  stow_pair_buffers buffers = stow_pair_buffers_of(f, p);
  free_place(p);
  p->down = stow_move_down(&f->footprints, p->writer.op, p->reader.op, distinct);
  if (p->down.possible)
    take_place(f, p, STOW_AT_READER, &buffers);
  if (p->place == STOW_NOWHERE)
    p->up = stow_move_up(&f->footprints, p->writer.op, p->reader.op, distinct);
  find_rising(f, p);
  if (p->up.possible)
    take_place(f, p, STOW_AT_WRITER, &buffers);
  stow_pair_buffers_free(&buffers);
}

void stow_fuser_free(stow_fuser *f) {
  free_pairs(f);
  for (size_t i = 0; i < f->trials.count; ++i)
    stow_trial_free(&f->trials.at[i]);
  free(f->trials.at);
  free(f->pairs.at);
  free(f->nodes.at);
  free(f->parents.at);
  stow_map_free(&f->known);
  stow_map_free(&f->expected);
  stow_map_free(&f->in_vain);
  stow_map_free(&f->names);
  stow_alive_free(&f->alive);
  stow_footprints_free(&f->footprints);
}
