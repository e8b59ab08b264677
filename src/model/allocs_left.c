//===- allocs_left.c - a program that must not allocate -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/op.h"
#include "ir/support.h"
#include "stowage/passes.h"

static bool takes_heap(MlirOperation op) {
  return (stow_op_traits(op) & STOW_ALLOCATES_HEAP) || stow_is(op, STOW_MEMREF_REALLOC);
}

bool stow_refuse_allocs(MlirOperation module) {
  const stow_op_list left = stow_ops_in(module, takes_heap);
  for (size_t i = 0; i < left.count; ++i)
    stow_error(mlirOperationGetLocation(left.at[i]),
               "this buffer is still allocated when the program runs; --remarks-filter=merge-alloc "
               "says why it has no place in an arena",
               NULL, 0);
  free(left.at);
  return left.count == 0;
}
