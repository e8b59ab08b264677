//===- share.c - one allocation for buffers that share bytes --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of one buffer may lie over dead rows of another. A planner of whole buffers cannot
// express that, so buffers and windows that may share bytes become views of one allocation
// before it runs. These views have an attribute, because two of them may be in use in the same
// bytes at a time without being a fault.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "ir/buffers.h"
#include "ir/build.h"
#include "ir/bytes.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static bool has_promise(MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value)
    if (stow_ir_makes_view(use) && stow_view_form_of(mlirOpOperandGetOwner(use)) == STOW_VIEW_SAME)
      return true;
  return false;
}

static bool may_share(const stow_rows_block *b, const stow_rows_problem *problem, size_t buffer) {
  const stow_rows_buffer *it = &b->buffers.at[buffer];
  return problem->buffers[buffer].local && it->bytes > 0 &&
         b->buffer_begins[buffer] < b->buffer_begins[buffer + 1] &&
         it->alignment <= problem->problem.alignment && !has_promise(it->value);
}

// Buffers that share bytes are of one memory space, and freed, all of them or none.
typedef struct kind {
  MlirAttribute space;
  bool freed;
} kind;

static kind kind_of(MlirValue value) {
  return (kind){stow_ir_memory_space(mlirValueGetType(value)), stow_rows_is_freed(value)};
}

static bool are_alike(kind one, kind other) {
  return mlirAttributeEqual(one.space, other.space) && one.freed == other.freed;
}

bool *stow_rows_sharers(const stow_rows_block *b, const stow_rows_problem *problem) {
  bool *sharers = stow_ir_allocate(b->buffers.count, sizeof *sharers), any = false;
  kind first = {0};
  for (size_t i = STOW_ROWS_FIRST_ALLOC; i < b->alloc_end; ++i) {
    const kind it = kind_of(b->buffers.at[i].value);
    sharers[i] = may_share(b, problem, i) && (!any || are_alike(first, it));
    first = any || !sharers[i] ? first : it;
    any |= sharers[i];
  }
  return sharers;
}

// In front of all that share it.
static MlirOperation first_alloc(const stow_rows_block *b, const stow_stream_places *places) {
  for (MlirOperation op = mlirBlockGetFirstOperation(b->block);;
       op = mlirOperationGetNextInBlock(op))
    if (stow_ir_is_plain_alloc(op)) {
      const int32_t buffer = stow_map_get(&b->buffer_of, mlirOperationGetResult(op, 0).ptr);
      if (buffer >= 0 && stow_stream_find_place(places, (size_t)buffer))
        return op;
    }
}

// What the buffers that share it ask for, and more than any heap gives where elements need that.
// That bytes are given out in larger steps asks for nothing. 0: as the heap has it.
static uint64_t alignment_of(const stow_rows_block *b, const stow_stream_places *places) {
  uint64_t asked = 0, needed = 0;
  for (size_t i = 0; i < places->count; ++i) {
    const stow_rows_buffer *buffer = &b->buffers.at[places->at[i].buffer];
    asked = stow_ir_larger(asked, buffer->asked);
    needed = stow_ir_larger(needed, buffer->alignment);
  }
  return needed > STOW_HEAP_ALIGNMENT ? needed : asked;
}

void stow_rows_make_shared(const stow_rows_block *b, const stow_stream_places *places,
                           stow_rows_shared *out) {
  *out = (stow_rows_shared){.places = places};
  if (places->count == 0)
    return;
  MlirValue like = b->buffers.at[places->at[0].buffer].value;
  MlirOperation first = first_alloc(b, places);
  const stow_builder builder = stow_builder_before(first, mlirOperationGetLocation(first));
  MlirType type =
      stow_ir_bytes_type(&builder, places->bytes, stow_ir_memory_space(mlirValueGetType(like)));
  out->memory = stow_ir_build_alloc(&builder, type, alignment_of(b, places));
  out->constants.builder = stow_builder_before(mlirOpResultGetOwner(out->memory), builder.location);
  if (stow_rows_is_freed(like))
    stow_ir_build_dealloc(&(stow_builder){.before = mlirBlockGetTerminator(b->block),
                                          .location = builder.location,
                                          .context = builder.context},
                          out->memory);
}

//===----------------------------------------------------------------------===//
// Rows outermost
//===----------------------------------------------------------------------===//

// The dimension in memory of a dimension of a memref whose rows are outermost there.
static intptr_t place_of(intptr_t i, intptr_t rows) { return i == rows ? 0 : i < rows ? i + 1 : i; }

// A memref of the type, but with the dimension of rows in front of the others.
static MlirType type_in_memory(MlirType type, intptr_t rows) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t shape[STOW_ROWS_MOST_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    shape[place_of(i, rows)] = mlirShapedTypeGetDimSize(type, i);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), rank, shape,
                                     stow_ir_memory_space(type));
}

// Dimensions in their order, with the strides that they have in memory.
static MlirValue transpose_back(const stow_builder *builder, MlirValue memory, MlirType type,
                                intptr_t rows) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t shape[STOW_ROWS_MOST_RANK], inside[STOW_ROWS_MOST_RANK], strides[STOW_ROWS_MOST_RANK],
      step = 1;
  unsigned places[STOW_ROWS_MOST_RANK];
  for (intptr_t i = rank; i-- > 0; step *= mlirShapedTypeGetDimSize(mlirValueGetType(memory), i))
    inside[i] = step;
  for (intptr_t i = 0; i < rank; ++i) {
    places[i] = (unsigned)place_of(i, rows);
    shape[i] = mlirShapedTypeGetDimSize(type, i);
    strides[i] = inside[places[i]];
  }
  MlirType transposed = mlirMemRefTypeGet(
      mlirShapedTypeGetElementType(type), rank, shape,
      mlirStridedLayoutAttrGet(builder->context, 0, rank, strides), stow_ir_memory_space(type));
  const stow_attribute order = {"permutation", mlirAffineMapAttrGet(mlirAffineMapPermutationGet(
                                                   builder->context, rank, places))};
  return stow_ir_build_with(builder, STOW_MEMREF_TRANSPOSE, &memory, 1, transposed, order);
}

MlirValue stow_rows_share(stow_rows_shared *shared, const stow_builder *builder,
                          const stow_rows_block *b, size_t buffer, MlirType type) {
  const stow_stream_place *place = stow_stream_find_place(shared->places, buffer);
  const stow_rows_buffer *it = &b->buffers.at[buffer];
  if (!place)
    return (MlirValue){NULL};
  MlirValue view =
      stow_ir_build_view(builder, shared->memory, stow_constant(&shared->constants, place->offset),
                         NULL, 0, it->transposed ? type_in_memory(type, it->dim) : type);
  stow_ir_set_number(mlirOpResultGetOwner(view), STOW_ROWS, (int64_t)it->bytes);
  return it->transposed ? transpose_back(builder, view, type, it->dim) : view;
}

void stow_rows_share_whole(const stow_rows_block *b, const stow_stream_cut *cut,
                           stow_rows_shared *shared) {
  bool *windowed = stow_rows_windowed(b, cut);
  for (size_t i = 0; i < shared->places->count; ++i) {
    const size_t buffer = shared->places->at[i].buffer;
    if (windowed[buffer]) // its allocation is gone
      continue;
    MlirValue value = b->buffers.at[buffer].value;
    MlirOperation alloc = mlirOpResultGetOwner(value);
    const stow_builder builder = stow_builder_before(alloc, mlirOperationGetLocation(alloc));
    stow_ir_erase_deallocs(value);
    MlirValue view = stow_rows_share(shared, &builder, b, buffer, mlirValueGetType(value));
    mlirValueReplaceAllUsesOfWith(value, view);
    if (!mlirTypeEqual(mlirValueGetType(view), mlirValueGetType(value)))
      stow_rows_renew_types(view);
    mlirOperationDestroy(alloc);
  }
  free(windowed);
  stow_constants_free(&shared->constants);
}
