//===- slices.c - a slice per iteration of a parallel loop ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/hoist.h"

#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

uint64_t stow_slice_stride(const stow_arena *arena) {
  const uint64_t alignment = stow_arena_alignment(arena);
  return (arena->plan.arena_size + alignment - 1) & ~(alignment - 1); // of at most 2^62 bytes
}

MlirValue stow_build_slice(const stow_arena *arena, const stow_scope *scope, bool leave_arena) {
  const uint64_t size = arena->plan.arena_size, stride = stow_slice_stride(arena);
  MlirLocation location = mlirOperationGetLocation(scope->op);
  stow_builder outside = stow_builder_before(scope->op, location);
  MlirType all = stow_bytes_type(&outside, stride * arena->trips, arena->memory_space);
  MlirValue memory = stow_build_alloc(&outside, all, stow_arena_alignment(arena));
  stow_builder after = stow_builder_before(mlirOperationGetNextInBlock(scope->op), location);
  if (!leave_arena)
    stow_build_dealloc(&after, memory);
  MlirOperation first = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(scope->region));
  stow_builder inside = stow_builder_before(first, location);
  MlirType index = mlirIndexTypeGet(inside.context);
  MlirValue offset =
      stow_build_binary(&inside, STOW_ARITH_MULI, stow_build_linear_index(&inside, scope->op),
                        stow_build_number(&inside, index, (int64_t)stride));
  return stow_build_view(&inside, memory, offset,
                         stow_bytes_type(&inside, size, arena->memory_space));
}
