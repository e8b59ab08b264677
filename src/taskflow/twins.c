//===- twins.c - pairs of tasks that are alike ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network repeats its layers, and a search its trials. Two pairs are twins if all that a trial
// sees of them is equal: the bodies up to names and locations, which of the values that come from
// outside are one, how these are made and what they may be in maps, and which memory may be the
// same. Both are kept as sequences of words. What came of the first twin is what comes of the
// others, with their buffers and locations in the place of its own.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "bridge/affine.h"
#include "bridge/bridge.h"
#include "ir/alias.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/ops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

typedef struct writing {
  stow_words words;
  stow_map numbers; // of values and of blocks, as they come
} writing;

static void put(writing *w, int64_t word) { STOW_PUSH(w->words, word); }

static void put_address(writing *w, const void *unique) { put(w, (int64_t)(uintptr_t)unique); }

static void put_number(writing *w, const void *thing) {
  int32_t number = stow_map_get(&w->numbers, thing);
  if (number < 0)
    stow_map_add(&w->numbers, thing, number = (int32_t)w->numbers.count);
  put(w, number);
}

static void put_definition(writing *w, MlirValue value) {
  put_number(w, value.ptr);
  put_address(w, mlirValueGetType(value).ptr);
}

static void put_regions(writing *w, MlirOperation op) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r) {
    put(w, -1);
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      put_number(w, block.ptr);
      for (intptr_t i = 0, count = mlirBlockGetNumArguments(block); i < count; ++i)
        put_definition(w, mlirBlockGetArgument(block, i));
    }
  }
}

static void put_op(writing *w, MlirOperation op) {
  put_number(w, mlirOperationGetBlock(op).ptr);
  put_address(w, mlirOperationGetName(op).ptr);
  put_address(w, stow_bridge_op_attributes(op).ptr);
  const intptr_t operands = mlirOperationGetNumOperands(op),
                 results = mlirOperationGetNumResults(op);
  put(w, operands);
  for (intptr_t i = 0; i < operands; ++i)
    put_number(w, mlirOperationGetOperand(op, i).ptr);
  put(w, results);
  for (intptr_t i = 0; i < results; ++i)
    put_definition(w, mlirOperationGetResult(op, i));
  for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i)
    put_number(w, mlirOperationGetSuccessor(op, i).ptr);
  put_regions(w, op);
}

static int32_t body_of(stow_twins *twins, const stow_task *task) {
  writing w = {0};
  const intptr_t counts[] = {task->reads, task->writes, task->values, task->value_outputs};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    put(&w, counts[i]);
  put_regions(&w, task->op);
  STOW_EACH_OP_OF(op, task->op)
    if (!mlirOperationEqual(op, task->op))
      put_op(&w, op);
  bool is_new;
  const int32_t body = stow_sequences_keep(&twins->bodies, &w.words, &is_new);
  free(w.words.at);
  stow_map_free(&w.numbers);
  return body;
}

//===----------------------------------------------------------------------===//
// Values from outside
//===----------------------------------------------------------------------===//

// A value that is a number, or a view: then a trial sees how it is made.
static bool is_seen_through(MlirValue value, MlirOperation maker) {
  return mlirOperationGetNumRegions(maker) == 0 &&
         (!stow_taskflow_is_memref(value) || stow_ir_is_view(value));
}

// Or the op that it is an argument in.
static void put_maker(stow_words *words, stow_values *values, MlirValue value) {
  const bool made = mlirValueIsAOpResult(value);
  const MlirOperation maker = made ? mlirOpResultGetOwner(value)
                                   : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  STOW_PUSH(*words, made);
  STOW_PUSH(*words, (int64_t)(uintptr_t)mlirOperationGetName(maker).ptr);
  if (!made || !is_seen_through(value, maker))
    return;
  STOW_PUSH(*words, mlirOpResultGetResultNumber(value));
  STOW_PUSH(*words, (int64_t)(uintptr_t)stow_bridge_op_attributes(maker).ptr);
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(maker); i < n; ++i)
    STOW_PUSH(*words, (int64_t)stow_values_add(values, mlirOperationGetOperand(maker, i)));
}

// Memory that the values before lie in. Allocations are one memory only if they are one value.
typedef struct memories {
  stow_values allocated;
  STOW_ARRAY(MlirValue) others;
} memories;

static void free_memories(memories *m) {
  stow_values_free(&m->allocated);
  free(m->others.at);
}

// Which memory it is, and which of that of the values before it may be.
static void put_memory(stow_words *words, memories *before, MlirValue value, bool distinct) {
  const MlirValue root = stow_ir_root_of(value);
  const bool allocated = stow_ir_is_local_allocation(root);
  STOW_PUSH(*words, allocated);
  STOW_EACH_ITEM(MlirValue, other, before->others)
    STOW_PUSH(*words, stow_ir_may_alias(root, other, distinct));
  if (allocated) {
    STOW_PUSH(*words, (int64_t)stow_values_add(&before->allocated, root));
    return;
  }
  for (size_t i = 0; i < before->allocated.count; ++i)
    STOW_PUSH(*words, stow_ir_may_alias(root, before->allocated.at[i], distinct));
  STOW_PUSH(before->others, root);
}

static void put_value(stow_words *words, stow_values *values, size_t index, memories *before,
                      bool distinct) {
  const MlirValue value = values->at[index];
  STOW_PUSH(*words, -1);
  STOW_PUSH(*words, (int64_t)(uintptr_t)mlirValueGetType(value).ptr);
  STOW_PUSH(*words, stow_bridge_affine_roles(value));
  put_maker(words, values, value);
  if (stow_taskflow_is_memref(value))
    put_memory(words, before, value, distinct);
}

static void put_inputs(stow_words *words, stow_values *values, const stow_task *task) {
  const intptr_t memrefs = task->reads + task->writes;
  for (intptr_t i = 0; i < memrefs + task->values; ++i)
    STOW_PUSH(*words,
              (int64_t)stow_values_add(values, i < memrefs ? stow_task_original_of_argument(task, i)
                                                           : mlirOperationGetOperand(task->op, i)));
}

static int32_t pair_of(stow_twins *twins, const stow_task *writer, const stow_task *reader,
                       const stow_values *buffers, stow_trial_options options, bool *out_new) {
  stow_words words = {0};
  stow_values values = {0};
  memories before = {0};
  STOW_PUSH(words, options.windows);
  STOW_PUSH(words, options.align.sums_outside);
  STOW_PUSH(words, stow_taskflow_reader_needs_value(writer, reader));
  STOW_PUSH(words, body_of(twins, writer));
  STOW_PUSH(words, body_of(twins, reader));
  put_inputs(&words, &values, writer);
  put_inputs(&words, &values, reader);
  for (size_t i = 0; i < buffers->count; ++i)
    STOW_PUSH(words, (int64_t)stow_values_add(&values, buffers->at[i]));
  for (size_t i = 0; i < values.count; ++i)
    put_value(&words, &values, i, &before, options.distinct_arguments);
  const int32_t pair = stow_sequences_keep(&twins->pairs, &words, out_new);
  free_memories(&before);
  free(words.at);
  stow_values_free(&values);
  return pair;
}

//===----------------------------------------------------------------------===//
// What came of a twin
//===----------------------------------------------------------------------===//

// Of the ops of the writer, then of the reader. False: no op is there.
static bool find_location(const stow_task *writer, const stow_task *reader, MlirLocation location,
                          size_t *out_index) {
  const MlirOperation tasks[] = {writer->op, reader->op};
  *out_index = 0;
  for (int i = 0; i < 2; ++i)
    STOW_EACH_OP_OF(op, tasks[i]) {
      if (mlirLocationEqual(mlirOperationGetLocation(op), location))
        return true;
      ++*out_index;
    }
  return false;
}

static MlirLocation location_at(const stow_task *writer, const stow_task *reader, size_t index) {
  const MlirOperation tasks[] = {writer->op, reader->op};
  for (int i = 0; i < 2; ++i)
    STOW_EACH_OP_OF(op, tasks[i])
      if (index-- == 0)
        return mlirOperationGetLocation(op);
  assert(false);
  return mlirOperationGetLocation(writer->op);
}

// The same of other buffers, one by one.
static stow_trial copy_trial(const stow_trial *trial, const stow_values *from,
                             const stow_values *to) {
  stow_trial copy = *trial;
  memset(&copy.dry, 0, sizeof copy.dry);
  memset(&copy.windows, 0, sizeof copy.windows);
  STOW_EACH(const stow_dry_buffer, dry, trial->dry)
    STOW_PUSH(copy.dry,
              (stow_dry_buffer){to->at[stow_values_find(from, dry->buffer)], dry->stores});
  STOW_EACH(const stow_window, window, trial->windows) {
    const MlirValue buffer = to->at[stow_values_find(from, window->buffer)];
    const size_t rank = (size_t)mlirShapedTypeGetRank(mlirValueGetType(buffer));
    int64_t *sizes = stow_ir_allocate(rank, sizeof *sizes);
    memcpy(sizes, window->sizes, rank * sizeof *sizes);
    STOW_PUSH(copy.windows, (stow_window){buffer, sizes, window->bytes});
  }
  return copy;
}

static void keep(stow_twins *twins, const stow_task *writer, const stow_task *reader,
                 const stow_values *buffers, const stow_trial *trial) {
  stow_twin twin = {.located = true};
  for (size_t i = 0; i < buffers->count; ++i)
    stow_values_add(&twin.buffers, buffers->at[i]);
  for (size_t i = 0; i < trial->blame_count; ++i)
    twin.located &= find_location(writer, reader, trial->blame[i], &twin.blame[i]);
  twin.trial = copy_trial(trial, buffers, buffers);
  STOW_PUSH(twins->known, twin);
}

#ifndef NDEBUG
static bool same_trial(const stow_trial *a, stow_trial b) {
  bool same = a->reason == b.reason && a->candidate == b.candidate && a->reversed == b.reversed &&
              a->streams == b.streams && a->loads == b.loads && a->stores == b.stores &&
              a->dry.count == b.dry.count && a->windows.count == b.windows.count;
  for (size_t i = 0; same && i < b.windows.count; ++i)
    same = mlirValueEqual(a->windows.at[i].buffer, b.windows.at[i].buffer) &&
           a->windows.at[i].bytes == b.windows.at[i].bytes;
  stow_trial_free(&b);
  return same;
}
#endif

static stow_trial trial_like(const stow_twin *twin, const stow_task *writer,
                             const stow_task *reader, const stow_values *buffers) {
  stow_trial trial = copy_trial(&twin->trial, &twin->buffers, buffers);
  for (size_t i = 0; i < trial.blame_count; ++i)
    trial.blame[i] = location_at(writer, reader, twin->blame[i]);
  return trial;
}

stow_trial stow_taskflow_try_twin(stow_twins *twins, const stow_task *writer,
                                  const stow_task *reader, const stow_values *buffers,
                                  stow_trial_options options) {
  bool is_new;
  const int32_t pair = pair_of(twins, writer, reader, buffers, options, &is_new);
  if (!is_new && twins->known.at[pair].located) {
    stow_trial trial = trial_like(&twins->known.at[pair], writer, reader, buffers);
    assert(same_trial(&trial, stow_taskflow_try_fusion(writer, reader, buffers, options)));
    return trial;
  }
  stow_trial trial = stow_taskflow_try_fusion(writer, reader, buffers, options);
  if (is_new)
    keep(twins, writer, reader, buffers, &trial);
  return trial;
}

void stow_twins_free(stow_twins *twins) {
  STOW_EACH(stow_twin, twin, twins->known) {
    stow_trial_free(&twin->trial);
    stow_values_free(&twin->buffers);
  }
  free(twins->known.at);
  stow_sequences_free(&twins->bodies);
  stow_sequences_free(&twins->pairs);
  *twins = (stow_twins){0};
}
