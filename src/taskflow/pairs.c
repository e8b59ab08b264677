//===- pairs.c - writers and readers that may become one task -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/pairs.h"

#include "taskflow/memory.h"

#include <stdlib.h>

static void free_pairs(stow_fuser *f) {
  for (size_t i = 0; i < f->pair_count; ++i) {
    stow_values_free(&f->pairs[i].buffers);
    stow_place_free(&f->pairs[i].place);
  }
  f->pair_count = 0;
}

static stow_pair *pair_of(stow_fuser *f, size_t first_of_reader, size_t writer, size_t reader) {
  for (size_t i = first_of_reader; i < f->pair_count; ++i)
    if (f->pairs[i].position == writer)
      return &f->pairs[i];
  f->pairs = stow_grow(f->pairs, f->pair_count, &f->pair_capacity, sizeof *f->pairs);
  f->pairs[f->pair_count] = (stow_pair){.writer = f->nodes[writer],
                                        .reader = f->nodes[reader],
                                        .position = writer,
                                        .reader_position = reader};
  return &f->pairs[f->pair_count++];
}

// Each reader with the last writer of each buffer that it reads.
static void find_pairs(stow_fuser *f) {
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

static size_t trial_of(stow_fuser *f, const stow_pair *p) {
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

bool stow_pair_is_private(const stow_pair *p, MlirValue buffer) {
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

static void weigh(const stow_fuser *f, stow_pair *p) {
  const stow_trial *trial = &f->trials[p->trial];
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  p->bytes = 0;
  p->accesses = trial->loads + trial->stores;
  p->simple = writer.writes == 1 && reader.reads == 1;
  for (size_t i = 0; i < trial->dry_count; ++i) {
    uint64_t bytes;
    if (!stow_pair_is_private(p, trial->dry[i].buffer))
      continue;
    p->accesses += trial->dry[i].stores;
    if (stow_allocation_bytes(trial->dry[i].buffer, &bytes))
      p->bytes += bytes;
  }
}

static int by_gain(const void *left, const void *right) {
  const stow_pair *a = left, *b = right;
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

static int by_position(const void *left, const void *right) {
  const stow_pair *a = left, *b = right;
  if (a->reader_position != b->reader_position)
    return a->reader_position < b->reader_position ? -1 : 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

static void place_pair(const stow_fuser *f, stow_pair *p) {
  stow_task writer = stow_task_of(p->writer.op), reader = stow_task_of(p->reader.op);
  stow_place_free(&p->place);
  p->place = stow_find_place(&writer, &reader, f->options.distinct_arguments);
}

void stow_pair_look_again(const stow_fuser *f, stow_pair *p) {
  place_pair(f, p);
  weigh(f, p);
}

void stow_fuser_try_pairs(stow_fuser *f, bool in_program_order) {
  find_pairs(f);
  for (size_t i = 0; i < f->pair_count; ++i) {
    stow_pair *p = &f->pairs[i];
    p->trial = trial_of(f, p);
    stow_pair_look_again(f, p);
  }
  qsort(f->pairs, f->pair_count, sizeof *f->pairs, in_program_order ? by_position : by_gain);
}

void stow_fuser_free(stow_fuser *f) {
  free_pairs(f);
  for (size_t i = 0; i < f->trial_count; ++i)
    stow_trial_free(&f->trials[i]);
  free(f->trials), free(f->pairs), free(f->nodes);
  stow_map_free(&f->known);
}
