//===- markers.c - lifetime.start and lifetime.end, read and made ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes both markers, and the poison that a life can begin and end with: a pattern set through the
// memref's pointer, as its elements may be of any type with plain bytes.
//
//===----------------------------------------------------------------------===//

#include "lifetime/markers.h"
#include "bridge/bridge.h"
#include "lifetime/touches.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

MlirValue stow_lifetime_marked_value(MlirOperation marker) {
  return mlirOperationGetNumResults(marker) > 0 ? mlirOperationGetResult(marker, 0)
                                                : mlirOperationGetOperand(marker, 0);
}

MlirOperation stow_lifetime_build_start(const stow_builder *builder, MlirValue buffer) {
  return stow_ir_build_plain(builder, STOW_LIFETIME_START, &buffer, 1, (MlirType){NULL});
}

MlirOperation stow_lifetime_build_end(const stow_builder *builder, MlirValue live) {
  return stow_ir_build_plain(builder, STOW_LIFETIME_END, &live, 1, (MlirType){NULL});
}

MlirValue stow_lifetime_build_live(const stow_builder *builder, MlirValue buffer) {
  return stow_ir_build_value(builder, STOW_LIFETIME_START, &buffer, 1, mlirValueGetType(buffer));
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//
//
// The bytes are set through the memref's pointer, whatever its element type.

// As an f32 a number no one computes, as an index far out of bounds.
enum { POISON = 0xA5 };

static bool has_plain_bytes(MlirType type) {
  return mlirTypeIsAMemRef(type) && stow_bridge_memref_has_identity_layout(type) &&
         mlirAttributeIsNull(stow_ir_memory_space(type));
}

static MlirValue build_size(const stow_builder *builder, MlirValue memref, int64_t element) {
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirType type = mlirValueGetType(memref);
  MlirValue size = stow_ir_build_number(builder, index, element);
  for (intptr_t i = 0, n = mlirShapedTypeGetRank(type); i < n; ++i)
    size =
        stow_ir_build_binary(builder, STOW_ARITH_MULI, size, stow_ir_build_dim(builder, memref, i));
  return size;
}

static MlirValue build_cast(const stow_builder *builder, MlirValue index) {
  return stow_ir_build_value(builder, STOW_ARITH_INDEX_CAST, &index, 1,
                             mlirIntegerTypeGet(builder->context, 64));
}

static MlirValue build_pointer(const stow_builder *builder, MlirValue memref) {
  MlirType pointer = mlirTypeParseGet(builder->context, stow_ir_string("!llvm.ptr"));
  MlirValue address = stow_ir_build_value(builder, STOW_MEMREF_POINTER, &memref, 1,
                                          mlirIndexTypeGet(builder->context));
  MlirValue number = build_cast(builder, address);
  return stow_ir_build_value(builder, STOW_LLVM_INTTOPTR, &number, 1, pointer);
}

void stow_lifetime_build_poison(const stow_builder *builder, const stow_layout *layout,
                                MlirValue memref) {
  int64_t element;
  MlirType type = mlirValueGetType(memref);
  if (!has_plain_bytes(type) || !stow_ir_element_bytes(layout, type, &element))
    return;
  MlirType byte = mlirIntegerTypeGet(builder->context, 8);
  const stow_attribute is_volatile = {"isVolatile", mlirBoolAttrGet(builder->context, false)};
  MlirValue pointer = build_pointer(builder, memref);
  MlirValue pattern = stow_ir_build_number(builder, byte, (int8_t)POISON);
  const MlirValue operands[] = {pointer, pattern,
                                build_cast(builder, build_size(builder, memref, element))};
  const stow_op_parts memset = {.kind = STOW_LLVM_INTR_MEMSET,
                                .operands = operands,
                                .operand_count = 3,
                                .attributes = &is_volatile,
                                .attribute_count = 1};
  stow_ir_build_op(builder, &memset);
}
