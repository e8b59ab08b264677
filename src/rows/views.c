//===- views.c - rows of a buffer behind its views ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires views by ops that view.h reads, of static shape. Follows the rows of a buffer (blocks of
// elements along one dimension) through them: into a view, and from a view back to the buffer.
// Makes the views again of some rows only.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "ir/view.h"
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

// Only what can be made again of rows is understood.
static bool read_view(MlirOperation op, stow_view *out) {
  return stow_view_read(op, out) && out->of_memref &&
         (out->cuts || out->regroups || out->form == STOW_VIEW_CAST) &&
         is_static(mlirOperationGetOperand(op, 0)) && is_static(mlirOperationGetResult(op, 0));
}

// The op that makes `view` of another value, or a null op.
static MlirOperation view_op(MlirValue view, stow_view *out) {
  if (!mlirValueIsAOpResult(view) || !read_view(mlirOpResultGetOwner(view), out))
    return (MlirOperation){NULL};
  return mlirOpResultGetOwner(view);
}

// The value that `view` is a view of, through ops that are understood here.
static MlirValue root_of(MlirValue view) {
  const MlirValue last = stow_ir_root_of(view); // where views are views of each other, one of them
  stow_view step;
  for (MlirOperation op;
       !mlirValueEqual(view, last) && !mlirOperationIsNull(op = view_op(view, &step));)
    view = mlirOperationGetOperand(op, 0);
  return view;
}

//===----------------------------------------------------------------------===//
// From the source of a view to the view
//===----------------------------------------------------------------------===//

static bool cut(const stow_view *view, stow_rows_place *place) {
  const stow_taken part = view->taken[place->dim];
  const int64_t unknown = mlirShapedTypeGetDynamicSize();
  if (part.offset == unknown || part.size == unknown || part.stride < 1 ||
      part.offset % place->unit || part.size % place->unit || (place->unit > 1 && part.stride > 1))
    return false;
  place->offset += place->scale * (part.offset / place->unit);
  place->scale *= part.stride;
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
  stow_view step;
  for (MlirOperation op; !hides && !mlirOperationIsNull(op = view_op(view, &step));
       view = mlirOperationGetOperand(op, 0))
    hides = step.form == STOW_VIEW_CAST &&
            !stow_bridge_memref_has_identity_layout(mlirValueGetType(view));
  return hides;
}

// From a dimension of `longer` to that which it becomes a part of.
static bool join(MlirValue longer, const intptr_t *joined, intptr_t *dim, int64_t *unit) {
  int64_t after;
  if (!only_outer(longer, joined, *dim, &after))
    return false;
  *dim = joined[*dim];
  *unit *= after;
  return *dim >= 0;
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

static bool through(MlirOperation op, const stow_view *view, stow_rows_place *place) {
  const MlirValue source = mlirOperationGetOperand(op, 0);
  if (view->cuts && !cut(view, place))
    return false;
  if (view->splits)
    return split(mlirOperationGetResult(op, 0), view->to, place->dim, place->unit, &place->dim,
                 &place->unit);
  return !(view->regroups && hides_layout(source)) &&
         join(source, view->to, &place->dim, &place->unit);
}

// Where the rows of the root, blocks of `unit` along its dimension `dim`, are in a view of it.
// False if they are not separate rows of the view.
static bool in_view(MlirValue view, intptr_t dim, int64_t unit, stow_rows_place *out) {
  stow_view step;
  MlirOperation op = view_op(view, &step);
  if (mlirOperationIsNull(op)) {
    *out = (stow_rows_place){dim, unit, 1, 0};
    return true;
  }
  return in_view(mlirOperationGetOperand(op, 0), dim, unit, out) && through(op, &step, out) &&
         (out->scale == 1 || unit == 1);
}

//===----------------------------------------------------------------------===//
// From a view to its source
//===----------------------------------------------------------------------===//

static bool back_through(MlirOperation op, const stow_view *view, intptr_t *dim, int64_t *unit) {
  const MlirValue source = mlirOperationGetOperand(op, 0);
  if (view->splits)
    return join(mlirOperationGetResult(op, 0), view->to, dim, unit);
  if (view->regroups)
    return split(source, view->to, *dim, *unit, dim, unit);
  intptr_t from = 0;
  while (view->to[from] != *dim)
    ++from;
  *dim = from;
  return true;
}

bool stow_rows_of_view(MlirValue view, intptr_t dim, int64_t unit, intptr_t *out_dim,
                       int64_t *out_unit) {
  stow_view step;
  for (MlirOperation op; !mlirOperationIsNull(op = view_op(view, &step));
       view = mlirOperationGetOperand(op, 0))
    if (!back_through(op, &step, &dim, &unit))
      return false;
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

static void set_attribute(MlirOperation op, stow_attribute attribute) {
  mlirOperationSetAttributeByName(op, stow_ir_string(attribute.name), attribute.value);
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

enum { PART_ATTRIBUTES = 3 };

static void part_attributes(MlirContext context, const stow_taken *taken, intptr_t rank,
                            stow_attribute *out) {
  int64_t offsets[STOW_ROWS_MOST_RANK], sizes[STOW_ROWS_MOST_RANK], strides[STOW_ROWS_MOST_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    offsets[i] = taken[i].offset;
    sizes[i] = taken[i].size;
    strides[i] = taken[i].stride;
  }
  out[0] = (stow_attribute){"static_offsets", mlirDenseI64ArrayGet(context, rank, offsets)};
  out[1] = (stow_attribute){"static_sizes", mlirDenseI64ArrayGet(context, rank, sizes)};
  out[2] = (stow_attribute){"static_strides", mlirDenseI64ArrayGet(context, rank, strides)};
}

static MlirValue part_of(const stow_builder *builder, MlirOperation op, MlirValue source,
                         const stow_view *view) {
  MlirOperation copy = clone_on(op, source);
  stow_attribute attributes[PART_ATTRIBUTES];
  part_attributes(builder->context, view->taken, rank_of(source), attributes);
  for (int i = 0; i < PART_ATTRIBUTES; ++i)
    set_attribute(copy, attributes[i]);
  set_type(copy, stow_bridge_subview_type(mlirValueGetType(source), view->taken, view->to));
  return insert(builder, copy);
}

// Where elements are steps apart, dimensions are left out in a second subview.
static MlirValue subview_of(const stow_builder *builder, MlirOperation op, const stow_view *view,
                            MlirValue source, intptr_t dim, int64_t size) {
  stow_view all = *view, rest = *view;
  all.taken[dim] = (stow_taken){0, size, 1};
  for (intptr_t i = 0; i < view->source_rank; ++i) {
    all.taken[i].stride = step_of(all.taken[i].stride, all.taken[i].size);
    rest.taken[i] = (stow_taken){0, all.taken[i].size, 1};
  }
  if (!stow_view_drops_and_steps(&all))
    return part_of(builder, op, source, &all);
  for (intptr_t i = 0; i < view->source_rank; ++i)
    all.to[i] = i;
  return part_of(builder, op, part_of(builder, op, source, &all), &rest);
}

static MlirValue expand_of(const stow_builder *builder, MlirOperation op, const stow_view *view,
                           MlirValue source, intptr_t dim, int64_t size) {
  MlirOperation copy = clone_on(op, source);
  int64_t sizes[STOW_ROWS_MOST_RANK];
  for (intptr_t i = 0; i < view->rank; ++i)
    sizes[i] = i == dim ? size : stow_rows_extent(mlirOperationGetResult(op, 0), i);
  set_attribute(copy, (stow_attribute){"static_output_shape",
                                       mlirDenseI64ArrayGet(builder->context, view->rank, sizes)});
  set_type(copy, stow_bridge_expanded_type(mlirValueGetType(source), sizes, view->to, view->rank));
  return insert(builder, copy);
}

static MlirValue collapse_of(const stow_builder *builder, MlirOperation op, const stow_view *view,
                             MlirValue source) {
  MlirOperation copy = clone_on(op, source);
  set_type(copy, stow_bridge_collapsed_type(mlirValueGetType(source), view->to));
  return insert(builder, copy);
}

MlirValue stow_rows_rebuild(const stow_builder *builder, MlirValue view, intptr_t dim, int64_t unit,
                            MlirValue rows, int64_t count) {
  stow_view step;
  MlirOperation op = view_op(view, &step);
  if (mlirOperationIsNull(op))
    return rows;
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirValue made = stow_rows_rebuild(builder, source, dim, unit, rows, count);
  stow_rows_place from, to;
  const bool found = in_view(source, dim, unit, &from) && in_view(view, dim, unit, &to);
  assert(found);
  (void)found;
  if (step.cuts)
    return subview_of(builder, op, &step, made, from.dim, count * to.unit);
  if (step.splits)
    return expand_of(builder, op, &step, made, to.dim, count * to.unit);
  if (step.regroups)
    return collapse_of(builder, op, &step, made);
  return made; // the layout of the rows is another one than a cast's
}

//===----------------------------------------------------------------------===//
// Other strides
//===----------------------------------------------------------------------===//

bool stow_rows_takes_strides(MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    stow_view step;
    if (stow_ir_makes_view(use) &&
        (!read_view(op, &step) || !step.cuts || stow_view_drops_and_steps(&step)))
      return false;
  }
  return true;
}

void stow_rows_renew_types(MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    stow_view step;
    if (!stow_ir_makes_view(use) || !read_view(op, &step))
      continue;
    set_type(op, stow_bridge_subview_type(mlirValueGetType(mlirOpOperandGetValue(use)), step.taken,
                                          step.to));
  }
}

static bool is_all(MlirValue memref, intptr_t dim, MlirValue first, int64_t offset, int64_t size) {
  return mlirValueIsNull(first) && offset == 0 && size == stow_rows_extent(memref, dim);
}

MlirValue stow_rows_slice(const stow_builder *builder, MlirValue memref, intptr_t dim,
                          MlirValue first, int64_t offset, int64_t size, int64_t stride) {
  if (is_all(memref, dim, first, offset, size))
    return memref;
  stow_taken taken[STOW_ROWS_MOST_RANK];
  intptr_t to[STOW_ROWS_MOST_RANK];
  const bool moving = !mlirValueIsNull(first);
  const intptr_t rank = rank_of(memref);
  for (intptr_t i = 0; i < rank; ++i) {
    taken[i] = (stow_taken){0, stow_rows_extent(memref, i), 1};
    to[i] = i;
  }
  taken[dim] =
      (stow_taken){moving ? mlirShapedTypeGetDynamicSize() : offset, size, step_of(stride, size)};
  const int32_t segments[] = {1, moving, 0, 0};
  stow_attribute attributes[PART_ATTRIBUTES + 1] = {
      [PART_ATTRIBUTES] = {"operandSegmentSizes",
                           mlirDenseI32ArrayGet(builder->context, 4, segments)}};
  part_attributes(builder->context, taken, rank, attributes);
  const MlirValue operands[] = {memref, first};
  const MlirType type = stow_bridge_subview_type(mlirValueGetType(memref), taken, to);
  const stow_op_parts parts = {.kind = STOW_MEMREF_SUBVIEW,
                               .operands = operands,
                               .operand_count = 1 + (size_t)moving,
                               .result = type,
                               .attributes = attributes,
                               .attribute_count = PART_ATTRIBUTES + 1};
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
