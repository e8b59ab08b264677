//===- nest.c - a linalg op as loops over cells ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires: a linalg op on memrefs. Computes its nest, or why it has none.
//
//===----------------------------------------------------------------------===//

#include "vectors/nest.h"

#include "vectors/words.h"

#include "bridge/linalg.h"
#include "ir/sums.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

// 0: no number that registers hold side by side as memory does.
static unsigned bits_of(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeIsSignless(type) ? mlirIntegerTypeGetWidth(type) : 0;
  if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type))
    return 16;
  if (mlirTypeIsAF32(type))
    return 32;
  return mlirTypeIsAF64(type) || mlirTypeIsAIndex(type) ? 64 : 0;
}

static bool fills_bytes(unsigned bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

// Notes the width of a number of the body. False: it is none.
static bool note_width(stow_nest *nest, MlirType type) {
  const unsigned bits = bits_of(type);
  nest->bits = bits > nest->bits ? bits : nest->bits;
  return bits > 0 && bits <= 64;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

typedef struct form {
  int64_t coefficients[STOW_NEST_LOOPS], constant;
} form;

static bool strides_are_static(MlirType type, int64_t *out_strides) {
  int64_t offset;
  if (mlirShapedTypeGetRank(type) > STOW_NEST_LOOPS ||
      mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(type, out_strides, &offset)))
    return false;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    if (mlirShapedTypeIsDynamicStrideOrOffset(out_strides[d]))
      return false;
  return true;
}

// How many cells lie from the first that is used to the last one.
static int64_t span_of(const stow_nest *nest, const stow_nest_operand *operand) {
  int64_t low = 0, high = 0;
  for (intptr_t l = 0; l < nest->loop_count; ++l) {
    const int64_t far = operand->strides[l] * (nest->extents[l] - 1);
    *(far < 0 ? &low : &high) += far;
  }
  return low < 0 || operand->first < 0 ? -1 : operand->first + high + 1;
}

static bool read_memref(stow_nest *nest, stow_nest_operand *operand, MlirAffineMap map) {
  const MlirType type = mlirValueGetType(operand->value);
  int64_t strides[STOW_NEST_LOOPS];
  operand->memref = true;
  operand->element = mlirShapedTypeGetElementType(type);
  operand->bytes = bits_of(operand->element) / 8;
  if (!strides_are_static(type, strides) || !fills_bytes(bits_of(operand->element)))
    return false;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    form index = {{0}, 0};
    if (!stow_ir_add_sum(mlirAffineMapGetResult(map, d), index.coefficients, &index.constant))
      return false;
    operand->first += index.constant * strides[d];
    for (intptr_t l = 0; l < nest->loop_count; ++l)
      operand->strides[l] += index.coefficients[l] * strides[d];
  }
  operand->span = span_of(nest, operand);
  return operand->span >= 0 && note_width(nest, operand->element);
}

static bool read_operand(stow_nest *nest, intptr_t i, MlirAffineMap map) {
  stow_nest_operand *operand = &nest->operands[i];
  operand->value = mlirOperationGetOperand(nest->op, i);
  operand->written = stow_bridge_loop_writes(nest->op, i);
  const MlirType type = mlirValueGetType(operand->value);
  if (mlirTypeIsAMemRef(type))
    return read_memref(nest, operand, map);
  operand->element = type;
  return !operand->written && note_width(nest, type);
}

// How far the smaller strides of a result lead; of equal ones the first is smaller.
static int64_t reach_below(const stow_nest *nest, const stow_nest_operand *operand, intptr_t loop) {
  int64_t reach = 0;
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    if (operand->strides[l] < operand->strides[loop] ||
        (operand->strides[l] == operand->strides[loop] && l < loop))
      reach += operand->strides[l] * (nest->extents[l] - 1);
  return reach;
}

// Points that run at once write different cells, those of a sum the same one.
static bool writes_distinct_cells(const stow_nest *nest, const stow_nest_operand *operand) {
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    if (nest->extents[l] > 1 &&
        (nest->parallel[l] ? operand->strides[l] <= reach_below(nest, operand, l)
                           : operand->strides[l] != 0))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

// LLVM's powers of vectors have one exponent for all lanes.
static bool has_vectors(MlirOperation op) {
  return stow_bridge_is_elementwise(op) && !stow_ir_op_is(op, "math.fpowi");
}

static bool computes(stow_nest *nest, MlirOperation op) {
  const bool known =
      stow_ir_is(op, STOW_LINALG_INDEX) || stow_ir_is(op, STOW_ARITH_CONSTANT) || has_vectors(op);
  const bool is_narrow = stow_ir_is(op, STOW_ARITH_CONSTANT) || stow_vectors_is_in_upper_word(op);
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op) && !is_narrow; ++r)
    if (!note_width(nest, mlirValueGetType(mlirOperationGetResult(op, r))))
      return false;
  return known && mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) == 1;
}

static bool body_computes(stow_nest *nest) {
  MlirOperation last = mlirBlockGetTerminator(nest->body);
  STOW_EACH_OP(op, nest->body)
    if (!mlirOperationEqual(op, last) && !computes(nest, op))
      return false;
  return true;
}

MlirValue stow_vectors_nest_term(const stow_nest *nest) {
  const MlirValue none = {NULL}, sum = mlirBlockGetArgument(nest->body, nest->operand_count - 1);
  MlirOperation last = mlirBlockGetTerminator(nest->body);
  if (mlirOperationGetNumOperands(last) != 1 || !stow_vectors_is_used_once(sum))
    return none;
  const MlirValue yielded = mlirOperationGetOperand(last, 0);
  if (!stow_ir_is_result_of(yielded, STOW_ARITH_ADDI) || !stow_vectors_is_used_once(yielded))
    return none;
  MlirOperation add = mlirOpResultGetOwner(yielded);
  for (intptr_t i = 0; i < 2; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(add, i), sum))
      return mlirOperationGetOperand(add, 1 - i);
  return none;
}

static bool fail(const char **out_why, const char *why) {
  *out_why = why;
  return false;
}

static bool read_loops(MlirOperation op, stow_nest *out) {
  out->loop_count = stow_bridge_loop_count(op);
  if (out->loop_count < 0 || out->loop_count > STOW_NEST_LOOPS ||
      out->operand_count > STOW_NEST_OPERANDS)
    return false;
  stow_bridge_loops(op, out->extents, out->parallel);
  for (intptr_t l = 0; l < out->loop_count; ++l)
    if (out->extents[l] < 1)
      return false;
  return true;
}

bool stow_vectors_nest_read(MlirOperation op, stow_nest *out, const char **out_why) {
  MlirAffineMap maps[STOW_NEST_OPERANDS];
  memset(out, 0, sizeof *out);
  out->op = op;
  out->operand_count = out->read_count = mlirOperationGetNumOperands(op);
  if (mlirOperationGetNumRegions(op) != 1 || !read_loops(op, out))
    return fail(out_why, "its sizes are not known, or it has too many loops or operands");
  out->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  stow_bridge_loop_maps(op, maps);
  for (intptr_t i = 0; i < out->operand_count; ++i)
    if (!read_operand(out, i, maps[i]))
      return fail(out_why, "an operand has strides that are not known, elements that do not fill "
                           "bytes, or indices that are no sums");
  for (intptr_t i = 0; i < out->operand_count; ++i)
    if (out->operands[i].written && !writes_distinct_cells(out, &out->operands[i]))
      return fail(out_why, "points that run at once do not write different cells");
  if (!body_computes(out))
    return fail(out_why, "its body does more than compute numbers of numbers, or with an op that "
                         "vectors lack");
  return true;
}
