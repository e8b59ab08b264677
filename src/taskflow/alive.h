//===- alive.h - how many bytes of buffers are alive at once in a block ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is alive from the first op of the block that touches it to the last one.
// The most bytes that are alive at once are what a planner can reach, and does but for
// what is lost between buffers. Fusion moves what two ops touch to the place of one.
//
// One that is returned, or used in other blocks, too, is alive to the end of the block.
//
// Whether a planner may put other buffers into a result before it is written is its
// option: peaks are counted with the buffers that are returned and without, and neither
// may rise.
//
// Left out are buffers of unknown size, and those of other blocks that ops elsewhere
// use, too.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_ALIVE_H
#define STOWAGE_TASKFLOW_ALIVE_H

#include "taskflow/ops.h"

typedef struct stow_tenant {
  MlirValue buffer;
  uint64_t bytes;
  size_t pool;
  bool to_end;                // something keeps a name of it
  bool returned;              // by the function
  STOW_ARRAY(size_t) touches; // positions
} stow_tenant;

// Memory that shares nothing with other pools: a memory space of the heap, or of the stack.
typedef struct stow_pool {
  MlirAttribute memory_space;
  bool stack;
  uint64_t peak, peak_of_own; // of all buffers; of those that are not returned
} stow_pool;

typedef struct stow_alive {
  stow_map positions; // of the ops that stood in the block at first
  size_t op_count;
  STOW_ARRAY(stow_tenant) tenants;
  STOW_ARRAY(stow_pool) pools;
} stow_alive;

// What is touched at position `from` is touched at `to` instead, and `gone` buffers not at all.
typedef struct stow_alive_change {
  size_t from, to;
  const stow_values *gone;
} stow_alive_change;

// The position of the op that `op` is, or lies in; -1 where none of these has one.
int32_t stow_position_around(const stow_map *positions, MlirOperation op);

stow_alive stow_alive_in(MlirBlock block);
void stow_alive_free(stow_alive *alive);

size_t stow_alive_position(const stow_alive *alive, MlirOperation op);

// Whether a peak of some pool would rise.
bool stow_alive_rises(const stow_alive *alive, stow_alive_change change);

void stow_alive_apply(stow_alive *alive, stow_alive_change change);

#endif // STOWAGE_TASKFLOW_ALIVE_H
