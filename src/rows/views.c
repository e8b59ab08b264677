//===- views.c - rows of a buffer behind its views ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/linalg.h"
#include "ir/parts.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "rows/limits.h"

#include <assert.h>
#include <string.h>

static intptr_t rank_of(MlirValue value) {
  return (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value));
}

int64_t stow_rows_extent(MlirValue value, intptr_t dim) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(value), dim);
}

static bool is_static(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= STOW_ROWS_MOST_RANK;
}

static bool is_understood(MlirOperation op) {
  const stow_view_form form = stow_view_form_of(op);
  return (form == STOW_VIEW_PART || form == STOW_VIEW_CAST || form == STOW_VIEW_JOINED ||
          form == STOW_VIEW_SPLIT) &&
         is_static(mlirOperationGetOperand(op, 0)) && is_static(mlirOperationGetResult(op, 0));
}

// The op that makes `view` of another value, or a null op.
static MlirOperation view_op(MlirValue view) {
  if (!mlirValueIsAOpResult(view) || !is_understood(mlirOpResultGetOwner(view)))
    return (MlirOperation){NULL};
  return mlirOpResultGetOwner(view);
}

// The value that `view` is a view of, through ops that are understood here.
static MlirValue root_of(MlirValue view) {
  const MlirValue last = stow_ir_root_of(view); // where views are views of each other, one of them
  for (MlirOperation op = view_op(view); !mlirOperationIsNull(op) && !mlirValueEqual(view, last);
       op = view_op(view))
    view = mlirOperationGetOperand(op, 0);
  return view;
}

//===----------------------------------------------------------------------===//
// From the source of a view to the view
//===----------------------------------------------------------------------===//

static bool through_subview(MlirOperation op, stow_rows_place *place) {
  bool dropped[STOW_ROWS_MOST_RANK];
  stow_bridge_subview_drops(op, dropped);
  const stow_subview_range part = stow_ir_subview_along(op, place->dim);
  const int64_t unknown = mlirShapedTypeGetDynamicSize();
  if (dropped[place->dim] || part.offset == unknown || part.size == unknown || part.stride < 1 ||
      part.offset % place->unit || part.size % place->unit || (place->unit > 1 && part.stride > 1))
    return false;
  place->offset += place->scale * (part.offset / place->unit);
  place->scale *= part.stride;
  intptr_t dim = 0;
  for (intptr_t i = 0; i < place->dim; ++i)
    dim += !dropped[i];
  place->dim = dim;
  return true;
}

// Of the dimensions that belong to `group`: whether those before `dim` have one index, and how many
// those after it have together.
static bool only_outer(MlirValue longer, const intptr_t *joined, intptr_t dim, int64_t *out_after) {
  *out_after = 1;
  for (intptr_t i = 0; i < rank_of(longer); ++i)
    if (joined[i] == joined[dim] && i < dim && stow_rows_extent(longer, i) != 1)
      return false;
    else if (joined[i] == joined[dim] && i > dim)
      *out_after *= stow_rows_extent(longer, i);
  return true;
}

// Whether a cast behind the view hides a layout, which its rows alone show again.
static bool hides_layout(MlirValue view) {
  bool hides = false;
  for (MlirOperation op; !hides && !mlirOperationIsNull(op = view_op(view));
       view = mlirOperationGetOperand(op, 0))
    hides = stow_view_form_of(op) == STOW_VIEW_CAST &&
            !stow_bridge_memref_has_identity_layout(mlirValueGetType(view));
  return hides;
}

static bool through_collapse(MlirOperation op, stow_rows_place *place) {
  if (hides_layout(mlirOperationGetOperand(op, 0)))
    return false;
  intptr_t joined[STOW_ROWS_MOST_RANK];
  int64_t after;
  stow_bridge_joined_dimensions(op, joined);
  if (!only_outer(mlirOperationGetOperand(op, 0), joined, place->dim, &after))
    return false;
  place->dim = joined[place->dim];
  place->unit *= after;
  return place->dim >= 0;
}

// The dimension of `longer` that blocks of `unit` along dimension `group` of the shorter shape are
// blocks of.
static bool split(MlirValue longer, const intptr_t *joined, intptr_t group, int64_t unit,
                  intptr_t *out_dim, int64_t *out_unit) {
  for (intptr_t i = rank_of(longer); i-- > 0;) {
    int64_t after;
    if (joined[i] != group || !only_outer(longer, joined, i, &after))
      continue;
    if (unit % after == 0 && stow_rows_extent(longer, i) % (unit / after) == 0) {
      *out_dim = i;
      *out_unit = unit / after;
      return true;
    }
  }
  return false;
}

static bool through_expand(MlirOperation op, stow_rows_place *place) {
  intptr_t joined[STOW_ROWS_MOST_RANK];
  stow_bridge_joined_dimensions(op, joined);
  return split(mlirOperationGetResult(op, 0), joined, place->dim, place->unit, &place->dim,
               &place->unit);
}

static bool through(MlirOperation op, stow_rows_place *place) {
  switch (stow_view_form_of(op)) {
  case STOW_VIEW_PART:
    return through_subview(op, place);
  case STOW_VIEW_JOINED:
    return through_collapse(op, place);
  case STOW_VIEW_SPLIT:
    return through_expand(op, place);
  default:
    return true; // a cast
  }
}

// Where the rows of the root, blocks of `unit` along its dimension `dim`, are in a view of it.
// False if they are not separate rows of the view.
static bool in_view(MlirValue view, intptr_t dim, int64_t unit, stow_rows_place *out) {
  MlirOperation op = view_op(view);
  if (mlirOperationIsNull(op)) {
    *out = (stow_rows_place){dim, unit, 1, 0};
    return true;
  }
  return in_view(mlirOperationGetOperand(op, 0), dim, unit, out) && through(op, out) &&
         (out->scale == 1 || unit == 1);
}

//===----------------------------------------------------------------------===//
// From a view to its source
//===----------------------------------------------------------------------===//

static bool back_through_subview(MlirOperation op, intptr_t *dim) {
  bool dropped[STOW_ROWS_MOST_RANK];
  stow_bridge_subview_drops(op, dropped);
  intptr_t at = 0;
  for (intptr_t i = 0; i < rank_of(mlirOperationGetOperand(op, 0)); ++i)
    if (!dropped[i] && at++ == *dim) {
      *dim = i;
      return true;
    }
  return false;
}

static bool back_through_expand(MlirOperation op, intptr_t *dim, int64_t *unit) {
  intptr_t joined[STOW_ROWS_MOST_RANK];
  int64_t after;
  stow_bridge_joined_dimensions(op, joined);
  if (!only_outer(mlirOperationGetResult(op, 0), joined, *dim, &after))
    return false;
  *dim = joined[*dim];
  *unit *= after;
  return *dim >= 0;
}

static bool back_through_collapse(MlirOperation op, intptr_t *dim, int64_t *unit) {
  intptr_t joined[STOW_ROWS_MOST_RANK];
  stow_bridge_joined_dimensions(op, joined);
  return split(mlirOperationGetOperand(op, 0), joined, *dim, *unit, dim, unit);
}

static bool back_through(MlirOperation op, intptr_t *dim, int64_t *unit) {
  switch (stow_view_form_of(op)) {
  case STOW_VIEW_PART:
    return back_through_subview(op, dim);
  case STOW_VIEW_JOINED:
    return back_through_collapse(op, dim, unit);
  case STOW_VIEW_SPLIT:
    return back_through_expand(op, dim, unit);
  default:
    return true; // a cast
  }
}

bool stow_rows_of_view(MlirValue view, intptr_t dim, int64_t unit, intptr_t *out_dim,
                       int64_t *out_unit) {
  for (MlirOperation op = view_op(view); !mlirOperationIsNull(op); op = view_op(view)) {
    if (!back_through(op, &dim, &unit))
      return false;
    view = mlirOperationGetOperand(op, 0);
  }
  *out_dim = dim;
  *out_unit = unit;
  return true;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static MlirValue insert(const stow_builder *builder, MlirOperation op) {
  stow_ir_insert_before(builder->before, op);
  return mlirOperationGetResult(op, 0);
}

static void set_entries(MlirOperation op, const char *attribute, const int64_t *entries,
                        intptr_t count) {
  mlirOperationSetAttributeByName(
      op, stow_ir_string(attribute),
      mlirDenseI64ArrayGet(mlirOperationGetContext(op), count, entries));
}

static void set_type(MlirOperation op, MlirType type) {
  assert(!mlirTypeIsNull(type));
  mlirValueSetType(mlirOperationGetResult(op, 0), type);
}

static MlirOperation clone_on(MlirOperation op, MlirValue source) {
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationSetOperand(copy, 0, source);
  return copy;
}

// The step between `size` elements; 1 for a single element. MLIR finds the dimensions of size 1
// that a subview drops by their strides in the source, so these must not be multiplied.
static int64_t step_of(int64_t step, int64_t size) { return size == 1 ? 1 : step; }

// What a subview takes of its source.
typedef struct part {
  int64_t offsets[STOW_ROWS_MOST_RANK], sizes[STOW_ROWS_MOST_RANK], strides[STOW_ROWS_MOST_RANK];
  bool dropped[STOW_ROWS_MOST_RANK];
} part;

static MlirValue part_of(const stow_builder *builder, MlirOperation op, MlirValue source,
                         const part *p) {
  MlirOperation copy = clone_on(op, source);
  const intptr_t rank = rank_of(source);
  set_entries(copy, "static_offsets", p->offsets, rank);
  set_entries(copy, "static_sizes", p->sizes, rank);
  set_entries(copy, "static_strides", p->strides, rank);
  set_type(copy, stow_bridge_subview_type(mlirValueGetType(source), p->offsets, p->sizes,
                                          p->strides, p->dropped));
  return insert(builder, copy);
}

// Where elements are steps apart, dimensions are left out in a second subview: the lowering of one
// that does both looks for the strides of its result among those of its source.
static MlirValue subview_of(const stow_builder *builder, MlirOperation op, MlirValue source,
                            intptr_t dim, int64_t size) {
  part all = {0}, rest = {0};
  bool steps = false, drops = false;
  stow_bridge_subview_drops(op, rest.dropped);
  for (intptr_t i = 0; i < rank_of(source); ++i) {
    const stow_subview_range taken =
        i == dim ? (stow_subview_range){0, size, 1} : stow_ir_subview_along(op, i);
    all.offsets[i] = taken.offset;
    all.sizes[i] = rest.sizes[i] = taken.size;
    all.strides[i] = step_of(taken.stride, taken.size);
    rest.strides[i] = 1;
    steps |= all.strides[i] != 1;
    drops |= rest.dropped[i];
  }
  if (steps && drops)
    return part_of(builder, op, part_of(builder, op, source, &all), &rest);
  memcpy(all.dropped, rest.dropped, sizeof all.dropped);
  return part_of(builder, op, source, &all);
}

static MlirOperation expand_of(MlirOperation op, MlirValue source, intptr_t dim, int64_t size) {
  MlirOperation copy = clone_on(op, source);
  int64_t sizes[STOW_ROWS_MOST_RANK];
  MlirValue result = mlirOperationGetResult(op, 0);
  for (intptr_t i = 0; i < rank_of(result); ++i)
    sizes[i] = i == dim ? size : stow_rows_extent(result, i);
  set_entries(copy, "static_output_shape", sizes, rank_of(result));
  set_type(copy, stow_bridge_expanded_type(op, mlirValueGetType(source), sizes));
  return copy;
}

static MlirOperation collapse_of(MlirOperation op, MlirValue source) {
  MlirOperation copy = clone_on(op, source);
  const MlirType type = stow_bridge_collapsed_type(op, mlirValueGetType(source));
  assert(!mlirTypeIsNull(type));
  set_type(copy, type);
  return copy;
}

MlirValue stow_rows_rebuild(const stow_builder *builder, MlirValue view, intptr_t dim, int64_t unit,
                            MlirValue rows, int64_t count) {
  MlirOperation op = view_op(view);
  if (mlirOperationIsNull(op))
    return rows;
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirValue made = stow_rows_rebuild(builder, source, dim, unit, rows, count);
  stow_rows_place from, to;
  const bool found = in_view(source, dim, unit, &from) && in_view(view, dim, unit, &to);
  assert(found);
  (void)found;
  switch (stow_view_form_of(op)) {
  case STOW_VIEW_PART:
    return subview_of(builder, op, made, from.dim, count * to.unit);
  case STOW_VIEW_JOINED:
    return insert(builder, collapse_of(op, made));
  case STOW_VIEW_SPLIT:
    return insert(builder, expand_of(op, made, to.dim, count * to.unit));
  default:
    return made; // the layout of the rows is another one than a cast's
  }
}

//===----------------------------------------------------------------------===//
// Other strides
//===----------------------------------------------------------------------===//

static part part_at(MlirOperation subview) {
  part p;
  stow_bridge_subview_drops(subview, p.dropped);
  for (intptr_t i = 0; i < rank_of(mlirOperationGetOperand(subview, 0)); ++i) {
    const stow_subview_range taken = stow_ir_subview_along(subview, i);
    p.offsets[i] = taken.offset;
    p.sizes[i] = taken.size;
    p.strides[i] = taken.stride;
  }
  return p;
}

// See subview_of.
static bool drops_and_steps(MlirOperation subview) {
  const part p = part_at(subview);
  bool drops = false, steps = false;
  for (intptr_t i = 0; i < rank_of(mlirOperationGetOperand(subview, 0)); ++i) {
    drops |= p.dropped[i];
    steps |= p.strides[i] != 1;
  }
  return drops && steps;
}

bool stow_rows_takes_strides(MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_ir_makes_view(use) &&
        (stow_view_form_of(op) != STOW_VIEW_PART || !is_understood(op) || drops_and_steps(op)))
      return false;
  }
  return true;
}

void stow_rows_renew_types(MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_ir_makes_view(use))
      continue;
    const part p = part_at(op);
    set_type(op, stow_bridge_subview_type(mlirValueGetType(mlirOpOperandGetValue(use)), p.offsets,
                                          p.sizes, p.strides, p.dropped));
  }
}

static bool is_all(MlirValue memref, intptr_t dim, MlirValue first, int64_t offset, int64_t size) {
  return mlirValueIsNull(first) && offset == 0 && size == stow_rows_extent(memref, dim);
}

static MlirAttribute numbers(MlirContext context, const int64_t *entries, intptr_t count) {
  return mlirDenseI64ArrayGet(context, count, entries);
}

MlirValue stow_rows_slice(const stow_builder *builder, MlirValue memref, intptr_t dim,
                          MlirValue first, int64_t offset, int64_t size, int64_t stride) {
  if (is_all(memref, dim, first, offset, size))
    return memref;
  int64_t offsets[STOW_ROWS_MOST_RANK] = {0}, sizes[STOW_ROWS_MOST_RANK],
          strides[STOW_ROWS_MOST_RANK];
  const bool dropped[STOW_ROWS_MOST_RANK] = {false}, moving = !mlirValueIsNull(first);
  const intptr_t rank = rank_of(memref);
  for (intptr_t i = 0; i < rank; ++i) {
    sizes[i] = stow_rows_extent(memref, i);
    strides[i] = 1;
  }
  offsets[dim] = moving ? mlirShapedTypeGetDynamicSize() : offset;
  sizes[dim] = size;
  strides[dim] = step_of(stride, size);
  const int32_t segments[] = {1, moving, 0, 0};
  const stow_attribute attributes[] = {
      {"operandSegmentSizes", mlirDenseI32ArrayGet(builder->context, 4, segments)},
      {"static_offsets", numbers(builder->context, offsets, rank)},
      {"static_sizes", numbers(builder->context, sizes, rank)},
      {"static_strides", numbers(builder->context, strides, rank)}};
  const MlirValue operands[] = {memref, first};
  MlirType type =
      stow_bridge_subview_type(mlirValueGetType(memref), offsets, sizes, strides, dropped);
  const stow_op_parts parts = {.kind = STOW_MEMREF_SUBVIEW,
                               .operands = operands,
                               .operand_count = 1 + (size_t)moving,
                               .result = type,
                               .attributes = attributes,
                               .attribute_count = 4};
  return mlirOperationGetResult(stow_ir_build_op(builder, &parts), 0);
}

//===----------------------------------------------------------------------===//
// Rows in the operands of a statement
//===----------------------------------------------------------------------===//

intptr_t stow_rows_sliced_dim(const stow_rows_statement *statement, intptr_t operand) {
  MlirAffineMap map = statement->maps[operand];
  for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map); ++dim)
    if (stow_rows_index_uses(map, dim, statement->loop))
      return dim;
  return -1;
}

bool stow_rows_in_operand(const stow_rows_statement *statement, const stow_rows_buffer *buffer,
                          intptr_t operand, stow_rows_place *out) {
  MlirValue view = mlirOperationGetOperand(statement->op, operand);
  return buffer->has_rows && mlirValueEqual(root_of(view), buffer->value) &&
         in_view(view, buffer->dim, buffer->unit, out);
}
