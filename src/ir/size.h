//===- size.h - how many bytes a memref takes -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref occupies what the lowering to LLVM allocates for it: the number of
// elements times the *allocation size* of the element's LLVM type, which is its
// store size rounded up to its ABI alignment. An i1 takes a byte, an i24 four, an
// f80 sixteen, vector<3xf32> sixteen. Loads are lowered with that alignment, so a
// slice must have it whatever the alloc says. Where targets differ the larger
// answer is given: a slice may be too large, never too small.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SIZE_H
#define STOWAGE_IR_SIZE_H

#include "ir/formula.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum stow_size_status {
  STOW_SIZE_OK,
  STOW_SIZE_DYNAMIC,   // unranked, or a dimension known only at run time
  STOW_SIZE_UNBOUNDED, // such a dimension, of which no largest value is stated
  STOW_SIZE_LAYOUT,    // a layout that is not the identity
  STOW_SIZE_ELEMENT,   // an element type whose size is not known, or scalable
  STOW_SIZE_OVERFLOW,  // more than 2^62 bytes
} stow_size_status;

// How many bytes something has: a number known here, or one known at run time.
typedef struct stow_extent {
  bool known;
  uint64_t bytes;       // 0 where it is not known; a pass may put a typical number there
  stow_formula formula; // where it is not known: of its function (extents.h), or STOW_NO_FORMULA
  bool guarded;         // it counts in the whole scope, as 0 where nothing is allocated
  bool too_deep;        // it would, did the question not take too many ops
} stow_extent;

// What sizes depend on at some place in the IR; the same for a whole function.
typedef struct stow_layout {
  MlirOperation scope;
  uint64_t index_bits;
  bool specified; // a data layout specification holds there
} stow_layout;

stow_layout stow_layout_at(MlirOperation scope);

// The next multiple of `alignment`, which is not 0.
static inline uint64_t stow_ir_rounded_up(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// The alignment in bytes with which elements of a memref type, ranked or not, are loaded and stored
// where no op says another; 1 where the element's size is not known.
uint64_t stow_ir_natural_alignment(const stow_layout *layout, MlirType type);

// Bytes and natural alignment of a memref type. The extent is known where the status is OK.
stow_size_status stow_ir_memref_size(const stow_layout *layout, MlirType type,
                                     stow_extent *out_size, uint64_t *out_alignment);

// The same of a ranked memref of which some dimensions are dynamic, as if these were 1.
stow_size_status stow_ir_memref_unit(const stow_layout *layout, MlirType type, uint64_t *out_bytes,
                                     uint64_t *out_alignment);

// Bytes and natural alignment of one element of a memref type.
stow_size_status stow_ir_element_size(const stow_layout *layout, MlirType type, uint64_t *out_bytes,
                                      uint64_t *out_alignment);

// Bytes of a memref that an op makes; 0 where its type does not tell.
uint64_t stow_ir_made_bytes(MlirValue made);

#endif // STOWAGE_IR_SIZE_H
