//===- lower_clones.c - lower-clones --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone becomes an alloc of identity layout, a copy, and a cast to the clone's
// type where that has another layout. A clone of a type that no alloc can be cast
// to, and an unranked one, stays.
//
//===----------------------------------------------------------------------===//

#include "ir/build.h"
#include "ir/op.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static MlirType identity_layout(MlirType memref) {
  intptr_t rank = mlirShapedTypeGetRank(memref);
  int64_t *shape = stow_allocate((size_t)rank, sizeof *shape);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeIsDynamicDim(memref, i) ? mlirShapedTypeGetDynamicSize()
                                                     : mlirShapedTypeGetDimSize(memref, i);
  MlirType type = mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(memref), rank, shape,
                                              stow_memory_space(memref));
  free(shape);
  return type;
}

static void lower(MlirOperation clone) {
  MlirValue source = mlirOperationGetOperand(clone, 0), result = mlirOperationGetResult(clone, 0);
  MlirType type = mlirValueGetType(result);
  if (!mlirTypeIsAMemRef(type))
    return;
  MlirType made = identity_layout(type);
  if (!stow_can_cast(made, type))
    return;
  stow_builder builder = stow_builder_before(clone, mlirOperationGetLocation(clone));
  MlirValue copy = stow_build_alloc_like(&builder, made, source);
  if (stow_is_manual(clone))
    stow_set_manual(mlirOpResultGetOwner(copy));
  stow_build_copy(&builder, source, copy);
  if (!mlirTypeEqual(made, type))
    copy = stow_build_value(&builder, STOW_MEMREF_CAST, &copy, 1, type);
  mlirValueReplaceAllUsesOfWith(result, copy);
  mlirOperationDestroy(clone);
}

static bool is_clone(MlirOperation op) { return stow_is(op, STOW_BUFFERIZATION_CLONE); }

void stow_lower_clones(MlirOperation module) {
  stow_load_dialects(mlirOperationGetContext(module));
  stow_op_list found = stow_ops_in(module, is_clone);
  for (size_t i = 0; i < found.count; ++i)
    lower(found.at[i]);
  free(found.at);
}
