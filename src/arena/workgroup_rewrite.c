//===- workgroup_rewrite.c - one attribution of bytes, a view per buffer --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributions of a kernel are counted in one attribute and, in a gpu.func, have a
// dictionary each in another, in their order. Both change with the arguments of the body.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static MlirAttribute number(MlirContext context, uint64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), (int64_t)value);
}

static MlirAttribute alignment_attributes(MlirContext context, uint64_t alignment) {
  MlirNamedAttribute align = mlirNamedAttributeGet(
      mlirIdentifierGet(context, stow_ir_string("llvm.align")), number(context, alignment));
  return mlirDictionaryAttrGet(context, 1, &align);
}

static MlirAttribute dictionary_at(MlirOperation kernel, size_t index) {
  MlirAttribute all = stow_attribute_of(kernel, "workgroup_attrib_attrs");
  if (mlirAttributeIsNull(all) || (intptr_t)index >= mlirArrayAttrGetNumElements(all))
    return mlirDictionaryAttrGet(mlirOperationGetContext(kernel), 0, NULL);
  return mlirArrayAttrGetElement(all, (intptr_t)index);
}

static void set_attributions(MlirOperation kernel, const MlirAttribute *dictionaries,
                             size_t count) {
  MlirContext context = mlirOperationGetContext(kernel);
  if (stow_ir_is(kernel, STOW_GPU_FUNC))
    mlirOperationSetInherentAttributeByName(
        kernel, stow_ir_string("workgroup_attrib_attrs"),
        mlirArrayAttrGet(context, (intptr_t)count, dictionaries));
  mlirOperationSetDiscardableAttributeByName(kernel, stow_ir_string("workgroup_attributions"),
                                             number(context, count));
}

MlirValue stow_arena_insert_attribution(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_scope *scope = stow_arena_scope(arenas, arena);
  const size_t count = stow_attribution_count(scope->op);
  MlirLocation location = mlirOperationGetLocation(scope->op);
  MlirBlock entry = mlirRegionGetFirstBlock(scope->region);
  stow_builder builder = stow_builder_before(mlirBlockGetFirstOperation(entry), location);
  MlirType type =
      stow_ir_bytes_type(&builder, stow_arena_workgroup_bytes(arenas, arena), arena->memory_space);
  MlirAttribute *all = stow_ir_allocate(count + 1, sizeof *all);
  all[0] = alignment_attributes(builder.context, stow_arena_alignment(arena));
  for (size_t i = 0; i < count; ++i)
    all[i + 1] = dictionary_at(scope->op, i);
  set_attributions(scope->op, all, count + 1);
  free(all);
  return mlirBlockInsertArgument(entry, stow_arena_first_attribution(scope->op), type, location);
}

MlirValue stow_arena_build_start(const stow_builder *builder, const stow_arenas *arenas,
                                 const stow_arena *arena, MlirValue bytes) {
  const uint64_t padding = stow_arena_workgroup_bytes(arenas, arena) - arena->plan.arena_size;
  if (padding == 0)
    return (MlirValue){NULL};
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirValue zero = stow_ir_build_number(builder, index, 0);
  MlirValue pointer = stow_ir_build_value(builder, STOW_MEMREF_POINTER, &bytes, 1, index);
  MlirValue mask = stow_ir_build_number(builder, index, (int64_t)padding);
  return stow_ir_build_binary(builder, STOW_ARITH_ANDI,
                              stow_ir_build_binary(builder, STOW_ARITH_SUBI, zero, pointer), mask);
}

// The planned members ascend.
MlirOperation *stow_arena_homes_of(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_attributions *all = &arenas->shared[arena->function];
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  MlirOperation *homes = stow_ir_allocate(arena->planned_count, sizeof *homes);
  const stow_column planned = STOW_NUMBERS(arena->planned, arena->planned_count);
  for (size_t i = 0; i < all->count; ++i) {
    const size_t member = stow_attribution_member(function, all, i);
    const size_t at = stow_ir_first_from(planned, (int64_t)member);
    if (at < arena->planned_count && arena->planned[at] == member)
      homes[at] = all->at[i].home;
  }
  return homes;
}

// Last to first, so that the indices of the others stay.
void stow_arena_erase_attributions(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_scope *scope = stow_arena_scope(arenas, arena);
  const intptr_t first = stow_arena_first_attribution(scope->op);
  size_t count = stow_attribution_count(scope->op), kept = 0;
  MlirBlock entry = mlirRegionGetFirstBlock(scope->region);
  bool *gone = stow_ir_allocate(count, sizeof *gone);
  for (size_t i = arena->planned_count; i-- > 0;) {
    MlirValue value = stow_arena_value(arenas, arena, arena->planned[i]);
    if (!mlirValueIsABlockArgument(value))
      continue; // it goes with the allocs of the function
    intptr_t argument = mlirBlockArgumentGetArgNumber(value);
    gone[argument - first] = true;
    mlirBlockEraseArgument(entry, (unsigned)argument);
  }
  MlirAttribute *all = stow_ir_allocate(count, sizeof *all);
  for (size_t i = 0; i < count; ++i)
    if (!gone[i])
      all[kept++] = dictionary_at(scope->op, i);
  set_attributions(scope->op, all, kept);
  free(all);
  free(gone);
}
