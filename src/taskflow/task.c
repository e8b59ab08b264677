//===- task.c - taskflow.task as C sees it ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task's operands are values as of now, and the buffers themselves; reads come before writes.
// Here alone is known which operand and result is which.
//
//===----------------------------------------------------------------------===//

#include "taskflow/task.h"

#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

bool stow_taskflow_is_task(MlirOperation op) { return stow_ir_is(op, STOW_TASKFLOW_TASK); }

bool stow_taskflow_is_channel(MlirValue value) {
  return stow_ir_is_result_of(value, STOW_TASKFLOW_CHANNEL);
}

stow_task stow_task_of(MlirOperation op) {
  assert(stow_taskflow_is_task(op));
  const int32_t *operands, *results;
  stow_task_segments(op, &operands, &results);
  return (stow_task){
      .op = op,
      .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
      .reads = operands[0],
      .writes = operands[1],
      .values = operands[2],
      .read_outputs = results[0],
      .write_outputs = results[1],
      .value_outputs = results[2],
  };
}

MlirStringRef stow_task_name(const stow_task *task) {
  return mlirStringAttrGetValue(stow_attribute_of(task->op, "task_name"));
}

MlirOperation stow_task_yield(const stow_task *task) { return mlirBlockGetTerminator(task->body); }

MlirValue stow_task_original_read(const stow_task *task, intptr_t index) {
  assert(index < task->reads);
  return mlirOperationGetOperand(task->op, task->reads + task->writes + task->values + index);
}

MlirValue stow_task_original_write(const stow_task *task, intptr_t index) {
  assert(index < task->writes);
  return mlirOperationGetOperand(task->op, 2 * task->reads + task->writes + task->values + index);
}

MlirValue stow_task_original_of_argument(const stow_task *task, intptr_t index) {
  if (index < task->reads)
    return stow_task_original_read(task, index);
  if (index < task->reads + task->writes)
    return stow_task_original_write(task, index - task->reads);
  return (MlirValue){NULL};
}

MlirValue stow_task_original_of_result(const stow_task *task, intptr_t index) {
  if (index >= task->read_outputs)
    return stow_task_original_write(task, index - task->read_outputs);
  MlirValue argument = mlirOperationGetOperand(stow_task_yield(task), index);
  return stow_task_original_read(task, mlirBlockArgumentGetArgNumber(argument));
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

void stow_task_parts_free(stow_task_parts *parts) {
  stow_values_free(&parts->reads);
  stow_values_free(&parts->writes);
  stow_values_free(&parts->values);
  free(parts->yielded);
  *parts = (stow_task_parts){0};
}

static size_t count_read_outputs(const stow_task_parts *parts) {
  size_t count = 0;
  for (size_t i = 0; parts->yields_read && i < parts->reads.count; ++i)
    count += parts->yields_read[i];
  return count;
}

static void append_yield(const stow_task_parts *parts) {
  size_t read_outputs = count_read_outputs(parts);
  const int32_t segments[] = {(int32_t)read_outputs, (int32_t)parts->writes.count,
                              (int32_t)parts->yielded_count};
  stow_op op = stow_op_begin(STOW_TASKFLOW_YIELD, parts->location);
  for (size_t i = 0; i < parts->reads.count; ++i)
    if (parts->yields_read && parts->yields_read[i])
      stow_op_operand(&op, mlirBlockGetArgument(parts->body, (intptr_t)i));
  for (size_t i = 0; i < parts->writes.count; ++i)
    stow_op_operand(&op, mlirBlockGetArgument(parts->body, (intptr_t)(parts->reads.count + i)));
  stow_op_operands(&op, parts->yielded, parts->yielded_count);
  stow_op_segments(&op, "operandSegmentSizes", segments, 3);
  mlirBlockAppendOwnedOperation(parts->body, stow_op_end(&op));
}

static void add_inputs(stow_op *op, const stow_task_parts *parts) {
  const int32_t segments[] = {(int32_t)parts->reads.count, (int32_t)parts->writes.count,
                              (int32_t)parts->values.count, (int32_t)parts->reads.count,
                              (int32_t)parts->writes.count};
  stow_op_operands(op, parts->reads.at, parts->reads.count);
  stow_op_operands(op, parts->writes.at, parts->writes.count);
  stow_op_operands(op, parts->values.at, parts->values.count);
  stow_op_operands(op, parts->reads.at, parts->reads.count);
  stow_op_operands(op, parts->writes.at, parts->writes.count);
  stow_op_segments(op, "operandSegmentSizes", segments, 5);
}

static void add_outputs(stow_op *op, const stow_task_parts *parts) {
  const int32_t segments[] = {(int32_t)count_read_outputs(parts), (int32_t)parts->writes.count,
                              (int32_t)parts->yielded_count};
  for (size_t i = 0; i < parts->reads.count; ++i)
    if (parts->yields_read && parts->yields_read[i])
      stow_op_result(op, mlirValueGetType(parts->reads.at[i]));
  for (size_t i = 0; i < parts->writes.count; ++i)
    stow_op_result(op, mlirValueGetType(parts->writes.at[i]));
  for (size_t i = 0; i < parts->yielded_count; ++i)
    stow_op_result(op, mlirValueGetType(parts->yielded[i]));
  stow_op_segments(op, "resultSegmentSizes", segments, 3);
}

stow_task stow_task_create(const stow_task_parts *parts, MlirOperation before) {
  stow_op op = stow_op_begin(STOW_TASKFLOW_TASK, parts->location);
  add_inputs(&op, parts);
  add_outputs(&op, parts);
  stow_op_attribute(&op, "task_name", mlirStringAttrGet(op.context, parts->name));
  append_yield(parts);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, parts->body);
  stow_op_region(&op, region);
  MlirOperation task = stow_op_end(&op);
  stow_ir_insert_before(before, task);
  return stow_task_of(task);
}

// The block without its terminator, in no region any more.
static void take_body(const stow_task *task, stow_task_parts *parts) {
  MlirOperation yield = stow_task_yield(task);
  intptr_t first = mlirOperationGetNumOperands(yield) - task->value_outputs;
  parts->yielded = stow_ir_allocate((size_t)task->value_outputs, sizeof *parts->yielded);
  parts->yielded_count = (size_t)task->value_outputs;
  for (intptr_t i = 0; i < task->value_outputs; ++i)
    parts->yielded[i] = mlirOperationGetOperand(yield, first + i);
  mlirOperationDestroy(yield);
  mlirBlockDetach(task->body);
  parts->body = task->body;
}

static void take_inputs(const stow_task *task, stow_task_parts *parts) {
  for (intptr_t i = 0; i < task->reads; ++i)
    stow_values_add(&parts->reads, stow_task_original_read(task, i));
  for (intptr_t i = 0; i < task->writes; ++i)
    stow_values_add(&parts->writes, stow_task_original_write(task, i));
  for (intptr_t i = 0; i < task->values; ++i)
    stow_values_append(&parts->values,
                       mlirOperationGetOperand(task->op, task->reads + task->writes + i));
}

stow_task stow_task_with_read_outputs(const stow_task *task, const bool *yields_read) {
  stow_task_parts parts = {.location = mlirOperationGetLocation(task->op),
                           .name = stow_task_name(task),
                           .yields_read = yields_read};
  take_inputs(task, &parts);
  take_body(task, &parts);
  stow_task made = stow_task_create(&parts, task->op);
  stow_taskflow_copy_discardable_attributes(task->op, made.op);
  for (intptr_t i = 0; i < task->write_outputs + task->value_outputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(task->op, task->read_outputs + i),
                                  mlirOperationGetResult(made.op, made.read_outputs + i));
  mlirOperationDestroy(task->op);
  stow_task_parts_free(&parts);
  return made;
}

void stow_task_hand_out_values(const stow_task *from, const stow_task *to, intptr_t first) {
  intptr_t memrefs = from->read_outputs + from->write_outputs;
  intptr_t outputs = to->read_outputs + to->write_outputs;
  for (intptr_t i = 0; i < from->value_outputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(from->op, memrefs + i),
                                  mlirOperationGetResult(to->op, outputs + first + i));
}
