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

#include "taskflow/memory.h"

#include "ir/support.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// One dimension; of dynamic size, it counts as one that reaches nothing.
typedef struct dimension {
  uint64_t stride, reach;
} dimension;

STOW_BY_FIELD(by_stride, dimension, stride)

static uint64_t magnitude(int64_t stride) {
  return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

// The dimensions that may have several elements and whose strides are known.
static size_t known_dimensions(MlirType type, const int64_t *strides, dimension *out) {
  size_t count = 0;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i) {
    bool dynamic = mlirShapedTypeIsDynamicDim(type, i);
    int64_t size = dynamic ? 1 : mlirShapedTypeGetDimSize(type, i);
    if ((!dynamic && size <= 1) || mlirShapedTypeIsDynamicStrideOrOffset(strides[i]))
      continue;
    dimension d = {.stride = magnitude(strides[i])};
    if (__builtin_mul_overflow(d.stride, (uint64_t)(size - 1), &d.reach))
      d.reach = UINT64_MAX;
    out[count++] = d;
  }
  return count;
}

static bool strides_overlap(dimension *dimensions, size_t count) {
  uint64_t reach = 0;
  stow_sort(dimensions, count, sizeof *dimensions, by_stride);
  for (size_t i = 0; i < count; ++i) {
    if (dimensions[i].stride <= reach)
      return true;
    if (__builtin_add_overflow(reach, dimensions[i].reach, &reach))
      return true;
  }
  return false;
}

bool stow_layout_overlaps(MlirType memref) {
  if (!mlirTypeIsAMemRef(memref) || mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(memref)))
    return false;
  size_t rank = (size_t)mlirShapedTypeGetRank(memref);
  int64_t *strides = stow_allocate(rank, sizeof *strides), offset;
  dimension *dimensions = stow_allocate(rank, sizeof *dimensions);
  bool overlaps =
      mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(memref, strides, &offset)) ||
      strides_overlap(dimensions, known_dimensions(memref, strides, dimensions));
  free(strides);
  free(dimensions);
  return overlaps;
}
