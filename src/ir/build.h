//===- build.h - making the few ops that rewrites need --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_BUILD_H
#define STOWAGE_IR_BUILD_H

#include "ir/op.h"
#include "ir/support.h"

// Where new ops go, and the location they get.
typedef struct stow_builder {
  MlirContext context;
  MlirOperation before;
  MlirLocation location;
} stow_builder;

stow_builder stow_builder_before(MlirOperation op, MlirLocation location);

// Uses of the op's result, if it has one, become uses of its first operand.
void stow_ir_forward_operand(MlirOperation op);

typedef struct stow_attribute {
  const char *name;
  MlirAttribute value;
} stow_attribute;

// Any op without regions. Zero-initialised fields mean none.
typedef struct stow_op_parts {
  stow_op_kind kind;
  const MlirValue *operands;
  size_t operand_count;
  MlirType result;
  const stow_attribute *attributes;
  size_t attribute_count;
} stow_op_parts;

MlirOperation stow_ir_build_op(const stow_builder *builder, const stow_op_parts *parts);

// An op like `op`, in front of it, with other operands and results. It takes over the attributes
// and the regions; nothing is left in `op` but its uses. Where operands are in segments, those that
// are more or fewer belong to the last segment.
MlirOperation stow_ir_build_again(MlirOperation op, const MlirValue *operands, size_t operand_count,
                                  const MlirType *results, size_t result_count);

// An op of these operands and nothing else, and the only result of such an op. `result` may be
// null: it has none.
MlirOperation stow_ir_build_plain(const stow_builder *builder, stow_op_kind kind,
                                  const MlirValue *operands, size_t count, MlirType result);
MlirValue stow_ir_build_value(const stow_builder *builder, stow_op_kind kind,
                              const MlirValue *operands, size_t count, MlirType result);

// The result of an op that has one attribute, too.
MlirValue stow_ir_build_with(const stow_builder *builder, stow_op_kind kind,
                             const MlirValue *operands, size_t count, MlirType result,
                             stow_attribute attribute);

// An arith.constant of an integer or index type.
MlirValue stow_ir_build_number(const stow_builder *builder, MlirType type, int64_t number);

// OP of two values of one type.
MlirValue stow_ir_build_binary(const stow_builder *builder, stow_op_kind kind, MlirValue left,
                               MlirValue right);

// An integer as an index; a bit as 0 or 1.
MlirValue stow_ir_build_index(const stow_builder *builder, MlirValue value);

MlirValue stow_ir_build_compare(const stow_builder *builder, enum stow_predicate predicate,
                                MlirValue left, MlirValue right);
MlirValue stow_ir_build_select(const stow_builder *builder, MlirValue bit, MlirValue yes,
                               MlirValue no);

// A cf.assert: where the bit is not set the program ends with the message.
void stow_ir_build_assert(const stow_builder *builder, MlirValue bit, const char *message);

MlirValue stow_ir_build_dim(const stow_builder *builder, MlirValue memref, int64_t dimension);

// memref<SIZExi8, SPACE>
MlirType stow_ir_bytes_type(const stow_builder *builder, uint64_t size, MlirAttribute space);

MlirType stow_ir_any_bytes_type(MlirContext context, MlirAttribute space); // memref<?xi8, SPACE>

// `alignment`: 0: as the heap has it.
MlirValue stow_ir_build_alloc(const stow_builder *builder, MlirType type, uint64_t alignment);

// An alloc of so many bytes, an index.
MlirValue stow_ir_build_alloc_bytes(const stow_builder *builder, MlirValue bytes,
                                    MlirAttribute space, uint64_t alignment);
MlirValue stow_ir_build_alloca(const stow_builder *builder, MlirType type, uint64_t alignment);

// A memref that is known to be aligned to so many bytes: itself where that is 1.
MlirValue stow_ir_build_aligned(const stow_builder *builder, MlirValue memref, uint64_t alignment);

// A func.func in front of the op where `builder` stands. With a body, that is a func.return without
// operands.
MlirOperation stow_ir_build_function(const stow_builder *builder, const char *name, MlirType type,
                                     bool with_body);

// A memref type of the shape and elements of another one, of identity layout, in a memory space.
MlirType stow_ir_identity_type(MlirType memref, MlirAttribute space);

// Whether memref.alloc makes it as it is: a ranked memref of identity layout. Any other type can be
// that of a view only.
bool stow_ir_can_alloc(MlirType type);
void stow_ir_set_alignment(MlirOperation alloc, uint64_t alignment); // in bytes

// Erases every memref.dealloc of the buffer by this name.
void stow_ir_erase_deallocs(MlirValue buffer);

// An alloc of `type`, a ranked memref of identity layout, whose dynamic sizes are those of `like`.
MlirValue stow_ir_build_alloc_like(const stow_builder *builder, MlirType type, MlirValue like);

// The type of an allocation that has room for a memref of `type`: itself, or all of identity layout
// that casts to it, or as many cells as its strides reach. Null where no type says that.
MlirType stow_ir_type_with_room(MlirType type);

// Whether a memref of `type` is only a part of that.
bool stow_ir_is_part_of_room(MlirType type);

// Such an allocation, with the contents of `source` and by a name of `type`; `alignment` in bytes,
// or 0: as the heap has it.
MlirValue stow_ir_build_clone(const stow_builder *builder, MlirValue source, MlirType type,
                              uint64_t alignment);

// A dynamic dimension of what an alloc, or a clone, makes: its operand, or what is asked of the
// source.
MlirValue stow_ir_build_size_of(const stow_builder *builder, MlirOperation alloc,
                                int64_t dimension);

MlirOperation stow_ir_build_dealloc(const stow_builder *builder, MlirValue memref);

// gpu.alloc or gpu.dealloc, which is done behind what is built. `token`: the type of the tokens
// that it begins and ends by, or null: it has none. `result`: may be null.
MlirOperation stow_ir_build_device_op(const stow_builder *builder, stow_op_kind kind,
                                      MlirType token, const MlirValue *operands, size_t count,
                                      MlirType result);

// In front of an op: its token becomes one that stands for those that the op waits for.
void stow_ir_forward_tokens(MlirOperation op);

// A view of `type`, whose dynamic sizes are given, in a memref of bytes.
MlirValue stow_ir_build_view(const stow_builder *builder, MlirValue bytes, MlirValue offset,
                             const MlirValue *sizes, size_t size_count, MlirType type);

// The cells of another memref's allocation that `type` tells of. Operands are the memref, and the
// offset, sizes and strides that the type does not have.
MlirValue stow_ir_build_part(const stow_builder *builder, const MlirValue *operands, size_t count,
                             MlirType type);
MlirOperation stow_ir_build_copy(const stow_builder *builder, MlirValue source, MlirValue target);

// Sets every byte of a memref of i8.
void stow_ir_build_fill(const stow_builder *builder, MlirValue bytes, uint8_t value);

// An scf.if without an else; gives the terminator of its then block.
MlirOperation stow_ir_build_if(const stow_builder *builder, MlirValue bit);

// An scf.for without results; gives the terminator of its body, and the number of the iteration.
MlirOperation stow_ir_build_for(const stow_builder *builder, MlirValue begin, MlirValue end,
                                MlirValue step, MlirValue *out_number);

// The same with values that it carries from one iteration to the next: `out_carried` are those of
// an iteration, which its terminator is to be given as operands; results are in its parent.
MlirOperation stow_ir_build_carrying_for(const stow_builder *builder, MlirValue begin,
                                         MlirValue end, MlirValue step, const MlirValue *carried,
                                         size_t count, MlirValue *out_number,
                                         MlirValue *out_carried);

// Where a ranked memref begins: its allocation, a memref of rank 0, and the element in it.
typedef struct stow_row_start {
  MlirValue base, offset;
} stow_row_start;

stow_row_start stow_ir_build_row_start(const stow_builder *builder, MlirValue memref);

// The first `span` elements from there, side by side in memory; and from where a memref begins.
MlirValue stow_ir_build_row(const stow_builder *builder, const stow_row_start *origin,
                            int64_t span);
MlirValue stow_ir_build_flat(const stow_builder *builder, MlirValue memref, int64_t span);

// Index constants, one op per value, all where `builder` stands.
typedef struct stow_constants {
  stow_builder builder;
  STOW_ARRAY(MlirValue) values;
  stow_map index; // of numbers, by number + 1 as a key
} stow_constants;

MlirValue stow_constant(stow_constants *constants, uint64_t number);
void stow_constants_free(stow_constants *constants);

#endif // STOWAGE_IR_BUILD_H
