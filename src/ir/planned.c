//===- planned.c - functions, and what merge-alloc would make of them -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/planned.h"

#include "bridge/bridge.h"
#include "stowage/passes.h"

static MlirWalkResult add_function(MlirOperation op, void *user) {
  stow_op_list *functions = user;
  if (!stow_op_is_function(op) || mlirRegionIsNull(stow_function_body(op)))
    return MlirWalkResultAdvance;
  STOW_PUSH(*functions, op);
  return MlirWalkResultSkip;
}

stow_op_list stow_functions_in(MlirOperation module) {
  stow_op_list functions = {0};
  mlirOperationWalk(module, add_function, &functions, MlirWalkPreOrder);
  return functions;
}

typedef struct sums {
  stow_map index; // of functions
  uint64_t *bytes;
} sums;

static void add_arena(void *user, MlirOperation function, uint64_t bytes) {
  const sums *to = user;
  const int32_t at = stow_map_get(&to->index, function.ptr);
  if (at >= 0)
    to->bytes[at] += bytes;
}

void stow_plan_functions(MlirOperation module, const stow_op_list *functions, uint64_t *out_bytes) {
  sums to = {.bytes = out_bytes};
  for (size_t i = 0; i < functions->count; ++i) {
    stow_map_add(&to.index, functions->at[i].ptr, (int32_t)i);
    out_bytes[i] = 0;
  }
  stow_planned_arenas(module, STOW_UNKNOWN_OPS_DEFAULT, add_arena, &to);
  stow_map_free(&to.index);
}

void stow_replace_function(MlirOperation function, MlirOperation with) {
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(function), function, with);
  mlirOperationDestroy(function);
}
