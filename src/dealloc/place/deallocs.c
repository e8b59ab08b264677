//===- deallocs.c - deallocs of owners ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an owner, and the op before which it ends. Makes the op that frees it, of the dialect
// that made it; of a conditional owner under its bit. A device's memory is freed behind waits of
// the host.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"

// A device's buffer is freed behind waits of the host for all work that uses it.
static MlirOperation make_device_dealloc(MlirOperation alloc, MlirOperation before) {
  const stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  const MlirValue memory = mlirOperationGetResult(alloc, 0), token = stow_ir_token_of(alloc);
  const MlirType none = {NULL};
  return stow_ir_build_device_op(&builder, STOW_GPU_DEALLOC,
                                 mlirValueIsNull(token) ? none : mlirValueGetType(token), &memory,
                                 1, none);
}

// By an op of the dialect that allocated it, where that says so.
static MlirOperation make_own_dealloc(MlirValue value, MlirOperation before) {
  MlirOperation none = {NULL};
  if (!mlirValueIsAOpResult(value))
    return none;
  MlirOperation alloc = mlirOpResultGetOwner(value);
  if (!stow_ir_has_own_dealloc(alloc))
    return none;
  return stow_ir_op_traits(alloc) & STOW_ALLOCATES_DEVICE
             ? make_device_dealloc(alloc, before)
             : stow_bridge_build_own_dealloc(alloc, before);
}

static MlirOperation make_plain_dealloc(const stow_applier *a, int32_t owner,
                                        MlirOperation before) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  MlirValue value = a->sites.values[owner];
  MlirOperation own = make_own_dealloc(value, before);
  if (!mlirOperationIsNull(own))
    return own;
  bool part = a->owners->of[owner].part && stow_ir_is_strided(mlirValueGetType(value));
  return stow_ir_build_dealloc(&builder, part ? stow_dealloc_make_base(&builder, value) : value);
}

void stow_dealloc_make_if(const stow_applier *a, int32_t owner, MlirValue bit,
                          MlirOperation before) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  stow_dealloc_mark_by_bit(make_plain_dealloc(a, owner, stow_ir_build_if(&builder, bit)));
}

void stow_dealloc_make(const stow_applier *a, int32_t owner, MlirOperation before) {
  if (!a->owners->of[owner].conditional) {
    make_plain_dealloc(a, owner, before);
    return;
  }
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  stow_dealloc_make_if(a, owner, stow_dealloc_bit_get(&a->bits, &builder, owner), before);
}
