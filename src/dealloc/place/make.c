//===- make.c - the ops that ownership needs ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders of what ir/build.h does not have: bits in memory, base addresses, choices of an scf.if,
// and blocks on edges. What frees by a bit is marked, so that another run recognizes it.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/make.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

static MlirOperation insert(const stow_builder *builder, MlirOperationState *state) {
  MlirOperation op = mlirOperationCreate(state);
  stow_ir_insert_before(builder->before, op);
  return op;
}

void stow_dealloc_mark_by_bit(MlirOperation op) {
  assert(stow_dealloc_can_be_by_bit(op) && "a mark that another run does not read");
  stow_ir_set_unit(op, STOW_BY_BIT);
}

MlirValue stow_dealloc_make_base(const stow_builder *builder, MlirValue memref) {
  MlirOperationState state = mlirOperationStateGet(
      stow_ir_string(stow_ir_kind_name(STOW_MEMREF_EXTRACT_METADATA)), builder->location);
  mlirOperationStateAddOperands(&state, 1, &memref);
  mlirOperationStateEnableResultTypeInference(&state);
  return mlirOperationGetResult(insert(builder, &state), 0);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static MlirType bit_type(const stow_builder *builder) {
  return mlirIntegerTypeGet(builder->context, 1);
}

MlirValue stow_dealloc_make_bit(const stow_builder *builder, bool on_stack) {
  MlirType type = mlirMemRefTypeContiguousGet(bit_type(builder), 0, NULL, mlirAttributeGetNull());
  return on_stack ? stow_ir_build_alloca(builder, type, 0) : stow_ir_build_alloc(builder, type, 0);
}

void stow_dealloc_make_set(const stow_builder *builder, MlirValue memory, MlirValue bit) {
  const MlirValue operands[] = {bit, memory};
  stow_ir_build_plain(builder, STOW_MEMREF_STORE, operands, 2, (MlirType){NULL});
}

MlirValue stow_dealloc_make_get(const stow_builder *builder, MlirValue memory) {
  return stow_ir_build_value(builder, STOW_MEMREF_LOAD, &memory, 1, bit_type(builder));
}

MlirValue stow_dealloc_make_constant(const stow_builder *builder, bool bit) {
  return stow_ir_build_number(builder, bit_type(builder), bit);
}

MlirValue stow_dealloc_make_address(const stow_builder *builder, MlirValue memref) {
  MlirValue base = stow_dealloc_make_base(builder, memref);
  MlirValue address = stow_ir_build_value(builder, STOW_MEMREF_POINTER, &base, 1,
                                          mlirIndexTypeGet(builder->context));
  stow_dealloc_mark_by_bit(mlirOpResultGetOwner(address));
  return address;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static MlirBlock yielding_block(const stow_builder *builder, const MlirValue *values,
                                intptr_t count) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(STOW_SCF_YIELD)), builder->location);
  mlirOperationStateAddOperands(&state, count, values);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&state));
  return block;
}

MlirOperation stow_dealloc_make_choice(const stow_builder *builder, MlirValue condition,
                                       const MlirValue *chosen, const MlirValue *other,
                                       intptr_t count) {
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(STOW_SCF_IF)), builder->location);
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirRegionAppendOwnedBlock(regions[0], yielding_block(builder, chosen, count));
  mlirRegionAppendOwnedBlock(regions[1], yielding_block(builder, other, count));
  mlirOperationStateAddOperands(&state, 1, &condition);
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(chosen[i]);
    mlirOperationStateAddResults(&state, 1, &type);
  }
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  return insert(builder, &state);
}

static MlirBlock block_like(MlirLocation location, MlirBlock like) {
  size_t count = (size_t)mlirBlockGetNumArguments(like);
  MlirType *types = stow_ir_allocate(count, sizeof *types);
  MlirLocation *locations = stow_ir_allocate(count, sizeof *locations);
  for (size_t i = 0; i < count; ++i) {
    types[i] = mlirValueGetType(mlirBlockGetArgument(like, (intptr_t)i));
    locations[i] = location;
  }
  MlirBlock block = mlirBlockCreate((intptr_t)count, types, locations);
  free(types);
  free(locations);
  return block;
}

MlirBlock stow_dealloc_make_detour(MlirLocation location, MlirBlock to) {
  MlirBlock block = block_like(location, to);
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(STOW_CF_BR)), location);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    mlirOperationStateAddOperands(&state, 1, &argument);
  }
  mlirOperationStateAddSuccessors(&state, 1, &to);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&state));
  return block;
}

MlirBlock stow_dealloc_make_block_with(MlirLocation location, stow_op_kind terminator) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(terminator)), location);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&state));
  return block;
}
