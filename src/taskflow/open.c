//===- open.c - two tasks, opened into one body -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/open.h"

#include "bridge/affine.h"
#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/steps.h"

#define WRITERS_LOAD "stowage.of_writer"

//===----------------------------------------------------------------------===//
// Equal values
//===----------------------------------------------------------------------===//

// Ops of which two with equal operands and attributes give equal results.
static bool is_number(MlirOperation op) {
  return stow_ir_is(op, STOW_ARITH_CONSTANT) || stow_ir_is(op, STOW_MEMREF_DIM) ||
         stow_ir_is(op, STOW_AFFINE_APPLY) || stow_ir_is(op, STOW_ARITH_INDEX_CAST) ||
         stow_ir_is(op, STOW_ARITH_ADDI) || stow_ir_is(op, STOW_ARITH_MULI) ||
         stow_ir_is(op, STOW_ARITH_SUBI);
}

static bool same_op(MlirOperation a, MlirOperation b) {
  return is_number(a) && mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) &&
         mlirOperationGetNumOperands(a) == mlirOperationGetNumOperands(b) &&
         mlirTypeEqual(mlirValueGetType(stow_taskflow_result(a)),
                       mlirValueGetType(stow_taskflow_result(b))) &&
         mlirAttributeEqual(stow_bridge_op_attributes(a), stow_bridge_op_attributes(b));
}

// Looks `depth` ops deep.
static bool same_value(MlirValue a, MlirValue b, int depth) {
  if (mlirValueEqual(a, b))
    return true;
  if (depth == 0 || !mlirValueIsAOpResult(a) || !mlirValueIsAOpResult(b))
    return false;
  MlirOperation maker_a = mlirOpResultGetOwner(a), maker_b = mlirOpResultGetOwner(b);
  if (!same_op(maker_a, maker_b))
    return false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(maker_a); i < n; ++i)
    if (!same_value(mlirOperationGetOperand(maker_a, i), mlirOperationGetOperand(maker_b, i),
                    depth - 1))
      return false;
  return true;
}

static MlirValue known_value(const stow_task *writer, MlirValue value) {
  enum { DEPTH = 4 };
  for (intptr_t i = 0; i < writer->values; ++i) {
    MlirValue known = mlirOperationGetOperand(writer->op, writer->reads + writer->writes + i);
    if (same_value(known, value, DEPTH))
      return known;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void open_arguments(const stow_task *copy, const stow_task *writer) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(copy->body); i < n; ++i) {
    MlirValue outside = stow_task_original_of_argument(copy, i);
    if (mlirValueIsNull(outside))
      outside = known_value(writer, mlirOperationGetOperand(copy->op, i));
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(copy->body, i), outside);
  }
}

// Moves the body of a copy of `task` to the end of the shell; appends what it yields.
static void pour(const stow_task *task, const stow_task *writer, MlirBlock body,
                 stow_values *yielded) {
  MlirOperation clone = mlirOperationClone(task->op);
  stow_task copy = stow_task_of(clone);
  open_arguments(&copy, writer);
  MlirOperation yield = stow_task_yield(&copy);
  stow_values_append_operands(yielded, yield,
                              mlirOperationGetNumOperands(yield) - task->value_outputs);
  for (MlirOperation op = mlirBlockGetFirstOperation(copy.body); !mlirOperationEqual(op, yield);
       op = mlirBlockGetFirstOperation(copy.body))
    stow_move_to_end(op, body);
  mlirOperationDestroy(clone);
}

static void append_yield(MlirBlock body, MlirLocation location, const stow_values *yielded) {
  const int32_t segments[] = {0, 0, (int32_t)yielded->count};
  stow_op op = stow_op_begin(STOW_TASKFLOW_YIELD, location);
  stow_op_operands(&op, yielded->at, yielded->count);
  stow_op_segments(&op, "operandSegmentSizes", segments, 3);
  mlirBlockAppendOwnedOperation(body, stow_op_end(&op));
}

static MlirOperation build_shell(MlirBlock body, MlirLocation location) {
  static const int32_t none[5] = {0};
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  stow_op op = stow_op_begin(STOW_TASKFLOW_TASK, location);
  stow_op_attribute(&op, "task_name", mlirStringAttrGet(op.context, stow_ir_string("shell")));
  stow_op_segments(&op, "operandSegmentSizes", none, 5);
  stow_op_segments(&op, "resultSegmentSizes", none, 3);
  stow_op_region(&op, region);
  return stow_op_end(&op);
}

bool stow_taskflow_is_writers_load(MlirOperation load) {
  return !mlirAttributeIsNull(stow_attribute_of(load, WRITERS_LOAD));
}

void stow_taskflow_mark_like(MlirOperation load, MlirOperation like) {
  if (stow_taskflow_is_writers_load(like))
    stow_ir_set_unit(load, WRITERS_LOAD);
}

stow_open_pair stow_taskflow_open(const stow_task *writer, const stow_task *reader) {
  MlirLocation location = mlirOperationGetLocation(reader->op);
  stow_open_pair pair = {.body = mlirBlockCreate(0, NULL, NULL)};
  stow_values yielded = {0};
  pair.shell = build_shell(pair.body, location);
  pour(writer, writer, pair.body, &yielded);
  STOW_EACH_OP_OF(op, pair.shell)
    if (stow_taskflow_is_load(op))
      stow_ir_set_unit(op, WRITERS_LOAD);
  MlirOperation writers_last = (MlirOperation){NULL};
  STOW_EACH_OP(op, pair.body)
    writers_last = op;
  pour(reader, writer, pair.body, &yielded);
  append_yield(pair.body, location, &yielded);
  pair.reader_begins = mlirOperationIsNull(writers_last)
                           ? mlirBlockGetFirstOperation(pair.body)
                           : mlirOperationGetNextInBlock(writers_last);
  stow_taskflow_open_compose(&pair);
  stow_values_free(&yielded);
  return pair;
}

stow_open_pair stow_taskflow_open_alone(const stow_task *task) {
  MlirLocation location = mlirOperationGetLocation(task->op);
  stow_open_pair pair = {.body = mlirBlockCreate(0, NULL, NULL)};
  stow_values yielded = {0};
  pair.shell = build_shell(pair.body, location);
  pour(task, task, pair.body, &yielded);
  append_yield(pair.body, location, &yielded);
  pair.reader_begins = mlirBlockGetTerminator(pair.body);
  stow_values_free(&yielded);
  return pair;
}

void stow_taskflow_open_compose(const stow_open_pair *pair) {
  STOW_EACH_OP_OF(op, pair->shell)
    if (stow_taskflow_is_access(op))
      stow_bridge_affine_compose_access(op);
}

void stow_taskflow_open_drop(stow_open_pair *pair) {
  if (!mlirOperationIsNull(pair->shell))
    mlirOperationDestroy(pair->shell);
  *pair = (stow_open_pair){0};
}

stow_task stow_taskflow_open_close(stow_open_pair *pair, MlirLocation location, MlirStringRef name,
                                   MlirOperation before) {
  STOW_EACH_OP_OF(op, pair->shell)
    mlirOperationRemoveDiscardableAttributeByName(op, stow_ir_string(WRITERS_LOAD));
  MlirOperation yield = mlirBlockGetTerminator(pair->body);
  stow_values yielded = {0};
  stow_values_append_operands(&yielded, yield, 0);
  mlirOperationDestroy(yield);
  mlirBlockDetach(pair->body);
  stow_task task =
      stow_taskflow_close(pair->body, location, name, yielded.at, yielded.count, before);
  mlirOperationDestroy(pair->shell);
  stow_values_free(&yielded);
  *pair = (stow_open_pair){0};
  return task;
}

stow_task stow_taskflow_open_replace(stow_open_pair *pair, const stow_task *task) {
  const stow_task made = stow_taskflow_open_close(pair, mlirOperationGetLocation(task->op),
                                                  stow_task_name(task), task->op);
  stow_taskflow_copy_discardable_attributes(task->op, made.op);
  stow_task_hand_out_values(task, &made, 0);
  mlirOperationDestroy(task->op);
  return made;
}
