//===- inline.c - convert-taskflow-to-affine ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task's body takes the task's place. What it did under the names of its arguments
// it does to the buffers themselves.
//
//===----------------------------------------------------------------------===//

#include "bridge/affine.h"
#include "ir/build.h"
#include "ir/support.h"
#include "stowage/passes.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/thread.h"

// In a task every index argument is an affine symbol; outside, what it stands for has to be one.
static bool may_be_inlined(MlirOperation op) {
  stow_task task = stow_task_of(op);
  bool ok = true;
  for (intptr_t i = task.reads + task.writes; i < mlirBlockGetNumArguments(task.body); ++i) {
    if (!stow_bridge_affine_needs_symbol(mlirBlockGetArgument(task.body, i)) ||
        stow_bridge_affine_is_symbol(mlirOperationGetOperand(op, i), op))
      continue;
    stow_bridge_error(
        mlirOperationGetLocation(op),
        "cannot be inlined: its body uses a value input as an affine symbol, which it is not "
        "outside; move the task to the function's top level, or lower its body to scf first",
        NULL, 0);
    ok = false;
  }
  return ok;
}

static void replace_arguments(const stow_task *task) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(task->body); i < n; ++i) {
    MlirValue buffer = stow_task_original_of_argument(task, i);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(task->body, i),
                                  mlirValueIsNull(buffer) ? mlirOperationGetOperand(task->op, i)
                                                          : buffer);
  }
}

static void inline_task(const stow_task *task) {
  MlirOperation yield = stow_task_yield(task);
  replace_arguments(task);
  intptr_t memrefs = task->read_outputs + task->write_outputs;
  for (intptr_t i = memrefs; i < memrefs + task->value_outputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(task->op, i),
                                  mlirOperationGetOperand(yield, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(task->body); !mlirOperationEqual(op, yield);
       op = mlirBlockGetFirstOperation(task->body))
    mlirOperationMoveBefore(op, task->op);
  mlirOperationDestroy(task->op);
}

// One task after the other, each element has a cell of its own.
static void inline_channel(MlirOperation op) {
  if (stow_ir_is(op, STOW_TASKFLOW_CHANNEL)) {
    const MlirValue channel = stow_taskflow_result(op);
    const stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
    mlirValueReplaceAllUsesOfWith(channel,
                                  stow_ir_build_alloc(&builder, mlirValueGetType(channel), 0));
  }
  mlirOperationDestroy(op);
}

static bool is_of_channels(MlirOperation op) {
  return stow_ir_is(op, STOW_TASKFLOW_CHANNEL) || stow_ir_is(op, STOW_TASKFLOW_RELEASE);
}

static void inline_function(MlirOperation function) {
  stow_taskflow_unthread(function);
  STOW_EACH_FOUND(op, stow_tasks_of(function)) {
    stow_task task = stow_task_of(op);
    inline_task(&task);
  }
  STOW_EACH_FOUND(op, stow_ir_ops_in(function, is_of_channels))
    inline_channel(op);
}

bool stow_taskflow_to_affine(MlirOperation module) {
  bool ok = true;
  STOW_EACH_OP_OF(op, module)
    if (stow_taskflow_is_task(op))
      ok &= may_be_inlined(op);
  stow_op_list functions = stow_ir_functions_in(module);
  for (size_t i = 0; ok && i < functions.count; ++i)
    inline_function(functions.at[i]);
  free(functions.at);
  return ok;
}
