//===- layout.c - other types for the views of a buffer -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that becomes a part of another one gets the strides of that part. The types of its
// views follow from that, and every op that uses one of them must accept its type.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "ir/view.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static MlirType expanded_type(const stow_view *view, MlirType source, MlirType now) {
  int64_t sizes[STOW_VIEW_MOST_RANK];
  for (intptr_t i = 0; i < view->rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(now, i);
  return stow_bridge_expanded_type(source, sizes, view->to, view->rank);
}

// Whether a memref of the one type surely has the strides and the offset of the other: a cast may
// promise more, but here nobody knows it.
static bool has_strides_of(MlirType type, MlirType other) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  const int64_t unknown = mlirShapedTypeGetDynamicStrideOrOffset();
  int64_t *given = stow_ir_allocate((size_t)rank + 1, sizeof *given),
          *wanted = stow_ir_allocate((size_t)rank + 1, sizeof *wanted);
  bool same =
      mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, given, &given[rank])) &&
      mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(other, wanted, &wanted[rank]));
  for (intptr_t i = 0; i <= rank && same; ++i)
    same = wanted[i] == unknown || wanted[i] == given[i];
  free(given);
  free(wanted);
  return same;
}

// A memref of one type's shape with the strides of another.
static MlirType with_strides_of(MlirType shaped, MlirType type) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *strides = stow_ir_allocate((size_t)rank, sizeof *strides), offset = 0,
          *sizes = stow_ir_allocate((size_t)rank, sizeof *sizes);
  MlirType made = {NULL};
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(shaped, i);
  if (mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    made =
        mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank, sizes,
                          mlirStridedLayoutAttrGet(mlirTypeGetContext(type), offset, rank, strides),
                          stow_ir_memory_space(type));
  free(strides);
  free(sizes);
  return made;
}

// A cast tells of the shape what it told before, and of the strides what is known. Behind one to an
// unranked memref, nothing is known of them.
static MlirType cast_type(MlirType source, MlirType now) {
  if (!mlirTypeIsAMemRef(now) || !stow_bridge_can_cast(source, now))
    return (MlirType){NULL};
  return has_strides_of(source, now) ? now : with_strides_of(now, source);
}

// Of a collapse, known where the source's type shows that it can be made.
static MlirType collapsed_type(const stow_view *view, MlirType source, MlirType now, bool same) {
  const MlirType type = stow_bridge_collapsed_type(source, view->to);
  return same && !mlirTypeIsNull(type) ? now : type;
}

static MlirType read_type(const stow_view *view, MlirType source, MlirType now, bool same) {
  if (view->regroups && !view->splits)
    return collapsed_type(view, source, now, same);
  if (same)
    return now;
  if (view->splits)
    return expanded_type(view, source, now);
  return view->cuts && !stow_view_drops_and_steps(view)
             ? stow_bridge_subview_type(source, view->taken, view->to)
             : (MlirType){NULL};
}

// The type of the view that `op` makes of a source of another type, or null. A source whose type
// says nothing of its strides keeps that type although its memory changed. Then three facts no
// longer hold: the layout that a cast states, an offset that a reinterpret_cast counts from the
// beginning of the allocation, and that the dimensions which a collapse joins are contiguous.
static MlirType view_type(MlirOperation op, MlirType source) {
  MlirType now = mlirValueGetType(mlirOperationGetResult(op, 0));
  const bool same = mlirTypeEqual(source, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  stow_view view;
  switch (stow_view_form_of(op)) {
  case STOW_VIEW_CAST:
    return cast_type(source, now);
  case STOW_VIEW_SAME:
    return source;
  case STOW_VIEW_MOVED:
  case STOW_VIEW_PERMUTED:
  case STOW_VIEW_OTHER:
    return same && !stow_ir_is(op, STOW_MEMREF_REINTERPRET_CAST) ? now : (MlirType){NULL};
  default:
    return stow_view_read(op, &view) && view.of_memref ? read_type(&view, source, now, same)
                                                       : (MlirType){NULL};
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool has_unit_stride(MlirType type) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *strides = stow_ir_allocate((size_t)rank, sizeof *strides), offset;
  const bool known =
      mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset));
  const bool unit = known && (rank == 0 || strides[rank - 1] == 1);
  free(strides);
  return unit;
}

static bool takes(MlirOperation op, MlirType type) {
  const stow_traits traits = stow_ir_op_traits(op);
  return (traits & STOW_ANY_STRIDES) || ((traits & STOW_UNIT_STRIDE) && has_unit_stride(type));
}

// The type that a view gets: of the buffer itself, or of what an op makes.
typedef struct typing {
  const stow_copies_uses *uses;
  MlirType whole;
  const stow_copies_types *types;
  stow_map of_view; // by op
} typing;

static MlirType type_of(const typing *t, MlirValue view) {
  if (mlirValueEqual(view, t->uses->value))
    return t->whole;
  return t->types->at[stow_map_get(&t->of_view, mlirOpResultGetOwner(view).ptr)];
}

static bool type_views(typing *t, stow_copies_types *out, MlirOperation *blame) {
  const bool stays = mlirTypeEqual(t->whole, mlirValueGetType(t->uses->value));
  STOW_EACH_ITEM(MlirOperation, op, t->uses->views) {
    MlirType type = stays ? mlirValueGetType(mlirOperationGetResult(op, 0))
                          : view_type(op, type_of(t, mlirOperationGetOperand(op, 0)));
    *blame = op;
    if (mlirTypeIsNull(type))
      return false;
    stow_map_add(&t->of_view, op.ptr, (int32_t)STOW_PUSH(*out, type));
  }
  return true;
}

static bool all_take(const typing *t, MlirOperation *blame) {
  STOW_EACH(const stow_copies_touch, touch, t->uses->touches) {
    MlirType type = type_of(t, touch->view);
    *blame = touch->op;
    if (!mlirTypeEqual(type, mlirValueGetType(touch->view)) && !takes(touch->op, type))
      return false;
  }
  return true;
}

bool stow_copies_types_of(const stow_copies_uses *uses, MlirType type, stow_copies_types *out,
                          MlirOperation *blame) {
  typing t = {.uses = uses, .whole = type, .types = out};
  *out = (stow_copies_types){0};
  const bool ok = type_views(&t, out, blame) && all_take(&t, blame);
  stow_map_free(&t.of_view);
  return ok;
}

void stow_copies_set_types(const stow_copies_uses *uses, const stow_copies_types *types) {
  for (size_t i = 0; i < uses->views.count; ++i)
    mlirValueSetType(mlirOperationGetResult(uses->views.at[i], 0), types->at[i]);
}
