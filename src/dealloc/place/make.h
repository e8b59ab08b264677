//===- make.h - the ops that ownership needs ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_MAKE_H
#define STOWAGE_DEALLOC_MAKE_H

#include "dealloc/read/domain.h"
#include "ir/build.h"

// Tells another run of the pass that it need not decide on what the op does.
void stow_dealloc_mark_by_bit(MlirOperation op);

// The allocation that a ranked memref lies in, as a memref of rank 0.
MlirValue stow_dealloc_make_base(const stow_builder *builder, MlirValue memref);

// A bit in memory, on the stack or the heap: made, set, and read; and a constant one.
MlirValue stow_dealloc_make_bit(const stow_builder *builder, bool on_stack);
void stow_dealloc_make_set(const stow_builder *builder, MlirValue memory, MlirValue bit);
MlirValue stow_dealloc_make_get(const stow_builder *builder, MlirValue memory);
MlirValue stow_dealloc_make_constant(const stow_builder *builder, bool bit);

// The address of a ranked memref's allocation, as an index.
MlirValue stow_dealloc_make_address(const stow_builder *builder, MlirValue memref);

// An scf.if that yields the one or the other values, `count` of each.
MlirOperation stow_dealloc_make_choice(const stow_builder *builder, MlirValue condition,
                                       const MlirValue *chosen, const MlirValue *other,
                                       intptr_t count);

// A block that branches to `to` with its arguments. Not inserted anywhere.
MlirBlock stow_dealloc_make_detour(MlirLocation location, MlirBlock to);

// A block with nothing but an op of that name, without operands.
MlirBlock stow_dealloc_make_block_with(MlirLocation location, stow_op_kind terminator);

#endif // STOWAGE_DEALLOC_MAKE_H
