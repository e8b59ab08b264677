//===- memory.c - tensors in memory that was there before ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the memrefs that functions get as arguments for what they keep or deliver, the copies of
// tensors into them, and tensors with memory of their own.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "mlir-c/BuiltinTypes.h"

MlirType stow_model_memref_of(MlirLocation location, MlirType tensor) {
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  int64_t *const shape = stow_ir_allocate((size_t)rank, sizeof *shape);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeIsDynamicDim(tensor, i) ? mlirShapedTypeGetDynamicSize()
                                                     : mlirShapedTypeGetDimSize(tensor, i);
  const MlirType memref = mlirMemRefTypeContiguousGetChecked(
      location, mlirShapedTypeGetElementType(tensor), rank, shape, mlirAttributeGetNull());
  free(shape);
  return memref;
}

MlirValue stow_model_append_memory(MlirOperation function, MlirType memref, const char *mark,
                                   int64_t number) {
  const MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(function), 64);
  const MlirValue memory =
      stow_bridge_append_argument(function, memref, mlirOperationGetLocation(function));
  stow_bridge_set_argument_attribute(function, stow_bridge_function_argument_count(function) - 1,
                                     mark, mlirIntegerAttrGet(type, number));
  return memory;
}

static MlirValue read_only(const stow_builder *builder, MlirValue tensor, MlirType memref) {
  const stow_attribute attribute = {"read_only", mlirUnitAttrGet(builder->context)};
  return stow_ir_build_with(builder, STOW_BUFFERIZATION_TO_BUFFER, &tensor, 1, memref, attribute);
}

void stow_model_build_store(const stow_builder *builder, MlirValue tensor, MlirValue memory) {
  stow_ir_build_copy(builder, read_only(builder, tensor, mlirValueGetType(memory)), memory);
}

static bool is_delivery(MlirOperation op) {
  return stow_ir_is(op, STOW_BUFFERIZATION_MATERIALIZE_IN_DESTINATION) &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, 1))) &&
         mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

void stow_model_copy_deliveries(MlirOperation module) {
  STOW_EACH_FOUND(op, stow_ir_ops_in(module, is_delivery)) {
    const MlirLocation location = mlirOperationGetLocation(op);
    const MlirValue tensor = mlirOperationGetOperand(op, 0);
    const stow_builder builder = stow_builder_before(op, location);
    stow_ir_build_copy(
        &builder,
        read_only(&builder, tensor, stow_model_memref_of(location, mlirValueGetType(tensor))),
        mlirOperationGetOperand(op, 1));
    mlirOperationDestroy(op);
  }
}

static MlirValue alloc_tensor(const stow_builder *builder, const MlirValue *operands, int32_t sizes,
                              int32_t copies, MlirType type) {
  const int32_t segments[] = {sizes, copies, 0};
  const stow_attribute attribute = {"operandSegmentSizes",
                                    mlirDenseI32ArrayGet(builder->context, 3, segments)};
  return stow_ir_build_with(builder, STOW_BUFFERIZATION_ALLOC_TENSOR, operands,
                            (size_t)(sizes + copies), type, attribute);
}

MlirValue stow_model_build_own(const stow_builder *builder, MlirValue tensor) {
  return alloc_tensor(builder, &tensor, 0, 1, mlirValueGetType(tensor));
}

MlirValue stow_model_build_unwritten(const stow_builder *builder, const MlirValue *sizes,
                                     size_t count, MlirType type) {
  return alloc_tensor(builder, sizes, (int32_t)count, 0, type);
}
