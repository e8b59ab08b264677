//===- close.c - from a body that uses outside values to a task ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a body whose ops use values from outside. Computes which buffers it reads and writes and
// which numbers it takes, copies views and constants into it, and makes the task with an argument
// for each.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "ir/op.h"
#include "ir/parts.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What a body takes from outside
//===----------------------------------------------------------------------===//

typedef struct capture {
  MlirBlock body;
  MlirOperation first;         // before anything was copied
  stow_values outer, copies;   // views and constants of outside, and the task's own copies of them
  stow_values buffers, values; // what is taken from outside
  uint8_t *effects;            // per buffer
  const stow_task_parts *parts;
} capture;

static bool is_captured(const capture *c, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  while (!mlirBlockEqual(block, c->body)) {
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (mlirOperationIsNull(parent))
      return true;
    block = mlirOperationGetBlock(parent);
    if (mlirBlockIsNull(block))
      return true;
  }
  return false;
}

typedef void (*operand_fn)(capture *c, MlirOperation op, intptr_t index, MlirValue captured);

static void each_captured_operand(capture *c, operand_fn fn) {
  STOW_EACH_OP(outer, c->body)
    STOW_EACH_OP_OF(op, outer)
      for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        if (is_captured(c, operand))
          fn(c, op, i, operand);
      }
}

// A size is an affine symbol only if the dimension that is asked for is known.
static bool names_dimension(MlirOperation op, MlirValue value) {
  return stow_ir_is(op, STOW_MEMREF_DIM) && stow_ir_is_result_of(value, STOW_ARITH_CONSTANT);
}

// The task's own copy of a value, or the value itself where there is none.
static MlirValue own_copy(const capture *c, MlirValue value) {
  int32_t known = stow_values_find(&c->outer, value);
  return known < 0 ? value : c->copies.at[known];
}

// Copies stand before the ops that were there.
static MlirOperation make_copy(capture *c, MlirValue value) {
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(value));
  mlirBlockInsertOwnedOperationBefore(c->body, c->first, copy);
  stow_values_add(&c->outer, value);
  stow_values_append(&c->copies, stow_taskflow_result(copy));
  return copy;
}

// Of a chain of views, sources come first.
static void pull(capture *c, MlirOperation op, intptr_t index, MlirValue captured) {
  stow_values chain = {0};
  stow_way way = {0};
  for (MlirValue view = captured; stow_ir_is_view(view) && !stow_ir_comes_again(&way, view) &&
                                  stow_values_find(&c->outer, view) < 0;
       view = mlirOperationGetOperand(mlirOpResultGetOwner(view), 0))
    stow_values_add(&chain, view);
  for (size_t i = chain.count; i-- > 0;) {
    MlirOperation copy = make_copy(c, chain.at[i]);
    mlirOperationSetOperand(copy, 0, own_copy(c, mlirOperationGetOperand(copy, 0)));
  }
  if (names_dimension(op, captured) && stow_values_find(&c->outer, captured) < 0)
    make_copy(c, captured);
  mlirOperationSetOperand(op, index, own_copy(c, captured));
  stow_values_free(&chain);
}

static void note_operand(capture *c, MlirOperation op, intptr_t index, MlirValue captured) {
  (void)op;
  (void)index;
  stow_values_add(stow_taskflow_is_memref(captured) ? &c->buffers : &c->values, captured);
}

// What is done to memory that the task did not make itself is done to a captured buffer: to the one
// that the access names or, where that is not known, to each.
static void note_effects(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  (void)op;
  capture *c = user;
  if (mlirValueIsNull(memref))
    return;
  MlirValue root = stow_ir_root_of(memref);
  int32_t index = stow_values_find(&c->buffers, root);
  if (index >= 0)
    c->effects[index] |= effects;
  else if (!stow_ir_is_local_allocation(root))
    for (size_t i = 0; i < c->buffers.count; ++i)
      c->effects[i] |= effects;
}

static void note_captures(capture *c, const MlirValue *yielded, size_t yielded_count) {
  each_captured_operand(c, pull);
  each_captured_operand(c, note_operand);
  for (size_t i = 0; i < yielded_count; ++i)
    if (is_captured(c, yielded[i]))
      stow_values_add(&c->values, yielded[i]);
  c->effects = stow_ir_allocate(c->buffers.count, sizeof *c->effects);
  STOW_EACH_OP(op, c->body)
    stow_taskflow_walk_memory(op, note_effects, c);
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

static bool is_written(uint8_t effects) { return effects & (STOW_WRITE | STOW_FREE); }

// A buffer whose memory is not touched (its size may be asked for) counts as read.
static bool is_read(uint8_t effects) { return (effects & STOW_READ) || !is_written(effects); }

static void list_inputs(const capture *c, stow_task_parts *parts) {
  for (size_t i = 0; i < c->buffers.count; ++i) {
    if (is_read(c->effects[i]))
      stow_values_add(&parts->reads, c->buffers.at[i]);
    if (is_written(c->effects[i]))
      stow_values_add(&parts->writes, c->buffers.at[i]);
  }
  for (size_t i = 0; i < c->values.count; ++i)
    stow_values_add(&parts->values, c->values.at[i]);
}

static void add_arguments(const stow_values *values, MlirBlock body, MlirLocation location) {
  for (size_t i = 0; i < values->count; ++i)
    mlirBlockAddArgument(body, mlirValueGetType(values->at[i]), location);
}

static bool gives_memref(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (stow_taskflow_is_memref(mlirOperationGetResult(op, i)))
      return true;
  return false;
}

// An op that only reads a buffer takes the read argument; any other the write argument, where there
// is one. So does one that reads a memref: what it names may be written.
static MlirValue argument_for(const stow_task_parts *parts, MlirOperation op, intptr_t index,
                              MlirValue captured) {
  int32_t value = stow_values_find(&parts->values, captured);
  size_t reads = parts->reads.count, writes = parts->writes.count;
  if (value >= 0)
    return mlirBlockGetArgument(parts->body, (intptr_t)(reads + writes) + value);
  int32_t read = stow_values_find(&parts->reads, captured);
  int32_t write = stow_values_find(&parts->writes, captured);
  bool only_reads = stow_taskflow_operand_effects(op, index) == STOW_READ && !gives_memref(op);
  return write < 0 || (read >= 0 && only_reads)
             ? mlirBlockGetArgument(parts->body, read)
             : mlirBlockGetArgument(parts->body, (intptr_t)reads + write);
}

static void rename_operand(capture *c, MlirOperation op, intptr_t index, MlirValue captured) {
  mlirOperationSetOperand(op, index, argument_for(c->parts, op, index, captured));
}

// The argument of a value that was taken from outside, or the value itself where it was not.
static MlirValue own_value(const stow_task_parts *parts, MlirValue value) {
  size_t memrefs = parts->reads.count + parts->writes.count;
  int32_t known = stow_values_find(&parts->values, value);
  return known < 0 ? value : mlirBlockGetArgument(parts->body, (intptr_t)memrefs + known);
}

stow_task stow_taskflow_close(MlirBlock body, MlirLocation location, MlirStringRef name,
                              const MlirValue *yielded, size_t yielded_count,
                              MlirOperation before) {
  capture c = {.body = body, .first = mlirBlockGetFirstOperation(body)};
  note_captures(&c, yielded, yielded_count);
  stow_task_parts parts = {.location = location, .name = name, .body = body};
  list_inputs(&c, &parts);
  add_arguments(&parts.reads, body, location);
  add_arguments(&parts.writes, body, location);
  add_arguments(&parts.values, body, location);
  c.parts = &parts;
  each_captured_operand(&c, rename_operand);
  parts.yielded = stow_ir_allocate(yielded_count, sizeof *parts.yielded);
  parts.yielded_count = yielded_count;
  for (size_t i = 0; i < yielded_count; ++i)
    parts.yielded[i] = own_value(&parts, yielded[i]);
  stow_task task = stow_task_create(&parts, before);
  stow_task_parts_free(&parts);
  stow_values_free(&c.outer);
  stow_values_free(&c.copies);
  stow_values_free(&c.buffers);
  stow_values_free(&c.values);
  free(c.effects);
  return task;
}
