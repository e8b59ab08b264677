//===- view.h - which elements of its source a view names -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one reader of what an op that makes a view says of its indices. Its row in ops.def says where
// that is written (op.h), and here it becomes numbers:
//
//   taken   an offset, a size and a step for each dimension of the source
//   to      which dimension of the view each of them becomes, alone or joined with others; of a
//           view that splits dimensions, the reverse
//
//   subview %m[4, 0] [1, 8] [1, 2] : memref<9x16xf32> to memref<8xf32, ...>
//     taken = {4, 1, 1}, {0, 8, 2}    to = none, 0
//   collapse_shape %m [[0, 1], [2]] : memref<2x3x5xf32> into memref<6x5xf32>
//     taken = all of it               to = 0, 0, 1
//
// An op that does not have what its row promises is not read: nothing is known of its indices.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_VIEW_H
#define STOWAGE_IR_VIEW_H

#include "bridge/linalg.h"
#include "ir/limits.h"
#include "ir/op.h"

typedef struct stow_view {
  stow_view_form form;
  bool of_memref;             // an op of the memref dialect: its attributes and its type may be set
  bool cuts;                  // not all of the source is taken, or in another order
  bool regroups;              // dimensions are joined or split
  bool splits;                // the view has more dimensions than the source, not fewer
  intptr_t source_rank, rank; // of the view
  stow_taken taken[STOW_VIEW_MOST_RANK]; // per dimension of the source
  intptr_t to[STOW_VIEW_MOST_RANK];      // per dimension of the view if it splits, else of the
                                         // source; -1: none, as it has one element
  intptr_t first;                        // operand that is an offset, if it cuts
} stow_view;

// Of a ranked memref that is made of a ranked memref; by its row, or as if that had another form.
bool stow_view_read(MlirOperation op, stow_view *out);

bool stow_view_read_as(MlirOperation op, stow_view_form form, stow_view *out);

// The operand that is a dynamic dimension of what an op makes, or -1: none is known to be.
intptr_t stow_view_size_operand(MlirOperation op, int64_t dimension);

// From the indices of the view to those of its source. Null where that needs a division, or numbers
// that are known at run time only.
MlirAffineMap stow_view_map(MlirOperation op, const stow_view *view);

// Whether it leaves dimensions out and has steps. The lowering of such a subview looks for the
// strides of its result among those of its source: it may find them there as they are, and in no
// other source.
bool stow_view_drops_and_steps(const stow_view *view);

#endif // STOWAGE_IR_VIEW_H
