//===- kinds.c - what an op's name and types tell of it -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/kinds.h"

#include "bridge/bridge.h"
#include "ir/support.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

bool stow_is_buffer(MlirType type) {
  return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type);
}

bool stow_is_strided(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  int64_t *strides = stow_allocate((size_t)mlirShapedTypeGetRank(type), sizeof *strides), offset;
  MlirLogicalResult told = mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  free(strides);
  return mlirLogicalResultIsSuccess(told);
}

static bool ends_word(const MlirStringRef *name, size_t at) {
  return at == name->length || name->data[at] == '.' || name->data[at] == '_';
}

// Words of a name stand between dots and underscores.
static bool name_has_word(MlirOperation op, const char *word) {
  const MlirStringRef name = stow_op_name(op);
  const size_t length = strlen(word);
  for (size_t i = 0; i + length <= name.length; ++i)
    if ((i == 0 || ends_word(&name, i - 1)) && ends_word(&name, i + length) &&
        memcmp(name.data + i, word, length) == 0)
      return true;
  return false;
}

static bool has_attribute(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(
      mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name)));
}

// A directive whose region others may run, when they get to it.
static bool is_deferred(MlirOperation op) {
  if (stow_op_has_prefix(op, "acc."))
    return has_attribute(op, "asyncOnly") || has_attribute(op, "asyncOperandsDeviceType");
  if (stow_op_has_prefix(op, "omp.target"))
    return has_attribute(op, "nowait");
  return stow_op_is(op, "omp.task") || stow_op_has_prefix(op, "omp.taskloop");
}

bool stow_starts_work(MlirOperation op) {
  return name_has_word(op, "async") || name_has_word(op, "dma") || is_deferred(op) ||
         stow_op_is(op, "amdgpu.gather_to_lds");
}

bool stow_tells_shape(MlirOperation op) {
  return stow_op_is(op, "memref.dim") || stow_op_is(op, "memref.rank") ||
         stow_op_is(op, "memref.extract_strided_metadata");
}

bool stow_makes_handle(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (!stow_is_buffer(type) && !stow_type_is_plain(type))
      return true;
  }
  return false;
}

bool stow_makes_number(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (!stow_is_buffer(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

bool stow_may_rename(MlirOperation op, intptr_t operand, intptr_t result) {
  if (stow_op_is(op, "memref.distinct_objects"))
    return operand == result;
  return !stow_op_is(op, "memref.load") && !stow_op_is(op, "affine.load");
}

bool stow_is_start(MlirOperation op) { return stow_op_is(op, "lifetime.start"); }
bool stow_is_end(MlirOperation op) { return stow_op_is(op, "lifetime.end"); }

bool stow_is_marker(MlirOperation op) {
  return stow_op_has_prefix(op, "lifetime.") && (stow_is_start(op) || stow_is_end(op));
}
