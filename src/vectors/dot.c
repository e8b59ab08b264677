//===- dot.c - four products by one instruction ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires: a nest. Computes whether one instruction makes four of its products, and that
// instruction.
//
//===----------------------------------------------------------------------===//

#include "vectors/dot.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

//===----------------------------------------------------------------------===//
// What is multiplied
//===----------------------------------------------------------------------===//

// An element of an operand, without the number that is subtracted from it.
typedef struct factor {
  intptr_t operand;
  bool is_unsigned;
  int64_t zero;
} factor;

static bool is_of_bits(MlirType type, unsigned bits) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}

static MlirValue operand_of(MlirValue result, intptr_t operand) {
  return mlirOperationGetOperand(mlirOpResultGetOwner(result), operand);
}

// The operand that an argument of the body is, or -1.
static intptr_t operand_at(const stow_nest *nest, MlirValue value) {
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (mlirValueEqual(value, mlirBlockGetArgument(nest->body, i)))
      return i;
  return -1;
}

// Of a value that is the same at all points.
static bool constant_of(const stow_nest *nest, MlirValue value, int64_t *out) {
  const intptr_t operand = operand_at(nest, value);
  if (operand >= 0)
    value = nest->operands[operand].value;
  return stow_constant_of(value, out);
}

static bool read_factor(const stow_nest *nest, MlirValue value, factor *out) {
  *out = (factor){.operand = -1};
  if (stow_is_result_of(value, STOW_ARITH_SUBI)) {
    if (!constant_of(nest, operand_of(value, 1), &out->zero))
      return false;
    value = operand_of(value, 0);
  }
  out->is_unsigned = stow_is_result_of(value, STOW_ARITH_EXTUI);
  if (!out->is_unsigned && !stow_is_result_of(value, STOW_ARITH_EXTSI))
    return false;
  out->operand = operand_at(nest, operand_of(value, 0));
  return out->operand >= 0 && nest->operands[out->operand].memref &&
         is_of_bits(nest->operands[out->operand].element, 8);
}

bool stow_dot_read(const stow_nest *nest, stow_dot_kind kind, intptr_t weight, stow_dot *out) {
  const MlirValue product = stow_nest_term(nest);
  factor factors[2];
  if (kind == STOW_DOT_NONE || mlirValueIsNull(product) ||
      !is_of_bits(mlirValueGetType(product), 32) || !stow_is_result_of(product, STOW_ARITH_MULI))
    return false;
  for (intptr_t i = 0; i < 2; ++i)
    if (!read_factor(nest, operand_of(product, i), &factors[i]))
      return false;
  const factor *w = &factors[factors[0].operand == weight ? 0 : 1], *x = &factors[w == factors];
  if (w->operand != weight || x->operand == weight || w->is_unsigned || w->zero != 0)
    return false;
  *out = (stow_dot){.input = x->operand,
                    .weight = weight,
                    .flips = x->is_unsigned != (kind == STOW_DOT_VNNI),
                    .more = x->zero};
  if (out->flips)
    out->more += kind == STOW_DOT_VNNI ? 128 : -128;
  return true;
}

//===----------------------------------------------------------------------===//
// The instruction
//===----------------------------------------------------------------------===//

static const char *name_of(stow_dot_kind kind, int64_t lanes) {
  if (kind == STOW_DOT_VNNI)
    return lanes == 16  ? "llvm.x86.avx512.vpdpbusd.512"
           : lanes == 8 ? "llvm.x86.avx512.vpdpbusd.256"
           : lanes == 4 ? "llvm.x86.avx512.vpdpbusd.128"
                        : NULL;
  return lanes == 4   ? "llvm.aarch64.neon.sdot.v4i32.v16i8"
         : lanes == 2 ? "llvm.aarch64.neon.sdot.v2i32.v8i8"
                      : NULL;
}

bool stow_dot_has(stow_dot_kind kind, int64_t lanes) { return name_of(kind, lanes) != NULL; }

MlirValue stow_dot_add(const stow_builder *at, stow_dot_kind kind, MlirValue sum, MlirValue input,
                       MlirValue weight) {
  const MlirType type = mlirValueGetType(sum);
  int64_t lanes = mlirShapedTypeGetDimSize(type, 0);
  const MlirValue operands[] = {sum, input, weight};
  const int32_t segments[] = {3, 0};
  const stow_attribute attributes[] = {
      {"intrin", mlirStringAttrGet(at->context, stow_string(name_of(kind, lanes)))},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(at->context, 0, NULL)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(at->context, 2, segments)}};
  const stow_op_parts parts = {STOW_LLVM_CALL_INTRINSIC, operands, 3, type, attributes, 3};
  return mlirOperationGetResult(stow_build_op(at, &parts), 0);
}
