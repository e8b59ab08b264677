//===- raise.c - what is affine without saying so -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores, copies and views of memref with indices that are affine become affine ones, which
// the analysis of fusion reads. Others stay as they are.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "bridge/affine.h"
#include "ir/build.h"
#include "ir/op.h"
#include "ir/view.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/loops.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// memref.load and memref.store
//===----------------------------------------------------------------------===//

// The operand that is the memref: a store has the stored value before it.
static intptr_t memref_operand(MlirOperation access) {
  return stow_ir_is(access, STOW_MEMREF_STORE) || stow_ir_is(access, STOW_AFFINE_STORE);
}

static bool indices_are_affine(MlirOperation op) {
  for (intptr_t i = memref_operand(op) + 1, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!stow_taskflow_may_be_in_map(mlirOperationGetOperand(op, i), op))
      return false;
  return true;
}

static void raise_access(MlirOperation op) {
  bool store = stow_ir_is(op, STOW_MEMREF_STORE);
  intptr_t rank = mlirOperationGetNumOperands(op) - memref_operand(op) - 1;
  stow_op made =
      stow_op_begin(store ? STOW_AFFINE_STORE : STOW_AFFINE_LOAD, mlirOperationGetLocation(op));
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    stow_op_operand(&made, mlirOperationGetOperand(op, i));
  if (!store)
    stow_op_result(&made, mlirValueGetType(stow_taskflow_result(op)));
  stow_op_attribute(&made, "map",
                    mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(made.context, rank)));
  MlirOperation raised = stow_op_end(&made);
  stow_ir_insert_before(op, raised);
  stow_bridge_affine_compose_access(raised);
  if (!store)
    mlirValueReplaceAllUsesOfWith(stow_taskflow_result(op), stow_taskflow_result(raised));
  mlirOperationDestroy(op);
}

// Hints such as `nontemporal` would be lost: such an op stays.
static bool is_plain(MlirOperation op) {
  MlirAttribute hint = stow_attribute_of(op, "nontemporal");
  return mlirAttributeIsNull(hint) || !mlirBoolAttrGetValue(hint);
}

//===----------------------------------------------------------------------===//
// Accesses to views
//===----------------------------------------------------------------------===//

// The index into a view's source, from the index into the view. Null where it is not known.
static MlirAffineMap index_under(MlirOperation view, MlirAffineMap index) {
  const MlirAffineMap unknown = {NULL};
  stow_view read;
  if (!stow_view_read(view, &read) || read.form == STOW_VIEW_MOVED || read.regroups ||
      read.rank != read.source_rank)
    return unknown;
  const MlirAffineMap step = stow_view_map(view, &read);
  if (mlirAffineMapIsNull(step))
    return unknown;
  MlirAffineExpr results[STOW_VIEW_MOST_RANK]; // as they are written, for a mod stays one
  for (intptr_t i = 0; i < read.source_rank; ++i)
    results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(step, i), index);
  return mlirAffineMapGet(mlirOperationGetContext(view), mlirAffineMapGetNumDims(index),
                          mlirAffineMapGetNumSymbols(index), read.source_rank, results);
}

static void look_through_views(MlirOperation access) {
  intptr_t operand = memref_operand(access);
  for (;;) {
    MlirValue memref = mlirOperationGetOperand(access, operand);
    if (!stow_ir_is_view(memref))
      return;
    MlirOperation view = mlirOpResultGetOwner(memref);
    MlirValue source = mlirOperationGetOperand(view, 0);
    if (!mlirTypeIsAMemRef(mlirValueGetType(source)))
      return;
    MlirAffineMap under =
        index_under(view, mlirAffineMapAttrGetValue(stow_attribute_of(access, "map")));
    if (mlirAffineMapIsNull(under))
      return;
    mlirOperationSetOperand(access, operand, source);
    mlirOperationSetAttributeByName(access, stow_ir_string("map"), mlirAffineMapAttrGet(under));
  }
}

void stow_taskflow_raise_accesses(MlirOperation root) {
  STOW_EACH_FOUND(op, stow_ir_ops_in(root, NULL)) {
    if (stow_taskflow_is_access(op))
      look_through_views(op);
    else if ((stow_ir_is(op, STOW_MEMREF_LOAD) || stow_ir_is(op, STOW_MEMREF_STORE)) &&
             is_plain(op) && indices_are_affine(op))
      raise_access(op);
  }
}

//===----------------------------------------------------------------------===//
// memref.copy
//===----------------------------------------------------------------------===//

static bool can_raise_copy(MlirOperation copy) {
  MlirValue source = mlirOperationGetOperand(copy, 0), target = mlirOperationGetOperand(copy, 1);
  return mlirTypeIsAMemRef(mlirValueGetType(source)) &&
         mlirTypeIsAMemRef(mlirValueGetType(target)) &&
         mlirShapedTypeGetRank(mlirValueGetType(source)) > 0 &&
         !stow_ir_may_alias(stow_ir_root_of(source), stow_ir_root_of(target), false);
}

// A nest over all cells before the copy; returns the innermost terminator.
static MlirOperation build_nest(MlirOperation copy, intptr_t rank, MlirValue *out_indices) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(copy, 0));
  MlirValue *sizes = stow_ir_allocate((size_t)rank, sizeof *sizes);
  MlirOperation before = copy;
  const stow_builder builder = stow_builder_before(copy, mlirOperationGetLocation(copy));
  for (intptr_t i = 0; i < rank; ++i)
    if (mlirShapedTypeIsDynamicDim(type, i))
      sizes[i] = stow_ir_build_dim(&builder, mlirOperationGetOperand(copy, 0), i);
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t constant = mlirValueIsNull(sizes[i]) ? mlirShapedTypeGetDimSize(type, i) : 0;
    MlirOperation loop = stow_taskflow_build_counting_loop(before, mlirOperationGetLocation(copy),
                                                           sizes[i], constant);
    out_indices[i] = stow_taskflow_loop_variable(loop);
    before = mlirBlockGetTerminator(stow_taskflow_loop_body(loop));
  }
  free(sizes);
  return before;
}

static void raise_copy(MlirOperation copy) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(copy, 0));
  const intptr_t rank = mlirShapedTypeGetRank(type);
  MlirValue *operands = stow_ir_allocate((size_t)rank + 2, sizeof *operands);
  const MlirOperation before = build_nest(copy, rank, operands + 2);
  const stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(copy));
  operands[1] = mlirOperationGetOperand(copy, 0);
  operands[0] = stow_ir_build_value(&builder, STOW_MEMREF_LOAD, operands + 1, (size_t)rank + 1,
                                    mlirShapedTypeGetElementType(type));
  operands[1] = mlirOperationGetOperand(copy, 1);
  stow_ir_build_plain(&builder, STOW_MEMREF_STORE, operands, (size_t)rank + 2, (MlirType){NULL});
  free(operands);
  mlirOperationDestroy(copy);
}

void stow_taskflow_raise_copies(MlirBlock block) {
  STOW_EACH_OP_THAT_MAY_GO(op, block) {
    if (stow_ir_is(op, STOW_MEMREF_COPY) && can_raise_copy(op))
      raise_copy(op);
  }
}
