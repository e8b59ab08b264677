//===- view.c - which elements of its source a view names -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/view.h"

#include "ir/support.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static MlirType source_of(MlirOperation op) {
  return mlirValueGetType(mlirOperationGetOperand(op, 0));
}

static MlirType result_of(MlirOperation op) {
  return mlirValueGetType(mlirOperationGetResult(op, 0));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

// As if all indices were the same.
static bool begin(MlirOperation op, stow_view *out) {
  if (mlirOperationGetNumOperands(op) == 0 || mlirOperationGetNumResults(op) == 0)
    return false;
  const MlirType source = source_of(op), result = result_of(op);
  if (!mlirTypeIsAMemRef(source) || !mlirTypeIsAMemRef(result))
    return false;
  out->source_rank = (intptr_t)mlirShapedTypeGetRank(source);
  out->rank = (intptr_t)mlirShapedTypeGetRank(result);
  if (out->source_rank > STOW_VIEW_MOST_RANK || out->rank > STOW_VIEW_MOST_RANK)
    return false;
  out->of_memref = stow_ir_op_has_prefix(op, "memref.");
  out->cuts = out->regroups = out->splits = false;
  out->first = -1;
  for (intptr_t i = 0; i < out->source_rank; ++i) {
    out->taken[i] = (stow_taken){0, mlirShapedTypeGetDimSize(source, i), 1};
    out->to[i] = i;
  }
  return true;
}

// A dimension of the source is left out where its size is not the next one of the view. Of several
// of one element, any may be the one.
static bool read_part(MlirOperation op, stow_view *out) {
  const MlirType result = result_of(op);
  intptr_t left = 0;
  if (!stow_bridge_taken(op, out->source_rank, out->taken, &out->first))
    return false;
  out->cuts = true;
  for (intptr_t i = 0; i < out->source_rank; ++i) {
    const int64_t size = out->taken[i].size;
    const bool stays = left < out->rank && size == mlirShapedTypeGetDimSize(result, left);
    if (!stays && size != 1)
      return false;
    out->to[i] = stays ? left++ : -1;
  }
  return left == out->rank;
}

// Dimensions of the longer shape from `*next` on: those of one group, in order.
static bool read_group(MlirAttribute group, intptr_t number, MlirType longer, intptr_t *next,
                       intptr_t *out) {
  if (!mlirAttributeIsAArray(group))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(group); ++i) {
    const MlirAttribute dim = mlirArrayAttrGetElement(group, i);
    if (!mlirAttributeIsAInteger(dim) || *next == mlirShapedTypeGetRank(longer) ||
        mlirIntegerAttrGetValueInt(dim) != *next)
      return false;
    out[(*next)++] = number;
  }
  return true;
}

// Whether the dimensions of each group have as many indices as the one that they are joined to, as
// far as sizes are known; those of no group have one each.
static bool sizes_agree(MlirType longer, MlirType shorter, const intptr_t *to) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(shorter);
  int64_t product = 1;
  for (intptr_t group = -1; group < rank; ++group, product = 1) {
    bool known = group < 0 || !mlirShapedTypeIsDynamicDim(shorter, group);
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(longer); ++i)
      if (to[i] == group)
        known &= !mlirShapedTypeIsDynamicDim(longer, i) &&
                 !__builtin_mul_overflow(product, mlirShapedTypeGetDimSize(longer, i), &product);
    if (known && product != (group < 0 ? 1 : mlirShapedTypeGetDimSize(shorter, group)))
      return false;
  }
  return true;
}

// Where the shorter shape has no dimension, there are no groups.
static bool read_groups(MlirOperation op, stow_view *out) {
  const bool splits = out->form == STOW_VIEW_SPLIT;
  const MlirType longer = splits ? result_of(op) : source_of(op),
                 shorter = splits ? source_of(op) : result_of(op);
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(shorter),
                 count = (intptr_t)mlirShapedTypeGetRank(longer);
  const MlirAttribute groups = stow_attribute_of(op, "reassociation");
  if (mlirAttributeIsNull(groups) || !mlirAttributeIsAArray(groups) ||
      mlirArrayAttrGetNumElements(groups) != rank)
    return false;
  intptr_t next = 0;
  for (intptr_t i = 0; i < rank; ++i)
    if (!read_group(mlirArrayAttrGetElement(groups, i), i, longer, &next, out->to))
      return false;
  for (; rank == 0 && next < count; ++next)
    out->to[next] = -1;
  out->regroups = true;
  out->splits = splits;
  return next == count && sizes_agree(longer, shorter, out->to);
}

static bool read_same(MlirOperation op, stow_view *out) {
  (void)op;
  return out->rank == out->source_rank;
}

typedef bool (*reader)(MlirOperation op, stow_view *out);

// By form; what has none is not read.
static const reader readers[STOW_VIEW_FORMS] = {
    [STOW_VIEW_SAME] = read_same, [STOW_VIEW_CAST] = read_same,     [STOW_VIEW_MOVED] = read_same,
    [STOW_VIEW_PART] = read_part, [STOW_VIEW_JOINED] = read_groups, [STOW_VIEW_SPLIT] = read_groups,
};

bool stow_view_read_as(MlirOperation op, stow_view_form form, stow_view *out) {
  out->form = form;
  return readers[form] && begin(op, out) && readers[form](op, out);
}

bool stow_view_read(MlirOperation op, stow_view *out) {
  return stow_view_read_as(op, stow_view_form_of(op), out);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static intptr_t dynamic_before(MlirType memref, int64_t dimension) {
  intptr_t count = 0;
  for (int64_t d = 0; d < dimension; ++d)
    count += mlirShapedTypeIsDynamicDim(memref, d);
  return count;
}

// The first of `count` operands, one for each, in order; -1: they are not known.
static intptr_t first_size(MlirOperation op, intptr_t count) {
  const stow_view_form form = stow_view_form_of(op);
  if (form == STOW_VIEW_PART || stow_ir_is(op, STOW_MEMREF_REINTERPRET_CAST))
    return stow_bridge_first_size(op, count);
  if (form != STOW_VIEW_SPLIT && !stow_ir_is(op, STOW_MEMREF_VIEW))
    return -1;
  const intptr_t first = form == STOW_VIEW_SPLIT ? 1 : 2;
  return mlirOperationGetNumOperands(op) == first + count ? first : -1;
}

intptr_t stow_view_size_operand(MlirOperation op, int64_t dimension) {
  const MlirType type = result_of(op);
  const intptr_t first = first_size(op, dynamic_before(type, mlirShapedTypeGetRank(type)));
  return first < 0 ? -1 : first + dynamic_before(type, dimension);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

// Whether another dimension that is joined with this one has more than one element.
static bool shares(const stow_view *view, intptr_t dim) {
  bool other = false;
  for (intptr_t i = 0; i < view->source_rank; ++i)
    other |= i != dim && view->to[i] == view->to[dim] && view->taken[i].size != 1;
  return other;
}

// Of a dimension of the source that is one of the view, or of no element but one. False: of what is
// joined, only a division tells.
static bool index_of(MlirContext context, const stow_view *view, intptr_t dim,
                     MlirAffineExpr *out) {
  const stow_taken taken = view->taken[dim];
  const bool one = view->to[dim] < 0 || (view->regroups && taken.size == 1);
  if (mlirShapedTypeIsDynamicStrideOrOffset(taken.offset) ||
      mlirShapedTypeIsDynamicStrideOrOffset(taken.stride) ||
      (!one && view->regroups && shares(view, dim)))
    return false;
  const MlirAffineExpr offset = mlirAffineConstantExprGet(context, taken.offset);
  *out = one ? offset
             : mlirAffineAddExprGet(
                   mlirAffineMulExprGet(mlirAffineDimExprGet(context, view->to[dim]),
                                        mlirAffineConstantExprGet(context, taken.stride)),
                   offset);
  return true;
}

// Of one that the view splits: its indices are digits.
static bool split_index_of(MlirContext context, const stow_view *view, MlirType result,
                           intptr_t dim, MlirAffineExpr *out) {
  *out = mlirAffineConstantExprGet(context, 0);
  for (intptr_t i = 0; i < view->rank; ++i) {
    const int64_t size = mlirShapedTypeGetDimSize(result, i);
    if (view->to[i] != dim || size == 1)
      continue;
    if (mlirShapedTypeIsDynamicDim(result, i))
      return false;
    *out =
        mlirAffineAddExprGet(mlirAffineMulExprGet(*out, mlirAffineConstantExprGet(context, size)),
                             mlirAffineDimExprGet(context, i));
  }
  return true;
}

MlirAffineMap stow_view_map(MlirOperation op, const stow_view *view) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAffineExpr indices[STOW_VIEW_MOST_RANK];
  for (intptr_t i = 0; i < view->source_rank; ++i)
    if (!(view->splits ? split_index_of(context, view, result_of(op), i, &indices[i])
                       : index_of(context, view, i, &indices[i])))
      return (MlirAffineMap){NULL};
  return mlirAffineMapGet(context, view->rank, 0, view->source_rank, indices);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

bool stow_view_drops_and_steps(const stow_view *view) {
  bool drops = false, steps = false;
  for (intptr_t i = 0; i < view->source_rank && view->cuts; ++i) {
    drops |= view->to[i] < 0;
    steps |= view->taken[i].stride != 1;
  }
  return drops && steps;
}
