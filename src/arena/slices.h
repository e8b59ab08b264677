//===- slices.h - a slice per iteration of a parallel loop ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of an arena whose frame is STOW_FRAME_ITERATION: one alloc around the loop,
// cut into as many slices of one stride as there are iterations.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_SLICES_H
#define STOWAGE_ARENA_SLICES_H

#include "arena/arena.h"

// Bytes from one slice to the next.
uint64_t stow_slice_stride(const stow_arena *arena);

// Makes the memory around the loop, freed behind it unless it is left, and the iteration's slice,
// bytes from 0 on, at the beginning of the body. Gives the slice.
MlirValue stow_build_slice(const stow_arena *arena, const stow_scope *scope, bool leave_arena);

#endif // STOWAGE_ARENA_SLICES_H
