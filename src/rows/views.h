//===- views.h - rows of a buffer behind its views ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a buffer are blocks of `unit` indices along one of its dimensions. A view
// may name some of them, as blocks along a dimension of its own: all rows but a frame
// (subview), each one W indices long (collapse_shape of H and W).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_VIEWS_H
#define STOWAGE_ROWS_VIEWS_H

#include "ir/build.h"

// Block b along dimension `dim` of a view, indices b * unit and the unit - 1 after it, is row
// scale * b + offset of the buffer.
typedef struct stow_rows_place {
  intptr_t dim;
  int64_t unit, scale, offset;
} stow_rows_place;

int64_t stow_rows_extent(MlirValue value, intptr_t dim);

// The value that `view` is a view of, through ops that are understood here.
MlirValue stow_rows_root(MlirValue view);

// Whether a use makes a view of the value, in any way.
bool stow_rows_is_view_of(MlirOpOperand use);

// Where the rows of the root, blocks of `unit` along its dimension `dim`, are in a view of it.
// False where they are not apart there.
bool stow_rows_in_view(MlirValue view, intptr_t dim, int64_t unit, stow_rows_place *out);

// Which dimension and unit of the root blocks along a dimension of a view belong to.
bool stow_rows_of_view(MlirValue view, intptr_t dim, int64_t unit, intptr_t *out_dim,
                       int64_t *out_unit);

// The blocks of `view` that start with its block `first`, `count` of them: `rows` is memory that
// holds exactly their rows of the root.
MlirValue stow_rows_rebuild(const stow_builder *builder, MlirValue view, intptr_t dim, int64_t unit,
                            MlirValue rows, int64_t count);

// Whether each view of the value is a subview that takes any strides of it: so its bytes may lie in
// another order.
bool stow_rows_takes_strides(MlirValue value);

// Types of those views, when the strides of the value have changed.
void stow_rows_renew_types(MlirValue value);

// Indices of `memref` along `dim`: `size` of them, `stride` apart, from `offset` on, or from
// `first` where that is not null.
MlirValue stow_rows_slice(const stow_builder *builder, MlirValue memref, intptr_t dim,
                          MlirValue first, int64_t offset, int64_t size, int64_t stride);

#endif // STOWAGE_ROWS_VIEWS_H
