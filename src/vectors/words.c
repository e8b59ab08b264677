//===- words.c - upper words of numbers of 64 bits ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vectors/words.h"

#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

enum { WORD_BITS = 32, MOST_OPS = 8 }; // from a word to the upper word

static bool has_bits(MlirValue value, unsigned bits) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}

static MlirOperation owner_of(MlirValue result) { return mlirOpResultGetOwner(result); }

static MlirValue operand_of(MlirValue result, intptr_t operand) {
  return mlirOperationGetOperand(owner_of(result), operand);
}

bool stow_vectors_is_used_once(MlirValue value) {
  const MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

static bool shifts_by(MlirValue value, int64_t *out) {
  return stow_ir_is_result_of(value, STOW_ARITH_SHRSI) && has_bits(value, 2 * WORD_BITS) &&
         stow_ir_constant_of(operand_of(value, 1), out);
}

//===----------------------------------------------------------------------===//
// What is computed of words
//===----------------------------------------------------------------------===//

static bool combines(MlirOperation op) {
  return stow_ir_is(op, STOW_ARITH_MULI) || stow_ir_is(op, STOW_ARITH_ADDI) ||
         stow_ir_is(op, STOW_ARITH_SUBI);
}

static bool is_of_words(MlirValue value, MlirBlock body, unsigned depth) {
  if (!mlirBlockEqual(stow_block_of(value), body))
    return true; // one number for all points
  if (depth == 0 || !mlirValueIsAOpResult(value))
    return false;
  const MlirOperation op = owner_of(value);
  if (stow_ir_is(op, STOW_ARITH_CONSTANT))
    return true;
  if (!stow_vectors_is_used_once(value))
    return false;
  if (stow_ir_is(op, STOW_ARITH_EXTSI))
    return has_bits(operand_of(value, 0), WORD_BITS);
  return combines(op) && is_of_words(operand_of(value, 0), body, depth - 1) &&
         is_of_words(operand_of(value, 1), body, depth - 1);
}

static bool shifts_words(MlirValue value, int64_t *out) {
  return shifts_by(value, out) && is_of_words(operand_of(value, 0), stow_block_of(value), MOST_OPS);
}

bool stow_vectors_is_upper_word(MlirOperation op) {
  int64_t by;
  if (!stow_ir_is(op, STOW_ARITH_TRUNCI) || !has_bits(mlirOperationGetResult(op, 0), WORD_BITS))
    return false;
  const MlirValue shifted = mlirOperationGetOperand(op, 0);
  return stow_vectors_is_used_once(shifted) && shifts_words(shifted, &by) && by == WORD_BITS;
}

bool stow_vectors_is_in_upper_word(MlirOperation op) {
  for (unsigned depth = 0; depth <= MOST_OPS; ++depth) {
    if (mlirOperationGetNumResults(op) != 1 || stow_ir_is(op, STOW_ARITH_CONSTANT))
      return false;
    const MlirValue result = mlirOperationGetResult(op, 0);
    if (!has_bits(result, 2 * WORD_BITS) || !stow_vectors_is_used_once(result))
      return false;
    op = mlirOpOperandGetOwner(mlirValueGetFirstUse(result));
    if (stow_vectors_is_upper_word(op))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static MlirType integer(const stow_builder *at, unsigned bits) {
  return mlirIntegerTypeGet(at->context, bits);
}

static MlirValue extended(const stow_builder *at, MlirValue word) {
  return stow_ir_build_value(at, STOW_ARITH_EXTSI, &word, 1, integer(at, 2 * WORD_BITS));
}

// The word that is extended to 64 bits, or null.
static MlirValue word_of(MlirValue value) {
  const MlirValue none = {NULL};
  if (!stow_ir_is_result_of(value, STOW_ARITH_EXTSI) || !has_bits(value, 2 * WORD_BITS) ||
      !has_bits(operand_of(value, 0), WORD_BITS))
    return none;
  return operand_of(value, 0);
}

static MlirValue shift_words(const stow_builder *at, MlirValue shifted, int64_t by) {
  const MlirType i32 = integer(at, WORD_BITS), i64 = integer(at, 2 * WORD_BITS);
  MlirValue word = stow_ir_build_binary(at, STOW_ARITH_SHRSI, operand_of(shifted, 0),
                                        stow_ir_build_number(at, i64, WORD_BITS));
  word = stow_ir_build_value(at, STOW_ARITH_TRUNCI, &word, 1, i32);
  if (by > WORD_BITS)
    word = stow_ir_build_binary(at, STOW_ARITH_SHRSI, word,
                                stow_ir_build_number(at, i32, by - WORD_BITS));
  return extended(at, word);
}

// Of a word that was shifted to the right, and a small constant.
static bool sum_fits(MlirValue word, int64_t other) {
  const int64_t most = INT64_C(1) << (WORD_BITS - 2);
  int64_t by;
  return stow_ir_is_result_of(word, STOW_ARITH_SHRSI) &&
         stow_ir_constant_of(operand_of(word, 1), &by) && by >= 1 && -most <= other && other < most;
}

// A sum, an extreme of a word and a constant, as a word; or null.
static MlirValue combine_word(const stow_builder *at, MlirOperation op, stow_op_kind kind) {
  const MlirValue none = {NULL};
  const MlirValue word = word_of(mlirOperationGetOperand(op, 0));
  int64_t other;
  if (mlirValueIsNull(word) || !stow_ir_constant_of(mlirOperationGetOperand(op, 1), &other) ||
      other < INT32_MIN || other > INT32_MAX || (kind == STOW_ARITH_ADDI && !sum_fits(word, other)))
    return none;
  return extended(at, stow_ir_build_binary(
                          at, kind, word, stow_ir_build_number(at, mlirValueGetType(word), other)));
}

static MlirValue truncate_word(const stow_builder *at, MlirOperation op) {
  const MlirValue result = mlirOperationGetResult(op, 0), none = {NULL};
  const MlirValue word = word_of(mlirOperationGetOperand(op, 0));
  if (mlirValueIsNull(word) || has_bits(result, WORD_BITS))
    return word;
  if (mlirIntegerTypeGetWidth(mlirValueGetType(result)) > WORD_BITS)
    return none;
  return stow_ir_build_value(at, STOW_ARITH_TRUNCI, &word, 1, mlirValueGetType(result));
}

// The same value by words, or null.
static MlirValue by_words(MlirOperation op) {
  const stow_builder at = stow_builder_before(op, mlirOperationGetLocation(op));
  static const stow_op_kind kinds[] = {STOW_ARITH_ADDI, STOW_ARITH_MAXSI, STOW_ARITH_MINSI};
  int64_t by;
  if (stow_ir_is(op, STOW_ARITH_SHRSI) && shifts_words(mlirOperationGetResult(op, 0), &by) &&
      by >= WORD_BITS && by < 2 * WORD_BITS)
    return shift_words(&at, mlirOperationGetResult(op, 0), by);
  if (stow_ir_is(op, STOW_ARITH_TRUNCI))
    return truncate_word(&at, op);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (stow_ir_is(op, kinds[i]))
      return combine_word(&at, op, kinds[i]);
  return (MlirValue){NULL};
}

static void destroy_unused_extensions(MlirBlock body) {
  MlirOperation next = mlirBlockGetFirstOperation(body);
  while (!mlirOperationIsNull(next)) {
    const MlirOperation op = next;
    next = mlirOperationGetNextInBlock(op);
    if (stow_ir_is(op, STOW_ARITH_EXTSI) &&
        mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0))))
      mlirOperationDestroy(op);
  }
}

void stow_vectors_use_words(MlirBlock body) {
  MlirOperation next = mlirBlockGetFirstOperation(body);
  while (!mlirOperationIsNull(next)) {
    const MlirOperation op = next;
    next = mlirOperationGetNextInBlock(op);
    const MlirValue made = by_words(op);
    if (mlirValueIsNull(made))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), made);
    mlirOperationDestroy(op);
  }
  destroy_unused_extensions(body);
}
