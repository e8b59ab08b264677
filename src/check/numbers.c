//===- numbers.c - numbers for what is known at run time only -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is walked until all that can be computed is, since blocks may stand in any order.
// What overflows, and what an op does not define, such as a division by zero, is not known.
//
//===----------------------------------------------------------------------===//

#include "check/numbers.h"
#include "check/limits.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

// Leaves that an error may name.
enum { LAST_BIT = 63 };

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static MlirValue operand(MlirOperation op, intptr_t i) { return mlirOperationGetOperand(op, i); }

static bool is_integer(MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsAIndex(type) ||
         (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) <= 64);
}

static bool is_memref(MlirValue value) { return mlirTypeIsAMemRef(mlirValueGetType(value)); }

// The least and the greatest signed number of its type; a bit is 0 or 1.
static bool is_in_type(MlirValue value, wide number) {
  const MlirType type = mlirValueGetType(value);
  const unsigned width = mlirTypeIsAIndex(type) ? 64 : mlirIntegerTypeGetWidth(type);
  const wide end = (wide)1 << (width - 1);
  return width == 1 ? number == 0 || number == 1 : number >= -end && number < end;
}

static bool is_done(const stow_check_numbers *n, MlirValue value) {
  const stow_map *map = is_memref(value) ? &n->of_shapes : &n->of_values;
  return stow_map_get(map, value.ptr) >= 0;
}

static void set(stow_check_numbers *n, MlirValue value, stow_check_number number) {
  stow_map_add(&n->of_values, value.ptr, (int32_t)STOW_PUSH(n->all, number));
}

static const stow_check_number *number_of(const stow_check_numbers *n, MlirValue value) {
  return &n->all.at[stow_map_get(&n->of_values, value.ptr)];
}

static stow_check_number constant(int64_t number) {
  return (stow_check_number){.known = true, .number = number};
}

// Dimension by dimension; what the type tells needs no entry.
static stow_check_number dimension_of(const stow_check_numbers *n, MlirValue memref, intptr_t i) {
  const MlirType type = mlirValueGetType(memref);
  if (!mlirShapedTypeIsDynamicDim(type, i))
    return constant(mlirShapedTypeGetDimSize(type, i));
  return n->all.at[stow_map_get(&n->of_shapes, memref.ptr) + i];
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static stow_check_number make_leaf(stow_check_numbers *n, MlirValue value, int64_t dimension) {
  const size_t leaf = n->leaves.count;
  int64_t number = stow_check_leaf_number(n, value, dimension);
  if (dimension < 0 && !is_in_type(value, number))
    number &= 1;
  STOW_PUSH(n->leaves, (stow_check_leaf){value, dimension, number});
  return (stow_check_number){true, number, value, value,
                             UINT64_C(1) << (leaf < LAST_BIT ? leaf : LAST_BIT)};
}

static void set_leaves(stow_check_numbers *n, MlirValue value) {
  if (is_integer(value) && !is_done(n, value))
    set(n, value, make_leaf(n, value, -1));
  if (!is_memref(value) || is_done(n, value))
    return;
  const MlirType type = mlirValueGetType(value);
  stow_map_add(&n->of_shapes, value.ptr, (int32_t)n->all.count);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i) {
    const bool dynamic = mlirShapedTypeIsDynamicDim(type, i);
    const stow_check_number number =
        dynamic ? make_leaf(n, value, i) : constant(mlirShapedTypeGetDimSize(type, i));
    STOW_PUSH(n->all, number);
  }
}

// The op in front of which a value is known.
static MlirOperation known_at(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value));
}

static MlirValue later_of(const stow_check_numbers *n, MlirValue a, MlirValue b) {
  const bool b_is_last =
      mlirValueIsNull(a) || (!mlirValueIsNull(b) && !mlirValueEqual(a, b) &&
                             stow_bridge_dominates(n->dominance, a, known_at(b)));
  return b_is_last ? b : a;
}

static stow_check_number joined(const stow_check_numbers *n, stow_check_number a,
                                stow_check_number b) {
  return (stow_check_number){.known = a.known && b.known,
                             .last = later_of(n, a.last, b.last),
                             .bound = later_of(n, a.bound, b.bound),
                             .leaves = a.leaves | b.leaves};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static wide rounded_down(wide a, wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static wide rounded_up(wide a, wide b) { return -rounded_down(-a, b); }
static wide lesser(wide a, wide b) { return a < b ? a : b; }

static wide sum(wide a, wide b) { return a + b; }
static wide difference(wide a, wide b) { return a - b; }
static wide product(wide a, wide b) { return a * b; }
static wide quotient(wide a, wide b) { return a / b; }
static wide rest(wide a, wide b) { return a % b; }
static wide greater(wide a, wide b) { return a > b ? a : b; }
static wide shifted_left(wide a, wide b) { return a * ((wide)1 << b); }
static wide shifted_right(wide a, wide b) { return a >> b; }
static wide common_bits(wide a, wide b) { return a & b; }
static wide all_bits(wide a, wide b) { return a | b; }
static wide other_bits(wide a, wide b) { return a ^ b; }

static bool not_zero(wide b) { return b != 0; }
static bool below_63(wide b) { return b >= 0 && b < 63; }
static bool below_64(wide b) { return b >= 0 && b < 64; }

static const struct {
  const char *name;
  wide (*compute)(wide a, wide b);
  bool (*is_defined)(wide b); // NULL: for each
  bool is_unsigned;           // the same, where nothing is negative
} PAIRS[] = {
    {"arith.addi", sum, NULL, false},
    {"arith.subi", difference, NULL, false},
    {"arith.muli", product, NULL, false},
    {"arith.divsi", quotient, not_zero, false},
    {"arith.divui", quotient, not_zero, true},
    {"arith.remsi", rest, not_zero, false},
    {"arith.remui", rest, not_zero, true},
    {"arith.floordivsi", rounded_down, not_zero, false},
    {"arith.ceildivsi", rounded_up, not_zero, false},
    {"arith.ceildivui", rounded_up, not_zero, true},
    {"arith.minsi", lesser, NULL, false},
    {"arith.minui", lesser, NULL, true},
    {"arith.maxsi", greater, NULL, false},
    {"arith.maxui", greater, NULL, true},
    {"arith.shli", shifted_left, below_63, false},
    {"arith.shrsi", shifted_right, below_64, false},
    {"arith.shrui", shifted_right, below_64, true},
    {"arith.andi", common_bits, NULL, false},
    {"arith.ori", all_bits, NULL, false},
    {"arith.xori", other_bits, NULL, false},
};

enum { PAIR_COUNT = sizeof PAIRS / sizeof *PAIRS };

static size_t pair_of(MlirOperation op) {
  size_t i = 0;
  while (i < PAIR_COUNT && !stow_ir_op_is(op, PAIRS[i].name))
    ++i;
  return i;
}

// Its predicates, from 0 on: equal, not equal, less, at most, greater, at least, and the last four
// once more without sign.
static bool compare(MlirOperation op, wide a, wide b, wide *out) {
  const int64_t predicate = mlirIntegerAttrGetValueInt(stow_attribute_of(op, "predicate"));
  const bool is_unsigned = predicate > 5;
  switch (is_unsigned ? predicate - 4 : predicate) {
  case 0:
    *out = a == b;
    break;
  case 1:
    *out = a != b;
    break;
  case 2:
    *out = a < b;
    break;
  case 3:
    *out = a <= b;
    break;
  case 4:
    *out = a > b;
    break;
  default:
    *out = a >= b;
  }
  return !is_unsigned || (a >= 0 && b >= 0);
}

// What the op computes of two numbers; false where that is not defined.
static bool compute_pair(MlirOperation op, wide a, wide b, wide *out) {
  const size_t pair = pair_of(op);
  if (pair == PAIR_COUNT)
    return compare(op, a, b, out);
  if ((PAIRS[pair].is_unsigned && (a < 0 || b < 0)) ||
      (PAIRS[pair].is_defined && !PAIRS[pair].is_defined(b)))
    return false;
  *out = PAIRS[pair].compute(a, b);
  return true;
}

static void settle(stow_check_numbers *n, MlirValue result, stow_check_number number, bool defined,
                   wide value) {
  number.known &= defined && is_in_type(result, value);
  number.number = number.known ? (int64_t)value : 0;
  set(n, result, number);
}

// Of a 0 these make 0, whatever the other operand is.
static bool keeps_zero(MlirOperation op) {
  return stow_ir_op_is(op, "arith.muli") || stow_ir_op_is(op, "arith.minui") ||
         stow_ir_op_is(op, "arith.andi");
}

static bool is_zero(stow_check_number number) { return number.known && number.number == 0; }

static void read_pair(stow_check_numbers *n, MlirOperation op) {
  const stow_check_number a = *number_of(n, operand(op, 0)), b = *number_of(n, operand(op, 1));
  wide value = 0;
  if (keeps_zero(op) && (is_zero(a) || is_zero(b))) { // of two, the one that is known earlier
    const bool second = !is_zero(a) || (is_zero(b) && mlirValueIsNull(b.last));
    set(n, mlirOperationGetResult(op, 0), second ? b : a);
    return;
  }
  const bool defined = compute_pair(op, a.number, b.number, &value);
  settle(n, mlirOperationGetResult(op, 0), joined(n, a, b), defined, value);
}

static void read_constant(stow_check_numbers *n, MlirOperation op) {
  const MlirValue result = mlirOperationGetResult(op, 0);
  const MlirAttribute value = stow_attribute_of(op, "value");
  const int64_t number = mlirAttributeIsAInteger(value) ? mlirIntegerAttrGetValueInt(value) : 0;
  set(n, result, constant(stow_ir_is_bit(result) ? number & 1 : number));
}

// Casts keep the number where the type of the result has it.
static void read_cast(stow_check_numbers *n, MlirOperation op) {
  const stow_check_number a = *number_of(n, operand(op, 0));
  const bool sign = stow_ir_op_is(op, "arith.extsi") && stow_ir_is_bit(operand(op, 0));
  const bool zero = stow_ir_op_is(op, "arith.extui") || stow_ir_op_is(op, "arith.index_castui");
  settle(n, mlirOperationGetResult(op, 0), a, !zero || a.number >= 0, sign ? -a.number : a.number);
}

static void read_select(stow_check_numbers *n, MlirOperation op) {
  const stow_check_number flag = *number_of(n, operand(op, 0));
  const stow_check_number chosen = *number_of(n, operand(op, flag.number ? 1 : 2));
  settle(n, mlirOperationGetResult(op, 0), joined(n, flag, chosen), true, chosen.number);
}

//===----------------------------------------------------------------------===//
// Affine maps
//===----------------------------------------------------------------------===//

// A map's are the operands of an op from `first` on.
typedef struct inputs {
  const stow_check_numbers *numbers;
  MlirOperation op;
  intptr_t first, dims;
} inputs;

static bool compute_affine(const inputs *of, MlirAffineExpr expr, wide *out);

static bool compute_affine_pair(const inputs *of, MlirAffineExpr expr, wide *out) {
  wide a, b;
  if (!compute_affine(of, mlirAffineBinaryOpExprGetLHS(expr), &a) ||
      !compute_affine(of, mlirAffineBinaryOpExprGetRHS(expr), &b))
    return false;
  if (mlirAffineExprIsAAdd(expr))
    *out = a + b;
  else if (mlirAffineExprIsAMul(expr))
    *out = a * b;
  else if (b <= 0)
    return false;
  else if (mlirAffineExprIsAFloorDiv(expr))
    *out = rounded_down(a, b);
  else if (mlirAffineExprIsACeilDiv(expr))
    *out = rounded_up(a, b);
  else
    *out = a - b * rounded_down(a, b);
  return *out >= INT64_MIN && *out <= INT64_MAX;
}

static wide input_of(const inputs *of, intptr_t input) {
  return number_of(of->numbers, operand(of->op, of->first + input))->number;
}

static bool compute_affine(const inputs *of, MlirAffineExpr expr, wide *out) {
  if (mlirAffineExprIsAConstant(expr))
    *out = mlirAffineConstantExprGetValue(expr);
  else if (mlirAffineExprIsADim(expr))
    *out = input_of(of, mlirAffineDimExprGetPosition(expr));
  else if (mlirAffineExprIsASymbol(expr))
    *out = input_of(of, of->dims + mlirAffineSymbolExprGetPosition(expr));
  else
    return compute_affine_pair(of, expr, out);
  return true;
}

// The least or the greatest result of a map.
static stow_check_number read_results(stow_check_numbers *n, MlirOperation op, MlirAffineMap map,
                                      intptr_t first, bool greatest) {
  const inputs of = {n, op, first, mlirAffineMapGetNumDims(map)};
  stow_check_number number = constant(0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumInputs(map); ++i)
    number = joined(n, number, *number_of(n, operand(op, first + i)));
  wide result = 0, value;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map) && number.known; ++i) {
    number.known = compute_affine(&of, mlirAffineMapGetResult(map, i), &value) &&
                   value >= INT64_MIN && value <= INT64_MAX;
    result = i == 0 || (greatest ? value > result : value < result) ? value : result;
  }
  number.number = number.known ? (int64_t)result : 0;
  return number;
}

static MlirAffineMap map_of(MlirOperation op, const char *attribute) {
  return mlirAffineMapAttrGetValue(stow_attribute_of(op, attribute));
}

// affine.apply, affine.min, affine.max.
static void read_map(stow_check_numbers *n, MlirOperation op) {
  set(n, mlirOperationGetResult(op, 0),
      read_results(n, op, map_of(op, "map"), 0, !stow_ir_op_is(op, "affine.min")));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static void read_dim(stow_check_numbers *n, MlirOperation op) {
  const MlirValue memref = operand(op, 0), result = mlirOperationGetResult(op, 0);
  const stow_check_number which = *number_of(n, operand(op, 1));
  if (!which.known || which.number < 0 ||
      which.number >= mlirShapedTypeGetRank(mlirValueGetType(memref))) {
    set_leaves(n, result);
    return;
  }
  const stow_check_number dimension = dimension_of(n, memref, which.number);
  settle(n, result, joined(n, which, dimension), true, dimension.number);
}

// Base, offset, sizes, strides.
static void read_metadata(stow_check_numbers *n, MlirOperation op) {
  const MlirValue memref = operand(op, 0);
  const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memref));
  for (intptr_t i = 0; i < rank; ++i)
    set(n, mlirOperationGetResult(op, 2 + i), dimension_of(n, memref, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    set_leaves(n, mlirOperationGetResult(op, i));
}

// The dynamic dimensions of the result are operands from `first` on.
static void read_shape_operands(stow_check_numbers *n, MlirOperation op, intptr_t first) {
  const MlirValue result = mlirOperationGetResult(op, 0);
  const MlirType type = mlirValueGetType(result);
  stow_map_add(&n->of_shapes, result.ptr, (int32_t)n->all.count);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i) {
    const bool dynamic = mlirShapedTypeIsDynamicDim(type, i);
    const stow_check_number number =
        dynamic ? *number_of(n, operand(op, first++)) : constant(mlirShapedTypeGetDimSize(type, i));
    STOW_PUSH(n->all, number);
  }
}

static void read_alloc(stow_check_numbers *n, MlirOperation op) { read_shape_operands(n, op, 0); }
static void read_view(stow_check_numbers *n, MlirOperation op) { read_shape_operands(n, op, 2); }
static void read_expanded(stow_check_numbers *n, MlirOperation op) {
  read_shape_operands(n, op, 1);
}

static void read_same_shape(stow_check_numbers *n, MlirOperation op) {
  const MlirValue from = operand(op, 0), result = mlirOperationGetResult(op, 0);
  const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(result));
  const size_t first = n->all.count;
  for (intptr_t i = 0; i < rank; ++i)
    STOW_PUSH(n->all, dimension_of(n, from, i));
  stow_map_add(&n->of_shapes, result.ptr, (int32_t)first);
}

static stow_check_number collapsed(const stow_check_numbers *n, MlirOperation op, intptr_t i) {
  const MlirAttribute group = mlirArrayAttrGetElement(stow_attribute_of(op, "reassociation"), i);
  stow_check_number product = constant(1);
  wide value = 1;
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(group); ++k) {
    const int64_t which = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, k));
    const stow_check_number factor = dimension_of(n, operand(op, 0), which);
    product = joined(n, product, factor);
    product.known &= !__builtin_mul_overflow(value, (wide)factor.number, &value) &&
                     value >= INT64_MIN && value <= INT64_MAX;
    value = product.known ? value : 0;
  }
  product.number = (int64_t)value;
  return product;
}

static void read_collapsed(stow_check_numbers *n, MlirOperation op) {
  const MlirValue result = mlirOperationGetResult(op, 0);
  const size_t first = n->all.count;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(mlirValueGetType(result)); ++i)
    STOW_PUSH(n->all, collapsed(n, op, i));
  stow_map_add(&n->of_shapes, result.ptr, (int32_t)first);
}

static intptr_t count_dynamic(MlirOperation op, const char *attribute) {
  const MlirAttribute numbers = stow_attribute_of(op, attribute);
  intptr_t count = 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i)
    count += mlirShapedTypeIsDynamicSize(mlirDenseI64ArrayGetElement(numbers, i));
  return count;
}

// Sizes are behind the offsets. What a subview leaves out has a constant one. The type that a
// reinterpret_cast makes need not tell a constant size: then operands are fewer than dimensions.
static void read_sliced(stow_check_numbers *n, MlirOperation op) {
  const MlirValue result = mlirOperationGetResult(op, 0);
  const MlirType type = mlirValueGetType(result);
  intptr_t open = 0;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    open += mlirShapedTypeIsDynamicDim(type, i);
  if (open == count_dynamic(op, "static_sizes"))
    read_shape_operands(n, op, 1 + count_dynamic(op, "static_offsets"));
  else
    set_leaves(n, result);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

static const struct {
  const char *name;
  void (*read)(stow_check_numbers *n, MlirOperation op);
} READERS[] = {
    {"arith.constant", read_constant},
    {"arith.cmpi", read_pair},
    {"arith.select", read_select},
    {"arith.index_cast", read_cast},
    {"arith.index_castui", read_cast},
    {"arith.extsi", read_cast},
    {"arith.extui", read_cast},
    {"arith.trunci", read_cast},
    {"affine.apply", read_map},
    {"affine.min", read_map},
    {"affine.max", read_map},
    {"memref.dim", read_dim},
    {"memref.extract_strided_metadata", read_metadata},
    {"memref.alloc", read_alloc},
    {"memref.alloca", read_alloc},
    {"memref.view", read_view},
    {"memref.cast", read_same_shape},
    {"memref.memory_space_cast", read_same_shape},
    {"memref.assume_alignment", read_same_shape},
    {"bufferization.clone", read_same_shape},
    {"memref.collapse_shape", read_collapsed},
    {"memref.expand_shape", read_expanded},
    {"memref.subview", read_sliced},
    {"memref.reinterpret_cast", read_sliced},
};

typedef void (*reader)(stow_check_numbers *n, MlirOperation op);

static reader reader_of(MlirOperation op) {
  for (size_t i = 0; i < sizeof READERS / sizeof *READERS; ++i)
    if (stow_ir_op_is(op, READERS[i].name))
      return READERS[i].read;
  return pair_of(op) < PAIR_COUNT ? read_pair : NULL;
}

static bool is_read(MlirOperation op, MlirValue value) {
  return is_integer(value) || (is_memref(value) && !stow_ir_op_has_prefix(op, "arith."));
}

// Operands and results are integers, or memrefs with dimensions.
static bool is_readable(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!is_read(op, operand(op, i)))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!is_read(op, mlirOperationGetResult(op, i)))
      return false;
  return true;
}

static bool has_operands(const stow_check_numbers *n, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!is_done(n, operand(op, i)))
      return false;
  return true;
}

// Of so many iterations the first, the last or one between them, as the sample has it: views of one
// iteration are there together, and in none of them is it certain that they are the largest.
static int64_t chosen_iteration(const stow_check_numbers *n, int64_t last) {
  switch (n->sample % 3) {
  case 0:
    return last;
  case 1:
    return 0;
  default:
    return stow_check_any_number(n->sample, n->leaves.count) % (last + 1);
  }
}

// Where a loop begins, where it ends, and its step.
typedef struct range {
  stow_check_number from, to, step;
} range;

static range range_of_affine(stow_check_numbers *n, MlirOperation loop) {
  const MlirAffineMap lower = map_of(loop, "lowerBoundMap"), upper = map_of(loop, "upperBoundMap");
  return (range){read_results(n, loop, lower, 0, true),
                 read_results(n, loop, upper, mlirAffineMapGetNumInputs(lower), false),
                 constant(mlirIntegerAttrGetValueInt(stow_attribute_of(loop, "step")))};
}

static range range_of(stow_check_numbers *n, MlirOperation loop) {
  if (stow_ir_op_is(loop, "affine.for"))
    return range_of_affine(n, loop);
  return (range){*number_of(n, operand(loop, 0)), *number_of(n, operand(loop, 1)),
                 *number_of(n, operand(loop, 2))};
}

static bool is_counted(MlirOperation op) {
  return stow_ir_op_is(op, "scf.for") || stow_ir_op_is(op, "affine.for");
}

// What a loop carries is no part of its range.
static bool has_range(const stow_check_numbers *n, MlirOperation loop) {
  intptr_t count = 3;
  if (stow_ir_op_is(loop, "affine.for"))
    count = mlirAffineMapGetNumInputs(map_of(loop, "lowerBoundMap")) +
            mlirAffineMapGetNumInputs(map_of(loop, "upperBoundMap"));
  for (intptr_t i = 0; i < count; ++i)
    if (!is_done(n, operand(loop, i)))
      return false;
  return true;
}

// The number of a loop's iteration.
static void set_iteration(stow_check_numbers *n, MlirOperation loop) {
  const MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  const MlirValue iteration = mlirBlockGetArgument(body, 0);
  if (is_done(n, iteration) || !is_integer(iteration) || !has_range(n, loop))
    return;
  const range r = range_of(n, loop);
  stow_check_number number = joined(n, joined(n, r.from, r.to), r.step);
  if (!number.known || r.step.number <= 0 || r.from.number >= r.to.number)
    return;
  const wide last = ((wide)r.to.number - 1 - r.from.number) / r.step.number;
  if (last >= INT64_MAX)
    return;
  number.number = r.from.number + chosen_iteration(n, (int64_t)last) * r.step.number;
  number.last = iteration;
  set(n, iteration, number);
}

//===----------------------------------------------------------------------===//
// scf.while
//===----------------------------------------------------------------------===//

// Of a loop with a condition two samples of three look at the first iteration, whose numbers are
// those that it is given; the third at another, which may be given any.
static bool looks_at_first_iteration(const stow_check_numbers *n) { return n->sample % 3 != 2; }

// The arguments of region `r`, from the operands of an op.
static void set_first_iteration(stow_check_numbers *n, MlirOperation loop, intptr_t r,
                                MlirOperation from, intptr_t first) {
  const MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, r));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    const MlirValue argument = mlirBlockGetArgument(block, i), given = operand(from, first + i);
    if (!is_integer(argument) || is_done(n, argument) || !is_done(n, given)) {
      set_leaves(n, argument);
      continue;
    }
    stow_check_number number = *number_of(n, given);
    number.last = argument;
    set(n, argument, number);
  }
}

// Like the iteration of a loop: views of one iteration are there together.
static void set_any_iteration(stow_check_numbers *n, MlirOperation loop) {
  const MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    const MlirValue argument = mlirBlockGetArgument(block, i);
    set_leaves(n, argument);
    if (is_integer(argument))
      n->all.at[stow_map_get(&n->of_values, argument.ptr)].bound = (MlirValue){NULL};
  }
}

static void set_block_arguments(stow_check_numbers *n, MlirOperation op) {
  if (stow_ir_op_is(op, "scf.while")) {
    if (looks_at_first_iteration(n))
      set_first_iteration(n, op, 0, op, 0);
    else
      set_any_iteration(n, op);
    return;
  }
  if (stow_ir_op_is(op, "scf.condition"))
    set_first_iteration(n, mlirOperationGetParentOperation(op), 1, op, 1);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      for (intptr_t i = 0, count = mlirOperationIsNull(mlirBlockGetFirstOperation(block))
                                       ? 0
                                       : mlirBlockGetNumArguments(block);
           i < count; ++i)
        set_leaves(n, mlirBlockGetArgument(block, i));
}

static void visit(stow_check_numbers *n, MlirOperation op) {
  const reader read = reader_of(op);
  const intptr_t results = mlirOperationGetNumResults(op);
  if (is_counted(op))
    set_iteration(n, op);
  set_block_arguments(n, op);
  if (results == 0 || is_done(n, mlirOperationGetResult(op, results - 1)))
    return;
  if (!read || !is_readable(op))
    for (intptr_t i = 0; i < results; ++i)
      set_leaves(n, mlirOperationGetResult(op, i));
  else if (has_operands(n, op))
    read(n, op);
}

// Whether a view that could be there is put where no number tells.
static bool is_lost_view(stow_check_numbers *n, MlirOperation op) {
  int64_t elements, offset;
  return stow_ir_op_is(op, "memref.view") &&
         stow_check_elements_of(n, mlirOperationGetResult(op, 0), (MlirValue){NULL}, &elements) &&
         !(stow_check_number_of(n, operand(op, 1), (MlirValue){NULL}, &offset) && offset >= 0);
}

void stow_check_numbers_find(stow_check_numbers *n, MlirOperation function, uint64_t sample) {
  *n = (stow_check_numbers){.sample = sample,
                            .function = function,
                            .dominance = stow_dominance_create(function),
                            .fit = true};
  stow_check_find_asserted(n);
  for (size_t before = SIZE_MAX; before != n->all.count;) {
    before = n->all.count;
    STOW_EACH_OP_OF(op, function)
      visit(n, op);
  }
  STOW_EACH_OP_OF(op, function)
    n->fit = n->fit && !is_lost_view(n, op);
  n->asked = 0;
}

void stow_check_numbers_free(stow_check_numbers *n) {
  stow_dominance_destroy(n->dominance);
  stow_map_free(&n->of_values);
  stow_map_free(&n->of_shapes);
  free(n->all.at);
  free(n->leaves.at);
  free(n->asserted.at);
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static bool is_in_entry(const stow_check_numbers *n, MlirValue value) {
  const MlirBlock block = mlirValueIsAOpResult(value)
                              ? mlirOperationGetBlock(mlirOpResultGetOwner(value))
                              : mlirBlockArgumentGetOwner(value);
  return mlirBlockEqual(block, mlirRegionGetFirstBlock(stow_bridge_function_body(n->function)));
}

// As long as `parent` is there, what is known before it does not change.
static bool is_steady(const stow_check_numbers *n, MlirValue last, MlirValue parent) {
  if (mlirValueIsNull(last) || mlirValueIsNull(parent))
    return true;
  if (mlirValueIsAOpResult(parent) &&
      stow_bridge_dominates(n->dominance, last, mlirOpResultGetOwner(parent)))
    return true;
  return is_in_entry(n, last) && is_in_entry(n, parent);
}

// `last`: of the leaves behind it.
static bool answer(stow_check_numbers *n, stow_check_number number, MlirValue last,
                   MlirValue parent, int64_t *out) {
  *out = number.number;
  if (!number.known || !is_steady(n, last, parent))
    return false;
  n->asked |= number.leaves;
  return true;
}

// `chosen`: in the iterations that the sample chose.
static bool look_up(stow_check_numbers *n, MlirValue value, bool chosen, MlirValue parent,
                    int64_t *out) {
  if (stow_map_get(&n->of_values, value.ptr) < 0)
    return false;
  const stow_check_number number = *number_of(n, value);
  return answer(n, number, chosen ? number.bound : number.last, parent, out);
}

bool stow_check_number_of(stow_check_numbers *n, MlirValue value, MlirValue parent, int64_t *out) {
  return look_up(n, value, false, parent, out);
}

static bool known_dimension(stow_check_numbers *n, MlirValue memref, intptr_t dimension,
                            MlirValue parent, int64_t *out) {
  if (!is_done(n, memref))
    return false;
  const stow_check_number number = dimension_of(n, memref, dimension);
  return answer(n, number, number.bound, parent, out);
}

static bool has_no_element(stow_check_numbers *n, MlirValue memref, MlirValue parent) {
  int64_t size;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(mlirValueGetType(memref)); ++i)
    if (known_dimension(n, memref, i, parent, &size) && size == 0)
      return true;
  return false;
}

bool stow_check_elements_of(stow_check_numbers *n, MlirValue memref, MlirValue parent,
                            int64_t *out) {
  const MlirType type = mlirValueGetType(memref);
  int64_t size;
  *out = 1;
  if (!mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return false;
  if (has_no_element(n, memref, parent)) { // whatever its other dimensions are
    *out = 0;
    return true;
  }
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (!known_dimension(n, memref, i, parent, &size) || size < 0 ||
        __builtin_mul_overflow(*out, size, out))
      return false;
  return true;
}

static bool runs_other_region(stow_check_numbers *n, MlirOperation branch, MlirRegion region,
                              MlirValue parent) {
  int64_t bit;
  return look_up(n, operand(branch, 0), true, parent, &bit) &&
         (bit != 0) != mlirRegionEqual(mlirOperationGetRegion(branch, 0), region);
}

// The first region is for the numbers that no other is for.
static bool runs_other_case(stow_check_numbers *n, MlirOperation op, MlirRegion region,
                            MlirValue parent) {
  const MlirAttribute cases = stow_attribute_of(op, "cases");
  int64_t number;
  intptr_t runs = 0;
  if (!look_up(n, operand(op, 0), true, parent, &number))
    return false;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(cases) && runs == 0; ++i)
    if (mlirDenseI64ArrayGetElement(cases, i) == number)
      runs = i + 1;
  return !mlirRegionEqual(mlirOperationGetRegion(op, runs), region);
}

// Of the region behind the condition. Whether an iteration that is not the first comes to it is not
// known: what is cut from something outside is not looked at there.
static bool ends_before(stow_check_numbers *n, MlirOperation loop, MlirRegion region,
                        MlirValue parent) {
  const MlirBlock before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  int64_t bit;
  if (mlirRegionEqual(mlirBlockGetParentRegion(before), region))
    return false;
  if (!looks_at_first_iteration(n))
    return mlirValueIsNull(parent) || !stow_ir_is_inside(known_at(parent), loop);
  return look_up(n, operand(mlirBlockGetTerminator(before), 0), true, parent, &bit) && bit == 0;
}

static bool has_no_iteration(stow_check_numbers *n, MlirOperation loop, MlirValue parent) {
  int64_t from, to;
  if (!has_range(n, loop))
    return false;
  const range r = range_of(n, loop);
  return answer(n, r.from, r.from.bound, parent, &from) &&
         answer(n, r.to, r.to.bound, parent, &to) && from >= to;
}

bool stow_check_is_skipped(stow_check_numbers *n, MlirOperation op, MlirValue parent) {
  for (bool skipped = false; !mlirOperationEqual(op, n->function);) {
    const MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
    op = mlirOperationGetParentOperation(op);
    if (stow_ir_op_is(op, "scf.if"))
      skipped = runs_other_region(n, op, region, parent);
    else if (stow_ir_op_is(op, "scf.index_switch"))
      skipped = runs_other_case(n, op, region, parent);
    else if (stow_ir_op_is(op, "scf.while"))
      skipped = ends_before(n, op, region, parent);
    else if (is_counted(op))
      skipped = has_no_iteration(n, op, parent);
    if (skipped)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Naming
//===----------------------------------------------------------------------===//

typedef struct text {
  STOW_ARRAY(char) chars;
} text;

static void append(MlirStringRef part, void *user) {
  text *t = user;
  for (size_t i = 0; i < part.length; ++i)
    STOW_PUSH(t->chars, part.data[i]);
}

static void append_string(text *t, const char *part) {
  append((MlirStringRef){part, strlen(part)}, t);
}

static void append_leaf(text *t, const stow_check_leaf *leaf, MlirAsmState state) {
  char number[64];
  if (leaf->dimension >= 0) {
    snprintf(number, sizeof number, "dimension %" PRId64 " of ", leaf->dimension);
    append_string(t, number);
  }
  mlirValuePrintAsOperand(leaf->value, state, append, t);
  snprintf(number, sizeof number, " = %" PRId64, leaf->number);
  append_string(t, number);
}

char *stow_check_numbers_text(const stow_check_numbers *n, MlirOperation at) {
  text t = {0};
  const MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  const MlirAsmState state = mlirAsmStateCreateForOperation(n->function, flags);
  size_t count = 0;
  for (size_t i = 0; i < n->leaves.count && i < LAST_BIT; ++i)
    if (n->asked >> i & 1 && stow_bridge_dominates(n->dominance, n->leaves.at[i].value, at) &&
        count++ < STOW_CHECK_MOST_NAMED) {
      append_string(&t, count == 1 ? ", with " : ", ");
      append_leaf(&t, &n->leaves.at[i], state);
    }
  append_string(&t, count > STOW_CHECK_MOST_NAMED ? ", ..." : "");
  STOW_PUSH(t.chars, '\0');
  mlirAsmStateDestroy(state);
  mlirOpPrintingFlagsDestroy(flags);
  return t.chars.at;
}
