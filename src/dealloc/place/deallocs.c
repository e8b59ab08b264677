//===- deallocs.c - deallocs of owners ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"

// By an op of the dialect that allocated it, where that says so.
static MlirOperation make_own_dealloc(MlirValue value, MlirOperation before) {
  MlirOperation none = {NULL};
  if (!mlirValueIsAOpResult(value))
    return none;
  MlirOperation alloc = mlirOpResultGetOwner(value);
  return stow_builds_own_dealloc(alloc) ? stow_build_own_dealloc(alloc, before) : none;
}

static MlirOperation make_plain_dealloc(const stow_applier *a, int32_t owner,
                                        MlirOperation before) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  MlirValue value = a->sites.values[owner];
  MlirOperation own = make_own_dealloc(value, before);
  if (!mlirOperationIsNull(own))
    return own;
  bool part = a->owners->of[owner].part && stow_is_strided(mlirValueGetType(value));
  return stow_build_dealloc(&builder, part ? stow_make_base(&builder, value) : value);
}

void stow_make_dealloc_if(const stow_applier *a, int32_t owner, MlirValue bit,
                          MlirOperation before) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  stow_mark_by_bit(make_plain_dealloc(a, owner, stow_build_if(&builder, bit)));
}

void stow_make_dealloc(const stow_applier *a, int32_t owner, MlirOperation before) {
  if (!a->owners->of[owner].conditional) {
    make_plain_dealloc(a, owner, before);
    return;
  }
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  stow_make_dealloc_if(a, owner, stow_bit_get(&a->bits, &builder, owner), before);
}
