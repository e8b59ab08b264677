//===- fits.c - sizes, and whether a view fits where it is put ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the names of a program. Says in which bytes a type's elements lie, by its strides, and
// complains of a view that reaches past what it is cut from, or whose address is less aligned than
// its type asks for or an op, also one in a function that is called, promises.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

#include "check/op.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t stow_check_element_size(const stow_check_program *p, MlirType type) {
  uint64_t bytes = 0, alignment;
  if (mlirTypeIsAMemRef(type))
    stow_ir_element_size(&p->layout, type, &bytes, &alignment);
  return (int64_t)bytes;
}

// Strides and offset, or false for a layout that has none. Freed by the caller.
static bool layout_of(MlirType type, int64_t **out_strides, int64_t *out_offset) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  *out_strides = stow_ir_allocate((size_t)mlirShapedTypeGetRank(type), sizeof **out_strides);
  if (mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, *out_strides, out_offset)))
    return true;
  free(*out_strides);
  return false;
}

bool stow_check_type_offset(MlirType type, int64_t *out_offset) {
  int64_t *strides;
  if (!layout_of(type, &strides, out_offset))
    return false;
  free(strides);
  return !mlirShapedTypeIsDynamicStrideOrOffset(*out_offset);
}

// One past the last element that the strides reach, or -1 where that is not known.
static int64_t elements_spanned(MlirType type, const int64_t *strides) {
  int64_t last = 0, step;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i)
    if (!mlirShapedTypeIsDynamicDim(type, i) && mlirShapedTypeGetDimSize(type, i) == 0)
      return 0;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i) {
    if (mlirShapedTypeIsDynamicDim(type, i) || mlirShapedTypeIsDynamicStrideOrOffset(strides[i]) ||
        strides[i] < 0 ||
        __builtin_mul_overflow(mlirShapedTypeGetDimSize(type, i) - 1, strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return -1;
  }
  return last + 1;
}

stow_check_bytes stow_check_extent_of(const stow_check_program *p, MlirType type) {
  int64_t *strides, offset, size = 0, count = -1;
  if (layout_of(type, &strides, &offset)) {
    count = elements_spanned(type, strides);
    free(strides);
  }
  if (count < 0 || (count > 0 && (size = stow_check_element_size(p, type)) == 0) ||
      __builtin_mul_overflow(size, count, &size) || size >= STOW_CHECK_FAR)
    return (stow_check_bytes){0, STOW_CHECK_FAR};
  return (stow_check_bytes){0, size};
}

stow_check_bytes stow_check_extent_of_value(const stow_check_program *p, MlirValue value,
                                            MlirValue parent) {
  const MlirType type = mlirValueGetType(value);
  stow_check_bytes bytes = stow_check_extent_of(p, type);
  int64_t count, size;
  if (bytes.hi >= STOW_CHECK_FAR && p->numbers && mlirTypeIsAMemRef(type) &&
      stow_check_elements_of(p->numbers, value, parent, &count) &&
      !__builtin_mul_overflow(count, stow_check_element_size(p, type), &size) &&
      size < STOW_CHECK_FAR)
    bytes.hi = size;
  return bytes;
}

bool stow_check_is_contiguous(MlirType type) {
  int64_t *strides, offset, product = 1;
  if (!layout_of(type, &strides, &offset))
    return false;
  bool fixed = true;
  for (intptr_t i = 0, rank = mlirShapedTypeGetRank(type); i < rank; ++i) {
    fixed = fixed && !mlirShapedTypeIsDynamicDim(type, i) &&
            !__builtin_mul_overflow(product, mlirShapedTypeGetDimSize(type, i), &product);
  }
  fixed = fixed && elements_spanned(type, strides) == product;
  free(strides);
  return fixed;
}

//===----------------------------------------------------------------------===//
// Fits
//===----------------------------------------------------------------------===//

// What the op that makes an arena promises of its address, or 0 where it says nothing.
static uint64_t alignment_of_root(const stow_check_program *p, int32_t root) {
  MlirValue value = p->names.at[root].value;
  const int64_t lent = stow_check_lent(p, value, STOW_CHECK_ASKED_ALIGNMENT);
  if (lent >= 0)
    return (uint64_t)lent;
  return mlirValueIsAOpResult(value) ? stow_check_alignment_of(mlirOpResultGetOwner(value)) : 0;
}

static void check_alignment(stow_check_program *p, MlirOperation op, int32_t name, int64_t address,
                            uint64_t wanted, const char *who) {
  const stow_check_name *n = &p->names.at[name];
  if (n->root < 0 || n->anchor != n->root || wanted <= 1)
    return;
  stow_check_note note = {.value = p->names.at[n->root].value, .text = "the arena is this"};
  uint64_t given = alignment_of_root(p, n->root);
  if (address & (int64_t)(wanted - 1))
    stow_check_complain(p, op, &note, 1,
                        "offset %" PRId64 " is not a multiple of %" PRIu64 ", which %s", address,
                        wanted, who);
  else if (given && given < wanted)
    stow_check_complain(p, op, &note, 1,
                        "the arena is aligned to %" PRIu64 " bytes, not to %" PRIu64 ", which %s",
                        given, wanted, who);
}

static void check_bounds(stow_check_program *p, MlirOperation op, int32_t carve) {
  const stow_check_name *n = &p->names.at[carve];
  const stow_check_name *parent = &p->names.at[n->parent];
  stow_check_note note = {.value = parent->value, .text = "it is cut from this"};
  const bool nowhere = p->numbers && n->bytes.hi == 0; // as many tools put it
  if (!n->placed || nowhere || n->bytes.hi >= STOW_CHECK_FAR ||
      parent->bytes.hi >= STOW_CHECK_FAR ||
      (n->start >= 0 && n->start + n->bytes.hi <= parent->bytes.hi))
    return;
  stow_check_complain(p, op, &note, 1,
                      "bytes %" PRId64 " to %" PRId64 " of %" PRId64 ": the view leaves its %s",
                      n->start, n->start + n->bytes.hi, parent->bytes.hi,
                      parent->kind == STOW_CHECK_ROOT ? "arena" : "source");
}

void stow_check_fits_carve(stow_check_program *p, MlirOperation op, int32_t carve) {
  check_bounds(p, op, carve);
  MlirType type = mlirValueGetType(p->names.at[carve].value);
  if (mlirTypeIsAMemRef(type))
    check_alignment(p, op, carve, p->names.at[carve].address,
                    stow_ir_natural_alignment(&p->layout, type), "the element type asks for");
}

void stow_check_fits_promise(stow_check_program *p, MlirOperation op, stow_check_place place) {
  const stow_check_name *n = &p->names.at[place.name];
  if (place.exact && n->kind == STOW_CHECK_CARVE)
    check_alignment(p, op, place.name, n->address + place.bytes.lo, stow_check_alignment_of(op),
                    "is promised here");
}

// The promises that a function makes of its argument.
static void check_promises_of(stow_check_program *p, MlirOperation call, stow_check_place place,
                              MlirValue argument) {
  const stow_check_name *n = &p->names.at[place.name];
  STOW_EACH_USE(use, argument) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_check_kinds(op) & STOW_CHECK_PROMISES)
      check_alignment(p, call, place.name, n->address + place.bytes.lo, stow_check_alignment_of(op),
                      "the function called is promised");
  }
}

void stow_check_fits_call(stow_check_program *p, MlirOperation op) {
  intptr_t first, count;
  MlirRegion body = stow_check_called_body(op, p->symbols);
  if (mlirRegionIsNull(body))
    return;
  stow_bridge_call_arguments(op, &first, &count);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  for (intptr_t i = 0; i < count && i < mlirBlockGetNumArguments(entry); ++i) {
    const stow_check_place place = stow_check_place_of_operand(p, op, first + i);
    if (place.name != STOW_CHECK_NO_NAME && place.exact &&
        p->names.at[place.name].kind == STOW_CHECK_CARVE)
      check_promises_of(p, op, place, mlirBlockGetArgument(entry, i));
  }
}
