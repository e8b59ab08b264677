//===- layout.c - whether two indices may name one cell -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strides keep cells apart if each is greater than what all dimensions of smaller
// strides reach together. Dimensions of one element do not count.
//
//===----------------------------------------------------------------------===//

#include "ir/parts.h"
#include "ir/support.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct dimension {
  uint64_t stride, reach;
} dimension;

STOW_BY_FIELD(by_stride, dimension, stride)

static uint64_t magnitude(int64_t stride) {
  return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

// The dimensions that may have several elements and whose strides are known; one of dynamic size
// counts as one that reaches `open`.
static size_t known_dimensions(MlirType type, const int64_t *strides, uint64_t open,
                               dimension *out) {
  size_t count = 0;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i) {
    const bool dynamic = mlirShapedTypeIsDynamicDim(type, i);
    const int64_t size = dynamic ? 2 : mlirShapedTypeGetDimSize(type, i);
    if (size <= 1 || mlirShapedTypeIsDynamicStrideOrOffset(strides[i]))
      continue;
    dimension d = {magnitude(strides[i]), open};
    if (!dynamic && __builtin_mul_overflow(d.stride, (uint64_t)(size - 1), &d.reach))
      d.reach = UINT64_MAX;
    out[count++] = d;
  }
  return count;
}

static bool has_unknown_stride(MlirType type, const int64_t *strides) {
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i)
    if (mlirShapedTypeIsDynamicStrideOrOffset(strides[i]) &&
        (mlirShapedTypeIsDynamicDim(type, i) || mlirShapedTypeGetDimSize(type, i) > 1))
      return true;
  return false;
}

static bool strides_overlap(dimension *dimensions, size_t count) {
  uint64_t reach = 0;
  stow_ir_sort(dimensions, count, sizeof *dimensions, by_stride);
  for (size_t i = 0; i < count; ++i) {
    if (dimensions[i].stride <= reach)
      return true;
    if (__builtin_add_overflow(reach, dimensions[i].reach, &reach))
      reach = UINT64_MAX;
  }
  return false;
}

// `open`: what is not known keeps cells apart where this is 0.
static bool overlaps(MlirType memref, uint64_t open) {
  if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(memref)))
    return false;
  const size_t rank = (size_t)mlirShapedTypeGetRank(memref);
  int64_t *strides = stow_ir_allocate(rank, sizeof *strides), offset;
  dimension *dimensions = stow_ir_allocate(rank, sizeof *dimensions);
  const bool found =
      mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(memref, strides, &offset)) ||
      (open > 0 && has_unknown_stride(memref, strides)) ||
      strides_overlap(dimensions, known_dimensions(memref, strides, open, dimensions));
  free(strides);
  free(dimensions);
  return found;
}

bool stow_layout_overlaps(MlirType memref) {
  return mlirTypeIsAMemRef(memref) && overlaps(memref, 0);
}

bool stow_layout_keeps_apart(MlirType memref) {
  return mlirTypeIsAMemRef(memref) && !overlaps(memref, UINT64_MAX);
}
