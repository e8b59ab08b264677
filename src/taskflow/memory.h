//===- memory.h - which memory a value is, and what an op does to it ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *root* is a memref value that no view op made: an allocation, an argument, or
// something of unknown origin. Two accesses may conflict only if their roots may be
// the same memory. What is not known counts as any memory.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_MEMORY_H
#define STOWAGE_TASKFLOW_MEMORY_H

#include "bridge/bridge.h"
#include "ir/alias.h"
#include "ir/op.h"
#include "ir/parts.h"
#include "ir/support.h"

bool stow_taskflow_is_memref(MlirValue value);

// Erases a local allocation that only deallocs use, and these.
void stow_taskflow_erase_allocation(MlirValue allocation);

// Whether `value` is made inside `ancestor`, as a result or a block argument.
bool stow_taskflow_made_inside(MlirValue value, MlirOperation ancestor);

// Called for each operand of `op` and of the ops nested in it whose memory that op touches, with a
// mask of stow_effect; and with a null value for an op whose effects are unknown.
typedef void (*stow_touch_fn)(void *user, MlirOperation op, MlirValue memref, uint8_t effects);
void stow_taskflow_walk_memory(MlirOperation op, stow_touch_fn fn, void *user);

// Whether `op`, whose effects are known, does at most read memory, or nothing to it at all.
bool stow_taskflow_only_reads(MlirOperation op);
bool stow_taskflow_has_no_effects(MlirOperation op);

// The effects of `op` itself on its operand `index`, as a mask; all of them where they are unknown.
uint8_t stow_taskflow_operand_effects(MlirOperation op, intptr_t index);

//===----------------------------------------------------------------------===//
// figures.c: how much tasks read and write
//===----------------------------------------------------------------------===//

// Loads and stores as often as they run, as far as the trip counts of affine.for loops are
// constant; a loop whose count is not known counts as one iteration.
typedef struct stow_figures {
  uint64_t tasks, bytes, loads, stores;
  uint64_t fixed; // bytes of buffers that other ops than tasks and deallocs name
  bool exact;     // all trip counts and all sizes are known
} stow_figures;

// The accesses in `op` to memory that it does not allocate itself; tasks and bytes are 0.
stow_figures stow_taskflow_accesses_in(MlirOperation op);

// The same for one buffer.
stow_figures stow_taskflow_accesses_to(MlirOperation op, MlirValue buffer);

// The tasks of a function, what they access, and the bytes of the buffers that they use and that
// the function allocates.
stow_figures stow_figures_of(MlirOperation function);

// The bytes of a local allocation, or of a channel; false where they are not known.
bool stow_taskflow_allocation_bytes(MlirValue buffer, uint64_t *out_bytes);

#endif // STOWAGE_TASKFLOW_MEMORY_H
