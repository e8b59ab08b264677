//===- place.c - buffers in another memory --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a buffer that the program itself allocates. Says whether all its uses and views allow
// another memory (machine.h), moves it there by its type, and keeps the alignment that it had. Also
// lowers the names of memories to the numbers of address spaces.
//
//===----------------------------------------------------------------------===//

#include "fit/place.h"

#include "bridge/bridge.h"
#include "ir/build.h"
#include "ir/op.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

#define OWN_ALIGNMENT "stowage.own_alignment"

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Whether a view takes the memory space from what it is of.
static bool passes_space_on(MlirOperation op) {
  return stow_view_form_of(op) != STOW_VIEW_MOVED &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// Whether the use asks nothing of the memory space of what it uses, which it does not store.
static bool takes_any_space(MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  const unsigned at = mlirOpOperandGetOperandNumber(use);
  const stow_traits traits = stow_ir_op_traits(op);
  if (stow_ir_is(op, STOW_MEMREF_STORE) || stow_ir_is(op, STOW_AFFINE_STORE))
    return at == 1;
  return (traits & (STOW_ANY_STRIDES | STOW_UNIT_STRIDE | STOW_DEALLOCATES)) ||
         ((traits & STOW_TELLS_SHAPE) && !stow_ir_gives_buffer(op));
}

bool stow_fit_may_be_in(MlirValue buffer, const stow_machine_memory *memory) {
  STOW_EACH_USE_OF_NAMES(use, buffer)
    if (!(stow_ir_makes_view(use) ? passes_space_on(mlirOpOperandGetOwner(use))
                                  : takes_any_space(use) && stow_machine_lets(memory, use)))
      return false;
  return true;
}

static MlirType with_space(MlirType memref, MlirAttribute space) {
  const intptr_t rank = mlirShapedTypeGetRank(memref);
  int64_t *shape = stow_ir_allocate((size_t)rank, sizeof *shape);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(memref, i);
  const MlirType type = mlirMemRefTypeGet(mlirShapedTypeGetElementType(memref), rank, shape,
                                          mlirMemRefTypeGetLayout(memref), space);
  free(shape);
  return type;
}

static void set_space(MlirValue buffer, MlirAttribute space) {
  mlirValueSetType(buffer, with_space(mlirValueGetType(buffer), space));
  STOW_EACH_USE_OF_NAMES(use, buffer)
    if (stow_ir_makes_view(use)) {
      const MlirValue view = mlirOperationGetResult(mlirOpOperandGetOwner(use), 0);
      assert(passes_space_on(mlirOpOperandGetOwner(use)));
      mlirValueSetType(view, with_space(mlirValueGetType(view), space));
    }
}

uint64_t stow_fit_own_alignment(MlirOperation alloc) {
  const MlirAttribute kept = stow_attribute_of(alloc, OWN_ALIGNMENT);
  return mlirAttributeIsNull(kept) ? stow_ir_alignment_attribute(alloc)
                                   : (uint64_t)mlirIntegerAttrGetValueInt(kept);
}

void stow_fit_align_in(MlirOperation alloc, const stow_machine_memory *memory) {
  const uint64_t own = stow_fit_own_alignment(alloc);
  const bool more = memory->alignment > stow_ir_larger(own, 1);
  if (!more && !stow_ir_has_attribute(alloc, OWN_ALIGNMENT))
    return;
  stow_ir_set_number(alloc, OWN_ALIGNMENT, (int64_t)own);
  if (more || own > 0)
    stow_ir_set_alignment(alloc, more ? memory->alignment : own);
  else
    mlirOperationRemoveAttributeByName(alloc, stow_ir_string("alignment"));
}

void stow_fit_forget_alignments(MlirOperation function) {
  STOW_EACH_OP_OF(op, function) {
    mlirOperationRemoveAttributeByName(op, stow_ir_string(OWN_ALIGNMENT));
    mlirOperationRemoveAttributeByName(op, stow_ir_string(STOW_ASSUMED_ALIGNMENT));
  }
}

void stow_fit_move_to(MlirValue buffer, const stow_machine_memory *memory) {
  MlirOperation alloc = mlirOpResultGetOwner(buffer);
  assert(stow_ir_is_plain_alloc(alloc) && stow_fit_may_be_in(buffer, memory));
  set_space(buffer, memory->space);
  stow_fit_align_in(alloc, memory);
}

void stow_fit_replace_buffer(MlirValue buffer, MlirValue by) {
  set_space(buffer, stow_ir_memory_space(mlirValueGetType(by)));
  mlirValueReplaceAllUsesOfWith(buffer, by);
}

void stow_fit_name_buffer(MlirOperation alloc, const char *maker, const char *why) {
  MlirLocation location = mlirOperationGetLocation(alloc);
  char *layer = stow_ir_location_name(location);
  char *name = stow_ir_format("%s %s", *layer ? layer : maker, why);
  mlirOperationSetLocation(
      alloc, mlirLocationNameGet(mlirOperationGetContext(alloc), stow_ir_string(name), location));
  free(layer);
  free(name);
}

//===----------------------------------------------------------------------===//
// Address spaces
//===----------------------------------------------------------------------===//

// The number of a memory whose name the space is, without one for 0; any other as it is.
static MlirAttribute number_of(const void *machine, MlirAttribute space) {
  const stow_machine_memory *memory = stow_machine_memory_of(machine, space);
  if (!memory)
    return space;
  return memory->number == 0
             ? (MlirAttribute){NULL}
             : mlirIntegerAttrGet(mlirIntegerTypeGet(mlirAttributeGetContext(space), 64),
                                  (int64_t)memory->number);
}

static MlirAttribute without_default(const void *machine, MlirAttribute space) {
  const stow_machine_memory *memory = stow_machine_memory_of(machine, space);
  return memory ? memory->space : space;
}

void stow_fit_drop_default_name(MlirOperation module, const stow_machine *machine) {
  stow_bridge_replace_memory_spaces(module, without_default, machine);
}

bool stow_lower_memory_spaces(MlirOperation module) {
  stow_machine machine;
  const bool ok = stow_machine_read(module, NULL, &machine);
  if (ok && machine.all.count > 0) {
    stow_bridge_replace_memory_spaces(module, number_of, &machine);
    mlirOperationRemoveAttributeByName(module, stow_ir_string(STOW_MEMORIES));
  }
  stow_machine_free(&machine);
  return ok;
}
