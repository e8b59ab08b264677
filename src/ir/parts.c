//===- parts.c - views, and which surely share no element ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires views made by ops that view.h can read. Computes for each dimension of the buffer in
// which indices a view lies, and so which views surely share no element.
//
//===----------------------------------------------------------------------===//

#include "ir/parts.h"

#include "ir/support.h"
#include "ir/view.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

// Keeps the value after 1, 2, 4, 8 ... steps (Brent): one of them lies on the ring, and the next is
// more than the ring's length away.
bool stow_ir_comes_again(stow_way *way, MlirValue view) {
  const bool again = way->steps > 0 && mlirValueEqual(view, way->seen);
  if ((way->steps & (way->steps - 1)) == 0)
    way->seen = view;
  ++way->steps;
  return again;
}

MlirValue stow_ir_root_of(MlirValue view) {
  for (stow_way way = {0}; stow_ir_is_view(view) && !stow_ir_comes_again(&way, view);)
    view = mlirOperationGetOperand(mlirOpResultGetOwner(view), 0);
  return view;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

// Along one dimension of the buffer: indices from `low` to `high`.
typedef struct span {
  int64_t low, high;
} span;

// A dimension of a view: which one of the buffer it runs along, and how far apart its indices are;
// 0: that is not known, nor which they are among those of the span.
typedef struct run {
  intptr_t dim;
  int64_t stride;
} run;

typedef struct box {
  intptr_t buffer_rank;
  span spans[STOW_VIEW_MOST_RANK];
  run runs[STOW_VIEW_MOST_RANK];
} box;

// Cuts a dimension to a part of its indices. What is not known is negative.
static void narrow(box *b, run *r, stow_taken part) {
  const int64_t limit = INT64_C(1) << 30;
  if (part.offset < 0 || part.size < 1 || part.stride < 1 || part.offset > limit ||
      part.size > limit || part.stride > limit || r->stride > limit / part.stride)
    r->stride = 0;
  if (r->stride == 0)
    return;
  span *s = &b->spans[r->dim];
  s->low += part.offset * r->stride;
  r->stride *= part.stride;
  s->high = s->low + (part.size - 1) * r->stride;
}

static void go_on(box *b, const stow_view *view) {
  run runs[STOW_VIEW_MOST_RANK];
  for (intptr_t i = 0; i < view->source_rank; ++i) {
    if (view->cuts)
      narrow(b, &b->runs[i], view->taken[i]);
    if (view->to[i] >= 0)
      runs[view->to[i]] = b->runs[i];
  }
  memcpy(b->runs, runs, (size_t)view->rank * sizeof *runs);
}

static bool begin_box(MlirType type, box *b) {
  if (!mlirTypeIsAMemRef(type) || mlirShapedTypeGetRank(type) > STOW_VIEW_MOST_RANK)
    return false;
  b->buffer_rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < b->buffer_rank; ++i) {
    const bool known = !mlirShapedTypeIsDynamicDim(type, i);
    b->spans[i] = (span){0, known ? mlirShapedTypeGetDimSize(type, i) - 1 : INT64_MAX};
    b->runs[i] = (run){i, 1};
  }
  return true;
}

// What the elements of a view are certain to be among. Indices tell bytes apart only where the
// buffer's own layout does: an argument may be windows of a signal that overlap. Views of views of
// another shape are not followed: what they name is in what they are made of. Only a
// reinterpret_cast may name anything behind the address that its source's buffer begins at.
static bool box_of(MlirValue view, box *b) {
  MlirOperation chain[STOW_PARTS_MOST_VIEWS];
  size_t count = 0;
  for (; stow_ir_is_view(view); view = mlirOperationGetOperand(mlirOpResultGetOwner(view), 0)) {
    if (count == STOW_PARTS_MOST_VIEWS ||
        stow_ir_is(mlirOpResultGetOwner(view), STOW_MEMREF_REINTERPRET_CAST))
      return false;
    chain[count++] = mlirOpResultGetOwner(view);
  }
  if (!stow_layout_keeps_apart(mlirValueGetType(view)) || !begin_box(mlirValueGetType(view), b))
    return false;
  for (stow_view step; count > 0 && stow_view_read(chain[count - 1], &step); --count) {
    if (step.regroups)
      break;
    go_on(b, &step);
  }
  return true;
}

bool stow_ir_are_disjoint(MlirValue a, MlirValue b) {
  box one, other;
  if (!box_of(a, &one) || !box_of(b, &other))
    return false;
  for (intptr_t i = 0; i < one.buffer_rank; ++i) {
    const span x = one.spans[i], y = other.spans[i];
    if (x.high < y.low || y.high < x.low)
      return true;
  }
  return false;
}
