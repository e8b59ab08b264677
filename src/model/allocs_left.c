//===- allocs_left.c - a program that must not allocate -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a program after all other passes. An error for each op that still takes memory from the
// heap, with what to do about it.
//
//===----------------------------------------------------------------------===//

#include "ir/op.h"
#include "ir/support.h"
#include "mlir-c/BuiltinTypes.h"
#include "stowage/passes.h"

static bool takes_heap(MlirOperation op) {
  return (stow_ir_op_traits(op) & (STOW_ALLOCATES_HEAP | STOW_CLONES)) ||
         stow_ir_is(op, STOW_MEMREF_REALLOC);
}

static bool has_dynamic_size(MlirOperation op) {
  return !mlirShapedTypeHasStaticShape(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static const char *advice_for(MlirOperation op) {
  if (stow_ir_is(op, STOW_MEMREF_REALLOC))
    return "make a larger memref.alloc in its place, and copy";
  if (has_dynamic_size(op))
    return "its size is known at run time only: set dynamic=exact of merge-alloc, or state max in "
           "the stowage.dims of arguments and set dynamic=bound; where that is set, "
           "--remarks-filter=merge-alloc says why it has no place in an arena";
  return "--remarks-filter=merge-alloc says why it has no place in an arena";
}

bool stow_refuse_allocs(MlirOperation module) {
  const stow_op_list left = stow_ir_ops_in(module, takes_heap);
  STOW_EACH(const MlirOperation, op, left) {
    const MlirStringRef name = stow_ir_op_name(*op);
    stow_ir_refuse(mlirOperationGetLocation(*op),
                   "'%.*s' still takes memory from the heap when the program runs; %s",
                   (int)name.length, name.data, advice_for(*op));
  }
  free(left.at);
  return left.count == 0;
}
