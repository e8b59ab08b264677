//===- bytes.h - the bytes of a buffer that a view is ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_BYTES_H
#define STOWAGE_IR_BYTES_H

#include "ir/flow.h"
#include "ir/size.h"

// Of an allocation or a memref.view that stream-rows made: the number of bytes that its buffer had
// before. Other such views may use the bytes of a view, where it has no rows to keep.
#define STOW_ROWS "stowage.rows"

// [begin, end) of the buffer `root`, a value of the flow; where the two are not known, all of it.
typedef struct stow_view_bytes {
  int32_t root;
  bool known;
  bool all; // for certain, all of it
  int64_t begin, end;
} stow_view_bytes;

stow_view_bytes stow_view_bytes_of(const stow_flow *flow, int32_t value);

// Of two ranges with the same root.
bool stow_view_bytes_may_overlap(const stow_view_bytes *a, const stow_view_bytes *b);
bool stow_view_bytes_contain(const stow_view_bytes *outer,
                             const stow_view_bytes *inner); // for certain

// Bytes of one element of a memref type. False where that is not known, or more than 32 bits hold.
bool stow_ir_element_bytes(const stow_layout *layout, MlirType type, int64_t *out_bytes);

#endif // STOWAGE_IR_BYTES_H
