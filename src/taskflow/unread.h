//===- unread.h - buffers that are written and never read ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_UNREAD_H
#define STOWAGE_TASKFLOW_UNREAD_H

#include "ir/support.h"

// Removes the local allocations of a function that tasks store to and nothing else but deallocs
// uses, with the stores, what is computed for them alone, and tasks that do nothing then. No
// versions are in use.
void stow_remove_unread(MlirOperation function, size_t *out_buffers, uint64_t *out_bytes);

#endif // STOWAGE_TASKFLOW_UNREAD_H
