//===- bytes.c - the bytes of a buffer that a view is ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a value back to its root, one op that makes a view at a time, as long as the value
// has a single source. A memref.view with a constant offset shifts the range that was found
// so far. A subview does not: its type has the offset already, counted from the last value
// that was no subview. The range of what is all of its source is its source's, where its own type
// does not tell.
//
//===----------------------------------------------------------------------===//

#include "ir/bytes.h"

#include "ir/op.h"
#include "ir/parts.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

bool stow_ir_element_bytes(const stow_layout *layout, MlirType type, int64_t *out_bytes) {
  uint64_t bytes, alignment;
  if (stow_ir_element_size(layout, type, &bytes, &alignment) != STOW_SIZE_OK || bytes >> 32)
    return false;
  *out_bytes = (int64_t)bytes;
  return true;
}

// The hull of a static strided type's elements, in bytes from where its offset counts.
static bool hull_of(const stow_layout *layout, MlirType type, int64_t *out_begin,
                    int64_t *out_end) {
  int64_t element, offset, last = 0;
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) ||
      !stow_ir_element_bytes(layout, type, &element))
    return false;
  intptr_t rank = mlirShapedTypeGetRank(type);
  int64_t *strides = stow_ir_allocate((size_t)rank, sizeof *strides);
  bool ok = mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
            !mlirShapedTypeIsDynamicStrideOrOffset(offset) && offset >= 0;
  for (intptr_t i = 0; i < rank && ok; ++i) {
    int64_t span;
    ok = !mlirShapedTypeIsDynamicStrideOrOffset(strides[i]) && strides[i] >= 0 &&
         mlirShapedTypeGetDimSize(type, i) > 0 &&
         !__builtin_mul_overflow(mlirShapedTypeGetDimSize(type, i) - 1, strides[i], &span) &&
         !__builtin_add_overflow(last, span, &last);
  }
  free(strides);
  int64_t end;
  ok = ok && !__builtin_add_overflow(offset, last, &end) &&
       !__builtin_add_overflow(end, INT64_C(1), &end) &&
       !__builtin_mul_overflow(end, element, out_end);
  *out_begin = ok ? offset * element : 0;
  return ok;
}

// The one value that `value` is made from, or -1.
static int32_t only_source(const stow_flow *flow, int32_t value) {
  return flow->values.at[value].foreign ? -1 : stow_flow_only_source(flow, value);
}

// Whether the result counts its bytes from where its source does.
static bool keeps_origin(MlirOperation op) {
  return (stow_ir_op_traits(op) & STOW_BASE_OF_SOURCE) || stow_ir_is_start(op) ||
         stow_ir_view_keeps_indices(op);
}

// What a step over `op`, which moves the origin, adds to the range.
static void shift(MlirOperation op, stow_view_bytes *bytes) {
  int64_t offset;
  bool ok = bytes->known && stow_ir_is(op, STOW_MEMREF_VIEW) &&
            stow_ir_constant_of(mlirOperationGetOperand(op, 1), &offset) && offset >= 0 &&
            !__builtin_add_overflow(bytes->begin, offset, &bytes->begin) &&
            !__builtin_add_overflow(bytes->end, offset, &bytes->end);
  bytes->known = ok;
}

static bool is_all_of_source(MlirOperation op) {
  return stow_ir_view_is_whole(op) || stow_ir_is_start(op);
}

static bool measure(const stow_flow *flow, int32_t value, stow_view_bytes *bytes) {
  MlirType type = mlirValueGetType(flow->values.at[value].value);
  return hull_of(&flow->layout, type, &bytes->begin, &bytes->end);
}

static bool covers_root(const stow_flow *flow, const stow_view_bytes *bytes) {
  stow_view_bytes whole;
  return bytes->known && measure(flow, bytes->root, &whole) && bytes->begin == whole.begin &&
         bytes->end == whole.end;
}

stow_view_bytes stow_view_bytes_of(const stow_flow *flow, int32_t value) {
  stow_view_bytes bytes = {.root = value, .all = true};
  bytes.known = measure(flow, value, &bytes);
  stow_way way = {0};
  for (int32_t source; (source = only_source(flow, bytes.root)) >= 0; bytes.root = source) {
    MlirValue name = flow->values.at[bytes.root].value;
    if (stow_ir_comes_again(&way, name)) {
      bytes.known = bytes.all = false;
      break;
    }
    bool made = mlirValueIsAOpResult(name);
    bytes.all = bytes.all && made && is_all_of_source(mlirOpResultGetOwner(name));
    if (!made)
      bytes.known = false;
    else if (bytes.all && !bytes.known)
      bytes.known = measure(flow, source, &bytes);
    else if (!keeps_origin(mlirOpResultGetOwner(name)))
      shift(mlirOpResultGetOwner(name), &bytes);
  }
  bytes.all = bytes.all || covers_root(flow, &bytes);
  return bytes;
}

bool stow_view_bytes_may_overlap(const stow_view_bytes *a, const stow_view_bytes *b) {
  return !a->known || !b->known || (a->begin < b->end && b->begin < a->end);
}

bool stow_view_bytes_contain(const stow_view_bytes *outer, const stow_view_bytes *inner) {
  return outer->known && inner->known && outer->begin <= inner->begin && inner->end <= outer->end;
}
