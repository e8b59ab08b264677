//===- close.h - from a body that uses outside values to a task ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While passes work on a body it is *open*: its ops use buffers and values of the
// function directly. Closing it finds out what it takes from outside and makes that
// the task's operands, with copies inside of the views that it looks through and of the
// dimensions whose size it asks for.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_CLOSE_H
#define STOWAGE_TASKFLOW_CLOSE_H

#include "taskflow/task.h"

// Makes a task of `body`, which belongs to no op, has no arguments and no terminator, and becomes
// the task's. `yielded` are the values that the task gives out. Inserts the task before `before`.
stow_task stow_close_task(MlirBlock body, MlirLocation location, MlirStringRef name,
                          const MlirValue *yielded, size_t yielded_count, MlirOperation before);

#endif // STOWAGE_TASKFLOW_CLOSE_H
