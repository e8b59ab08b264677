//===- allocated.c - how much a module allocates --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/allocated.h"

#include "ir/op.h"
#include "ir/size.h"

static void add_results(MlirOperation op, stow_allocated *to) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    const MlirValue result = mlirOperationGetResult(op, i);
    if (!stow_ir_is_buffer(mlirValueGetType(result)))
      continue;
    const uint64_t bytes = stow_ir_made_bytes(result);
    ++to->buffers;
    to->bytes = to->bytes > UINT64_MAX - bytes ? UINT64_MAX : to->bytes + bytes;
  }
}

stow_allocated stow_allocated_in(MlirOperation module) {
  stow_allocated allocated = {0};
  stow_by_name names = {0};
  STOW_EACH_OP_OF(op, module)
    if (stow_ir_look_up(&names, op).traits &
        (STOW_ALLOCATES_HEAP | STOW_ALLOCATES_STACK | STOW_CLONES))
      add_results(op, &allocated);
  stow_by_name_free(&names);
  return allocated;
}
