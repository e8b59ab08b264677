//===- to_llvm.c - markers on an llvm.alloca become LLVM's own ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires finalize-memref-to-llvm. A marker's alloca is an llvm.alloca by then, behind
// insertvalue ops that build a descriptor and a cast to a memref. The intrinsics take nothing but
// the alloca itself, so it is looked for through these ops.
//
// To LLVM, an alloca with markers is dead wherever they do not say that it is alive. If the
// alloca of a marker from `prepare` is not found (merged blocks select between two, or
// pass one as an argument), some other alloca of the function now lacks that marker. All markers
// of the function are erased then.
//
//===----------------------------------------------------------------------===//

#include "lifetime/markers.h"
#include "stowage/passes.h"

#include "bridge/bridge.h"
#include "ir/support.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

enum { ALIGNED_POINTER = 1 }; // its place in a memref descriptor

static MlirValue operand_of(MlirValue value, intptr_t operand) {
  return mlirOperationGetOperand(mlirOpResultGetOwner(value), operand);
}

static bool inserts_pointer(MlirOperation insert) {
  MlirAttribute position = stow_attribute_of(insert, "position");
  return mlirDenseArrayGetNumElements(position) == 1 &&
         mlirDenseI64ArrayGetElement(position, 0) == ALIGNED_POINTER;
}

// The llvm.alloca behind a memref, or a null value.
static MlirValue alloca_behind(MlirValue memref) {
  const MlirValue none = {NULL};
  if (!stow_ir_is_result_of(memref, STOW_BUILTIN_CAST))
    return none;
  MlirValue descriptor = operand_of(memref, 0);
  while (stow_ir_is_result_of(descriptor, STOW_LLVM_INSERTVALUE) &&
         !inserts_pointer(mlirOpResultGetOwner(descriptor)))
    descriptor = operand_of(descriptor, 0);
  if (!stow_ir_is_result_of(descriptor, STOW_LLVM_INSERTVALUE))
    return none;
  MlirValue pointer = operand_of(descriptor, 1);
  if (stow_ir_is_result_of(pointer, STOW_LLVM_ADDRSPACECAST))
    pointer = operand_of(pointer, 0);
  return stow_ir_is_result_of(pointer, STOW_LLVM_ALLOCA) ? pointer : none;
}

static bool is_whole(MlirOperation marker) { return stow_ir_has_attribute(marker, "whole"); }

static bool comes_too_early(MlirOperation marker) {
  if (!is_whole(marker) ||
      !stow_ir_is_result_of(mlirOperationGetOperand(marker, 0), STOW_MEMREF_ALLOCA))
    return false;
  stow_bridge_error(mlirOperationGetLocation(marker),
                    "convert-lifetime-to-llvm: its buffer is still a memref.alloca; run "
                    "finalize-memref-to-llvm first",
                    NULL, 0);
  return true;
}

// The op right below `module` that holds a marker.
static MlirOperation function_around(MlirOperation marker, MlirOperation module) {
  MlirOperation op = marker, parent = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(parent) && !mlirOperationEqual(parent, module)) {
    op = parent;
    parent = mlirOperationGetParentOperation(op);
  }
  return op;
}

// The functions in which a marker has lost its alloca.
static stow_map find_lossy(MlirOperation module, const stow_op_list *markers) {
  stow_map lossy = {0};
  for (size_t i = 0; i < markers->count; ++i) {
    MlirOperation marker = markers->at[i], function = function_around(marker, module);
    if (is_whole(marker) && mlirValueIsNull(alloca_behind(mlirOperationGetOperand(marker, 0))))
      stow_map_note(&lossy, function.ptr);
  }
  return lossy;
}

static void convert(MlirOperation marker) {
  MlirValue pointer = alloca_behind(mlirOperationGetOperand(marker, 0));
  stow_builder builder = stow_builder_before(marker, mlirOperationGetLocation(marker));
  stow_ir_build_plain(&builder,
                      stow_ir_is_start(marker) ? STOW_LLVM_INTR_LIFETIME_START
                                               : STOW_LLVM_INTR_LIFETIME_END,
                      &pointer, 1, (MlirType){NULL});
}

static void convert_all(MlirOperation module, const stow_op_list *markers) {
  for (size_t i = 0; i < markers->count; ++i)
    stow_ir_forward_operand(markers->at[i]);
  stow_map lossy = find_lossy(module, markers);
  STOW_EACH_ITEM(MlirOperation, marker, *markers) {
    if (is_whole(marker) && stow_map_get(&lossy, function_around(marker, module).ptr) < 0)
      convert(marker);
    mlirOperationDestroy(marker);
  }
  stow_map_free(&lossy);
}

bool stow_convert_lifetimes_to_llvm(MlirOperation module) {
  stow_op_list markers = stow_ir_ops_in(module, stow_ir_is_marker);
  bool early = false;
  for (size_t i = 0; i < markers.count; ++i)
    early |= comes_too_early(markers.at[i]);
  if (!early)
    convert_all(module, &markers);
  free(markers.at);
  return !early;
}
