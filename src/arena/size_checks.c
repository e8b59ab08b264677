//===- size_checks.c - assertions that sizes are as they were read ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With `verify-sizes` the program checks what plans for unknown sizes rely on, and ends with a
// message if it does not hold. At the beginning of a function: arguments are within the ranges of
// stowage.dims. Where a buffer is made: no size is negative, and the buffer's bytes, computed again
// from the operands of the alloc, are within its slice and within the arena.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "ir/dims.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

static void require(const stow_builder *builder, MlirValue least, MlirValue most, char *message) {
  stow_ir_build_assert(builder, stow_ir_build_compare(builder, STOW_AT_MOST, least, most), message);
  free(message);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static char *text_of_size(const stow_arenas *arenas, const stow_arena *arena, size_t member) {
  const stow_extent *size = &stow_arena_fact(arenas, arena, member)->size;
  return size->known
             ? stow_ir_format("%llu", (unsigned long long)size->bytes)
             : stow_formula_text(stow_arena_function(arenas, arena)->extents, size->formula);
}

static MlirValue product(const stow_builder *builder, MlirValue a, MlirValue b) {
  return stow_ir_build_binary(builder, STOW_ARITH_MULI, a, b);
}

static MlirValue number(const stow_builder *builder, uint64_t value) {
  return stow_ir_build_number(builder, mlirIndexTypeGet(builder->context), (int64_t)value);
}

// The bytes of what an alloc makes, from its operands, of which none may be below 0.
static MlirValue count_bytes(const stow_builder *builder, const stow_layout *layout,
                             MlirValue buffer, const char *where) {
  const MlirType type = mlirValueGetType(buffer);
  uint64_t unit = 0, alignment;
  const stow_size_status status = stow_ir_memref_unit(layout, type, &unit, &alignment);
  assert(status == STOW_SIZE_OK);
  (void)status; // it was planned
  MlirValue bytes = number(builder, unit);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    if (!mlirShapedTypeIsDynamicDim(type, d))
      continue;
    const MlirValue size = stow_ir_build_size_of(builder, mlirOpResultGetOwner(buffer), d);
    require(builder, number(builder, 0), size,
            stow_ir_format("%s: dimension %lld is below 0", where, (long long)d));
    bytes = product(builder, bytes, size);
  }
  return bytes;
}

void stow_arena_check_member_size(const stow_builder *builder, const stow_arenas *arenas,
                                  const stow_arena *arena, size_t member, const stow_slice *slice) {
  const MlirValue buffer = stow_arena_value(arenas, arena, member);
  if (mlirShapedTypeHasStaticShape(mlirValueGetType(buffer)))
    return;
  char *where = stow_ir_location_text(mlirValueGetLocation(buffer));
  char *size = text_of_size(arenas, arena, member);
  const stow_layout *layout = &stow_arena_function(arenas, arena)->flow.layout;
  const MlirValue bytes = count_bytes(builder, layout, buffer, where);
  const MlirValue end = stow_ir_build_binary(builder, STOW_ARITH_ADDI, slice->offset, bytes);
  const MlirValue whole = stow_ir_build_dim(builder, slice->arena, 0);
  require(builder, bytes, slice->bytes,
          stow_ir_format("%s: the buffer is larger than its slice of %s bytes", where, size));
  require(builder, end, whole,
          stow_ir_format("%s: the buffer, of %s bytes, ends behind its arena", where, size));
  free(where);
  free(size);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static void check_argument(const stow_builder *builder, MlirOperation function, MlirValue argument,
                           int64_t dimension) {
  const intptr_t a = mlirBlockArgumentGetArgNumber(argument);
  const stow_stated stated = stow_stated_of(function, a, dimension < 0 ? 0 : dimension);
  if (stated.min < 0 && stated.max < 0)
    return;
  char *what = dimension < 0 ? stow_ir_format("argument %lld", (long long)a)
                             : stow_ir_format("dimension %lld of argument %lld",
                                              (long long)dimension, (long long)a);
  const MlirValue size = dimension < 0 ? stow_ir_build_index(builder, argument)
                                       : stow_ir_build_dim(builder, argument, dimension);
  if (stated.min >= 0)
    require(builder, number(builder, (uint64_t)stated.min), size,
            stow_ir_format("%s is below the stated %lld", what, (long long)stated.min));
  if (stated.max >= 0)
    require(builder, size, number(builder, (uint64_t)stated.max),
            stow_ir_format("%s is above the stated %lld", what, (long long)stated.max));
  free(what);
}

void stow_arena_check_stated_sizes(MlirOperation function) {
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  const stow_builder builder =
      stow_builder_before(mlirBlockGetFirstOperation(entry), mlirOperationGetLocation(function));
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(entry); ++a) {
    const MlirValue argument = mlirBlockGetArgument(entry, a);
    const MlirType type = mlirValueGetType(argument);
    if (!mlirTypeIsAMemRef(type))
      check_argument(&builder, function, argument, -1);
    for (int64_t d = 0; mlirTypeIsAMemRef(type) && d < mlirShapedTypeGetRank(type); ++d)
      check_argument(&builder, function, argument, d);
  }
}
