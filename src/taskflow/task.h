//===- task.h - taskflow.task as C sees it ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_TASK_H
#define STOWAGE_TASKFLOW_TASK_H

#include "taskflow/ops.h"
#include "taskflow/segments.h"

// Where what stands among a task's operands, results and block arguments.
typedef struct stow_task {
  MlirOperation op;
  MlirBlock body;
  intptr_t reads, writes, values;                      // operands, and block arguments
  intptr_t read_outputs, write_outputs, value_outputs; // results
} stow_task;

bool stow_taskflow_is_task(MlirOperation op);
bool stow_taskflow_is_channel(MlirValue value); // the result of a taskflow.channel
stow_task stow_task_of(MlirOperation op);

MlirStringRef stow_task_name(const stow_task *task);
MlirOperation stow_task_yield(const stow_task *task);

MlirValue stow_task_original_read(const stow_task *task, intptr_t index);
MlirValue stow_task_original_write(const stow_task *task, intptr_t index);

// The buffer that memref result `index` is a version of.
MlirValue stow_task_original_of_result(const stow_task *task, intptr_t index);

// The buffer behind block argument `index`; null for a value input.
MlirValue stow_task_original_of_argument(const stow_task *task, intptr_t index);

// What a new task is made of. The body's arguments are the reads, writes and values; it ends
// without a terminator, which is made here.
typedef struct stow_task_parts {
  MlirLocation location;
  MlirStringRef name;
  stow_values reads, writes, values; // buffers, and values from outside
  const bool *yields_read;           // per read: whether there is a read output; NULL: none
  MlirValue *yielded;                // of the body
  size_t yielded_count;              //
  MlirBlock body;                    // owned
} stow_task_parts;

// Inserts the task before `before`. Its memref operands are the buffers themselves.
stow_task stow_task_create(const stow_task_parts *parts, MlirOperation before);

// Lets users of the values that `from` puts out take those of `to`, from its value output `first`
// on.
void stow_task_hand_out_values(const stow_task *from, const stow_task *to, intptr_t first);

void stow_task_parts_free(stow_task_parts *parts);

// Puts a task with other read outputs in `task`'s place and erases `task`. Nobody may use its read
// outputs.
stow_task stow_task_with_read_outputs(const stow_task *task, const bool *yields_read);

#endif // STOWAGE_TASKFLOW_TASK_H
