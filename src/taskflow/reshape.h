//===- reshape.h - other orders of loops, and common loops --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What these do is proven legal before (order.h).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_RESHAPE_H
#define STOWAGE_TASKFLOW_RESHAPE_H

#include "taskflow/open.h"
#include "taskflow/order.h"

// Puts the loops of the pair into the alignment's orders and makes the shared ones common. The
// nests and the alignment hold no valid ops afterwards.
void stow_reshape(stow_open_pair *pair, stow_loop_nest *writer, stow_loop_nest *reader,
                  stow_alignment *alignment);

#endif // STOWAGE_TASKFLOW_RESHAPE_H
