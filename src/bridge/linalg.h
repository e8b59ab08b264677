//===- linalg.h - what a structured op loops over, and types of views -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside bridge.h, in the same manner: one function per question.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_LINALG_H
#define STOWAGE_BRIDGE_LINALG_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How many loops a linalg op or a memref.copy has, or -1: neither, with tensors, or of a size that
// is not static, or of a layout that is neither the identity nor strided<>.
intptr_t stow_bridge_loop_count(MlirOperation op);

// Its loops, outermost first: how often each runs, and whether its iterations are independent.
void stow_bridge_loops(MlirOperation op, int64_t *out_extents, bool *out_parallel);

// From the loops to the indices into operand `operand`.
MlirAffineMap stow_bridge_loop_map(MlirOperation op, intptr_t operand);

// Of every operand: for many ops, MLIR makes all of their maps each time that it is asked for one.
void stow_bridge_loop_maps(MlirOperation op, MlirAffineMap *out_maps);

// Whether a linalg op, whatever its sizes, has independent loops, each of which reads one cell of
// operand `from` and sets that cell of operand `to`.
bool stow_bridge_sets_same_cells(MlirOperation op, intptr_t from, intptr_t to);

// Whether an op computes each element of a vector by itself, as it computes one number.
bool stow_bridge_is_elementwise(MlirOperation op);

// Whether the lowering to LLVM makes one memcpy of a memref.copy: both sides are contiguous.
bool stow_bridge_copy_is_contiguous(MlirOperation copy);

// Replaces a memref.copy of ranked memrefs by a linalg.copy.
void stow_bridge_copy_by_loops(MlirOperation copy);

// Whether the regions of both compute the same, of equal arguments and the same values from
// outside.
bool stow_bridge_same_bodies(MlirOperation a, MlirOperation b);

// Whether it writes operand `operand`.
bool stow_bridge_loop_writes(MlirOperation op, intptr_t operand);

// The operand of a linalg op whose elements are what it writes to its only output, as they are, or
// -1.
intptr_t stow_bridge_moved_operand(MlirOperation op);

// The value from outside that a linalg op writes to every cell of its only output, or null.
MlirValue stow_bridge_filling_value(MlirOperation op);

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// What an op sets its only output to, as an attribute: a linalg op that moves, casts or fills, or a
// copy. `operands` has the elements of each memref that it reads, and null for others. Null where
// that is not such an op, or not known.
MlirAttribute stow_bridge_folded_elements(MlirOperation op, const MlirAttribute *operands);

// The elements of a memref.global that never changes, dense or a resource, or null. Where they are,
// each has the bytes of its type, but one if it is all of them.
MlirAttribute stow_bridge_constant_elements(MlirOperation global);
const char *stow_bridge_elements_data(MlirAttribute elements);
bool stow_bridge_is_splat(MlirAttribute elements);

// A constant memref.global of that type before the op `next`, under a name that is free in the
// symbol table around it: `name`, or with a number. And its value before `op`.
MlirOperation stow_bridge_add_constant(MlirSymbolTable symbols, MlirOperation next,
                                       const char *name, MlirType type, MlirAttribute elements,
                                       uint64_t alignment);
MlirValue stow_bridge_get_constant(MlirOperation global, MlirOperation op);

//===----------------------------------------------------------------------===//
// Maps from cells to cells
//===----------------------------------------------------------------------===//

// Of an op that writes each element of operand `from` to operand `to`: from the indices of the one
// to those of the other. Null where that is no choice of the target's indices, or 0.
MlirAffineMap stow_bridge_movement_map(MlirOperation op, intptr_t from, intptr_t to);

// From the indices of a memref to none.
MlirAffineMap stow_bridge_constant_map(MlirValue memref);

MlirAffineMap stow_bridge_compose_maps(MlirAffineMap outer, MlirAffineMap inner);

// Whether a linalg op or a copy can read what has type `source`, a memref or one value, instead of
// all operands that `maps` has a map for, through that; one entry per operand, null: it stays.
bool stow_bridge_can_read_at(MlirOperation op, const MlirAffineMap *maps, MlirType source);

// Has one operand do so; gives the op that takes its place, or itself.
MlirOperation stow_bridge_read_at(MlirOperation op, intptr_t operand, MlirValue source,
                                  MlirAffineMap map);

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

// What a view takes of its source along a dimension of that. A number known at run time only is
// mlirShapedTypeGetDynamicSize().
typedef struct stow_taken {
  int64_t offset, size, stride;
} stow_taken;

// Of an op with OffsetSizeAndStrideOpInterface: what it takes of a source of that rank, and which
// operand is its first offset; which one is the first of `count` sizes, or -1. False, or -1, where
// it has not so many, or is another op.
bool stow_bridge_taken(MlirOperation op, intptr_t rank, stow_taken *out, intptr_t *out_first);
intptr_t stow_bridge_first_size(MlirOperation op, intptr_t count);

// The type that an op of the memref dialect makes of a ranked memref; null where there is none. By
// what it takes of each dimension, and which dimension of the view that becomes, -1: none. Of the
// longer shape `to` says into which one each dimension is joined; `sizes` is the shape that a
// memref.expand_shape makes.
MlirType stow_bridge_subview_type(MlirType source, const stow_taken *taken, const intptr_t *to);
MlirType stow_bridge_collapsed_type(MlirType source, const intptr_t *to);
MlirType stow_bridge_expanded_type(MlirType source, const int64_t *sizes, const intptr_t *to,
                                   intptr_t rank);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BRIDGE_LINALG_H
