//===- convert.c - convert-affine-to-taskflow ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each affine.for at the top of a function, or what can be one, becomes a task: the loop moves into
// the task's body, with copies of the views that it looks through, and what it takes from outside
// becomes an operand. Versions are derived afterwards (thread.h).
//
//===----------------------------------------------------------------------===//

#include "ir/support.h"
#include "stowage/passes.h"
#include "taskflow/loops.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"
#include "taskflow/steps.h"
#include "taskflow/thread.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

// Users outside of the task take its value outputs; its yield alone takes the loop's results.
static void hand_out_results(const stow_task *task, MlirOperation loop) {
  MlirOperation yield = stow_task_yield(task);
  intptr_t memrefs = task->read_outputs + task->write_outputs;
  for (intptr_t i = 0; i < task->value_outputs; ++i) {
    MlirValue inner = mlirOperationGetResult(loop, i);
    mlirValueReplaceAllUsesExcept(inner, mlirOperationGetResult(task->op, memrefs + i), 1, &yield);
  }
}

static void wrap(MlirOperation loop, MlirStringRef name) {
  MlirOperation before = mlirOperationGetNextInBlock(loop);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  stow_move_to_end(loop, body);
  size_t count = (size_t)stow_taskflow_loop_carried(loop);
  MlirValue *results = stow_ir_allocate(count, sizeof *results);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetResult(loop, (intptr_t)i);
  stow_task task =
      stow_taskflow_close(body, mlirOperationGetLocation(loop), name, results, count, before);
  hand_out_results(&task, loop);
  stow_taskflow_raise_accesses(task.op);
  free(results);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool carries_memrefs(MlirOperation loop) {
  for (intptr_t i = 0, n = stow_taskflow_loop_carried(loop); i < n; ++i)
    if (stow_taskflow_is_memref(mlirOperationGetResult(loop, i)))
      return true;
  return false;
}

static bool name_is_taken(const stow_op_list *tasks, const char *name) {
  for (size_t i = 0; i < tasks->count; ++i) {
    stow_task task = stow_task_of(tasks->at[i]);
    if (stow_ir_string_equal(stow_task_name(&task), name))
      return true;
  }
  return false;
}

// Task_0, Task_1, ... without the names of tasks that were there before.
static char *next_name(const stow_op_list *earlier, unsigned *number) {
  for (;;) {
    char *name = stow_ir_format("Task_%u", (*number)++);
    if (!name_is_taken(earlier, name))
      return name;
    free(name);
  }
}

static void convert_block(MlirBlock block, const stow_op_list *earlier, unsigned *number) {
  STOW_EACH_OP_THAT_MAY_GO(op, block) {
    if (!stow_taskflow_is_loop(op) || carries_memrefs(op))
      continue;
    char *name = next_name(earlier, number);
    wrap(op, stow_ir_string(name));
    free(name);
  }
}

static void convert_function(MlirOperation function,
                             const stow_taskflow_conversion_options *options) {
  stow_op_list earlier = stow_tasks_of(function);
  unsigned number = 0;
  STOW_EACH_BLOCK(block, stow_bridge_function_body(function)) {
    if (options->copies)
      stow_taskflow_raise_copies(block);
    stow_taskflow_raise_loops(function, block, options->parallel_loops);
    convert_block(block, &earlier, &number);
  }
  stow_taskflow_thread(function);
  free(earlier.at);
}

void stow_affine_to_taskflow(MlirOperation module,
                             const stow_taskflow_conversion_options *options) {
  stow_taskflow_conversion_options taken;
  stow_ir_take_options(&taken, options, sizeof taken);
  STOW_EACH_FOUND(function, stow_ir_functions_in(module))
    convert_function(function, &taken);
}
