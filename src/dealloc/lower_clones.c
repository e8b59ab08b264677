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
#include "ir/parts.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static void lower(MlirOperation clone) {
  MlirValue source = mlirOperationGetOperand(clone, 0), result = mlirOperationGetResult(clone, 0);
  const MlirType type = mlirValueGetType(result);
  if (mlirTypeIsNull(stow_ir_type_with_room(type)))
    return;
  const stow_builder builder = stow_builder_before(clone, mlirOperationGetLocation(clone));
  const MlirValue copy = stow_ir_build_clone(&builder, source, type, 0);
  if (stow_ir_is_manual(clone))
    stow_ir_set_manual(mlirOpResultGetOwner(stow_ir_root_of(copy)));
  mlirValueReplaceAllUsesOfWith(result, copy);
  mlirOperationDestroy(clone);
}

static bool is_clone(MlirOperation op) { return stow_ir_is(op, STOW_BUFFERIZATION_CLONE); }

void stow_lower_clones(MlirOperation module) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  STOW_EACH_FOUND(op, stow_ir_ops_in(module, is_clone))
    lower(op);
}
