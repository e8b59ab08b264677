//===- place.c - buffers in another memory --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fit/memories.h"

#include "bridge/bridge.h"
#include "ir/build.h"
#include "ir/op.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Whether an op that makes a view of its first operand takes the memory space from it.
static bool passes_space_on(MlirOperation op) {
  return (stow_op_traits(op) & STOW_VIEWS) && !stow_is(op, STOW_MEMREF_MEMORY_SPACE_CAST) &&
         mlirOperationGetNumResults(op) == 1 &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// Whether the use asks nothing of the memory space of what it uses, which it does not store.
static bool takes_any_space(MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  const unsigned at = mlirOpOperandGetOperandNumber(use);
  const uint32_t traits = stow_op_traits(op);
  if (stow_is(op, STOW_MEMREF_STORE) || stow_is(op, STOW_AFFINE_STORE))
    return at == 1;
  return (traits & (STOW_ANY_STRIDES | STOW_UNIT_STRIDE | STOW_DEALLOCATES)) ||
         ((traits & STOW_TELLS_SHAPE) && !stow_gives_buffer(op));
}

bool stow_may_change_space(MlirValue buffer) {
  STOW_EACH_USE(use, buffer) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const bool views = mlirOpOperandGetOperandNumber(use) == 0 && passes_space_on(op);
    if (views ? !stow_may_change_space(mlirOperationGetResult(op, 0)) : !takes_any_space(use))
      return false;
  }
  return true;
}

static MlirType with_space(MlirType memref, MlirAttribute space) {
  const intptr_t rank = mlirShapedTypeGetRank(memref);
  int64_t *shape = stow_allocate((size_t)rank, sizeof *shape);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(memref, i);
  const MlirType type = mlirMemRefTypeGet(mlirShapedTypeGetElementType(memref), rank, shape,
                                          mlirMemRefTypeGetLayout(memref), space);
  free(shape);
  return type;
}

static void set_space(MlirValue buffer, MlirAttribute space) {
  mlirValueSetType(buffer, with_space(mlirValueGetType(buffer), space));
  STOW_EACH_USE(use, buffer)
    if (stow_op_traits(mlirOpOperandGetOwner(use)) & STOW_VIEWS)
      set_space(mlirOperationGetResult(mlirOpOperandGetOwner(use), 0), space);
}

static uint64_t alignment_of(MlirOperation alloc) {
  const MlirAttribute given = stow_op_alignment(alloc);
  return mlirAttributeIsNull(given) ? 1 : (uint64_t)mlirIntegerAttrGetValueInt(given);
}

void stow_move_to(MlirValue buffer, const stow_machine_memory *memory) {
  MlirOperation alloc = mlirOpResultGetOwner(buffer);
  assert(stow_is_plain_alloc(alloc) && stow_may_change_space(buffer));
  set_space(buffer, memory->space);
  if (memory->alignment > alignment_of(alloc))
    stow_set_alignment(alloc, memory->alignment);
}

//===----------------------------------------------------------------------===//
// Address spaces
//===----------------------------------------------------------------------===//

// The number of a memory whose name the space is, without one for 0; any other as it is.
static MlirAttribute number_of(const void *machine, MlirAttribute space) {
  const stow_machine *all = machine;
  STOW_EACH(const stow_machine_memory, memory, all->all)
    if (!mlirAttributeIsNull(memory->space) && mlirAttributeEqual(memory->space, space))
      return memory->number == 0
                 ? (MlirAttribute){NULL}
                 : mlirIntegerAttrGet(mlirIntegerTypeGet(mlirAttributeGetContext(space), 64),
                                      (int64_t)memory->number);
  return space;
}

bool stow_lower_memory_spaces(MlirOperation module) {
  stow_machine machine;
  const bool ok = stow_machine_read(module, NULL, &machine);
  if (ok && machine.all.count > 0) {
    stow_replace_memory_spaces(module, number_of, &machine);
    mlirOperationRemoveAttributeByName(module, stow_string(STOW_MEMORIES));
  }
  stow_machine_free(&machine);
  return ok;
}
