//===- workgroup_rewrite.c - one attribution of bytes, a view per buffer ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires plans that hold. The merged attributions come before the others; the views
// stand at the beginning of the body.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"
#include "ir/build.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static MlirStringRef text(const char *string) { return mlirStringRefCreateFromCString(string); }

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static MlirAttribute number(MlirContext context, uint64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), (int64_t)value);
}

static MlirAttribute alignment_attributes(MlirContext context, uint64_t alignment) {
  MlirNamedAttribute align = mlirNamedAttributeGet(mlirIdentifierGet(context, text("llvm.align")),
                                                   number(context, alignment));
  return mlirDictionaryAttrGet(context, 1, &align);
}

static size_t left_alone(const stow_kernel *kernel) {
  size_t count = 0;
  for (size_t i = 0; i < kernel->count; ++i)
    count += kernel->attributions[i].reason != STOW_PLANNED;
  return count;
}

// One dictionary per attribution, in their new order.
static void set_attributes(const stow_kernel *kernel) {
  MlirContext context = mlirOperationGetContext(kernel->op);
  MlirAttribute old = mlirOperationGetAttributeByName(kernel->op, text("workgroup_attrib_attrs"));
  size_t count = 0;
  MlirAttribute *all = stow_allocate(kernel->merged_count + left_alone(kernel), sizeof *all);
  for (size_t m = 0; m < kernel->merged_count; ++m)
    all[count++] = alignment_attributes(context, kernel->merged[m].alignment);
  for (size_t i = 0; i < kernel->count; ++i) {
    bool has = !mlirAttributeIsNull(old) && (intptr_t)i < mlirArrayAttrGetNumElements(old);
    if (kernel->attributions[i].reason != STOW_PLANNED)
      all[count++] =
          has ? mlirArrayAttrGetElement(old, (intptr_t)i) : mlirDictionaryAttrGet(context, 0, NULL);
  }
  mlirOperationSetInherentAttributeByName(kernel->op, text("workgroup_attrib_attrs"),
                                          mlirArrayAttrGet(context, (intptr_t)count, all));
  free(all);
}

static void set_count(const stow_kernel *kernel) {
  MlirContext context = mlirOperationGetContext(kernel->op);
  mlirOperationSetDiscardableAttributeByName(
      kernel->op, text("workgroup_attributions"),
      number(context, kernel->merged_count + left_alone(kernel)));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// How many bytes to skip to the first that is aligned: a number, or null for none.
static MlirValue build_start(const stow_builder *builder, const stow_merged *merged,
                             MlirValue bytes) {
  if (merged->padding == 0)
    return (MlirValue){NULL};
  MlirType index = mlirIndexTypeGet(builder->context);
  const stow_op_parts address = {
      .kind = STOW_MEMREF_POINTER, .operands = &bytes, .operand_count = 1, .result = index};
  MlirValue zero = stow_build_number(builder, index, 0);
  MlirValue pointer = mlirOperationGetResult(stow_build_op(builder, &address), 0);
  MlirValue mask = stow_build_number(builder, index, (int64_t)merged->padding);
  return stow_build_binary(builder, STOW_ARITH_ANDI,
                           stow_build_binary(builder, STOW_ARITH_SUBI, zero, pointer), mask);
}

static void replace_attributions(const stow_kernel *kernel, const stow_builder *builder,
                                 const stow_merged *merged, MlirValue bytes) {
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirValue start = build_start(builder, merged, bytes);
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (a->reason != STOW_PLANNED || !mlirAttributeEqual(a->space, merged->space))
      continue;
    stow_builder here = *builder;
    here.location = mlirValueGetLocation(a->value);
    MlirValue offset = stow_build_number(&here, index, (int64_t)a->offset);
    if (!mlirValueIsNull(start))
      offset = stow_build_binary(&here, STOW_ARITH_ADDI, start, offset);
    MlirValue view = stow_build_view(&here, bytes, offset, mlirValueGetType(a->value));
    mlirValueReplaceAllUsesOfWith(a->value, view);
  }
}

static void erase_attributions(const stow_kernel *kernel, MlirBlock entry) {
  for (size_t i = kernel->count; i-- > 0;)
    if (kernel->attributions[i].reason == STOW_PLANNED)
      mlirBlockEraseArgument(
          entry, (unsigned)(kernel->attributions[i].argument + (intptr_t)kernel->merged_count));
}

static void rewrite_kernel(const stow_kernel *kernel) {
  MlirBlock entry = mlirRegionGetFirstBlock(kernel->body);
  MlirLocation location = mlirOperationGetLocation(kernel->op);
  stow_builder builder = stow_builder_before(mlirBlockGetFirstOperation(entry), location);
  for (size_t m = 0; m < kernel->merged_count; ++m) {
    const stow_merged *merged = &kernel->merged[m];
    MlirValue bytes =
        mlirBlockInsertArgument(entry, kernel->first_attribution + (intptr_t)m,
                                stow_bytes_type(&builder, merged->size, merged->space), location);
    replace_attributions(kernel, &builder, merged, bytes);
  }
  erase_attributions(kernel, entry);
  if (stow_is(kernel->op, STOW_GPU_FUNC))
    set_attributes(kernel);
  set_count(kernel);
}

void stow_rewrite_workgroups(const stow_arenas *arenas) {
  for (size_t k = 0; k < arenas->kernels.count; ++k)
    if (arenas->kernels.at[k].merged_count > 0)
      rewrite_kernel(&arenas->kernels.at[k]);
}
