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
  return stow_ir_constant_of(value, out);
}

static bool read_factor(const stow_nest *nest, MlirValue value, factor *out) {
  *out = (factor){.operand = -1};
  if (stow_ir_is_result_of(value, STOW_ARITH_SUBI)) {
    if (!constant_of(nest, operand_of(value, 1), &out->zero))
      return false;
    value = operand_of(value, 0);
  }
  out->is_unsigned = stow_ir_is_result_of(value, STOW_ARITH_EXTUI);
  if (!out->is_unsigned && !stow_ir_is_result_of(value, STOW_ARITH_EXTSI))
    return false;
  out->operand = operand_at(nest, operand_of(value, 0));
  return out->operand >= 0 && nest->operands[out->operand].memref &&
         is_of_bits(nest->operands[out->operand].element, 8);
}

bool stow_vectors_dot_read(const stow_nest *nest, stow_dot_kind kind, intptr_t weight,
                           stow_dot *out) {
  const MlirValue product = stow_vectors_nest_term(nest);
  factor factors[2];
  if (kind == STOW_DOT_NONE || mlirValueIsNull(product) ||
      !is_of_bits(mlirValueGetType(product), 32) || !stow_ir_is_result_of(product, STOW_ARITH_MULI))
    return false;
  for (intptr_t i = 0; i < 2; ++i)
    if (!read_factor(nest, operand_of(product, i), &factors[i]))
      return false;
  const factor *w = &factors[factors[0].operand == weight ? 0 : 1], *x = &factors[w == factors];
  if (w->operand != weight || x->operand == weight || w->is_unsigned || w->zero != 0)
    return false;
  *out = (stow_dot){.input = x->operand,
                    .weight = weight,
                    .is_unsigned = x->is_unsigned,
                    .flips = kind != STOW_DOT_DSP && x->is_unsigned != (kind == STOW_DOT_VNNI),
                    .more = x->zero};
  if (out->flips)
    out->more += kind == STOW_DOT_VNNI ? 128 : -128;
  return true;
}

//===----------------------------------------------------------------------===//
// The instruction
//===----------------------------------------------------------------------===//

static const struct {
  stow_dot_kind kind;
  int64_t lanes;
  const char *name;
} instructions[] = {
    {STOW_DOT_VNNI, 16, "llvm.x86.avx512.vpdpbusd.512"},
    {STOW_DOT_VNNI, 8, "llvm.x86.avx512.vpdpbusd.256"},
    {STOW_DOT_VNNI, 4, "llvm.x86.avx512.vpdpbusd.128"},
    {STOW_DOT_NEON, 4, "llvm.aarch64.neon.sdot.v4i32.v16i8"},
    {STOW_DOT_NEON, 2, "llvm.aarch64.neon.sdot.v2i32.v8i8"},
    {STOW_DOT_DSP, 1, "llvm.arm.smlad"},
};

static const char *name_of(stow_dot_kind kind, int64_t lanes) {
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; ++i)
    if (instructions[i].kind == kind && instructions[i].lanes == lanes)
      return instructions[i].name;
  return NULL;
}

bool stow_vectors_dot_has(stow_dot_kind kind, int64_t lanes) {
  return name_of(kind, lanes) != NULL;
}

static MlirValue call(const stow_builder *at, const char *name, const MlirValue *operands,
                      int32_t count, MlirType type) {
  const int32_t segments[] = {count, 0};
  const stow_attribute attributes[] = {
      {"intrin", mlirStringAttrGet(at->context, stow_ir_string(name))},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(at->context, 0, NULL)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(at->context, 2, segments)}};
  const stow_op_parts parts = {
      STOW_LLVM_CALL_INTRINSIC, operands, (size_t)count, type, attributes, 3};
  return mlirOperationGetResult(stow_ir_build_op(at, &parts), 0);
}

// The bytes of a number of 32 bits as two pairs of 16 bits: the even ones and the odd ones.
static stow_dot_factor halves_of(const stow_builder *at, MlirValue word, bool is_unsigned) {
  const char *extend = is_unsigned ? "llvm.arm.uxtb16" : "llvm.arm.sxtb16";
  const MlirType i32 = mlirValueGetType(word);
  const MlirValue rotate[] = {word, word, stow_ir_build_number(at, i32, 8)},
                  rotated = call(at, "llvm.fshr.i32", rotate, 3, i32);
  return (stow_dot_factor){{call(at, extend, &word, 1, i32), call(at, extend, &rotated, 1, i32)},
                           2};
}

stow_dot_factor stow_vectors_dot_factor_of(const stow_builder *at, stow_dot_kind kind,
                                           MlirValue bytes, bool is_unsigned) {
  return kind == STOW_DOT_DSP ? halves_of(at, bytes, is_unsigned) : (stow_dot_factor){{bytes}, 1};
}

MlirValue stow_vectors_dot_add(const stow_builder *at, stow_dot_kind kind, MlirValue sum,
                               const stow_dot_factor *input, const stow_dot_factor *weight) {
  const MlirType type = mlirValueGetType(sum);
  const bool vector = mlirTypeIsAVector(type);
  const char *name = name_of(kind, vector ? mlirShapedTypeGetDimSize(type, 0) : 1);
  for (size_t i = 0; i < input->count; ++i) {
    const MlirValue x = input->parts[i], w = weight->parts[i];
    const MlirValue added_to[] = {sum, x, w}, added[] = {x, w, sum};
    sum = call(at, name, vector ? added_to : added, 3, type);
  }
  return sum;
}
