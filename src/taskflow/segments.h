//===- segments.h - what the dialect in C++ tells C of a task ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_SEGMENTS_H
#define STOWAGE_TASKFLOW_SEGMENTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// How many operands and results a taskflow.task has of each kind, in the order of TaskflowOps.td.
// They belong to the op.
void stow_task_segments(MlirOperation task, const int32_t **out_operands,
                        const int32_t **out_results);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_TASKFLOW_SEGMENTS_H
