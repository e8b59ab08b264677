//===- math.c - exp, tanh and erf of vectors ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials are minimax, of the relative error. NaN goes through: comparisons with it are false,
// and then the number itself is taken.
//
// Only the products of `plus_product` are fused, so that numbers and vectors of all widths round
// alike.
//
//===----------------------------------------------------------------------===//

#include "vectors/math.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

typedef struct maker {
  const stow_builder *at;
  MlirType numbers, integers, bits; // f32, i32 and i1, or vectors of them
} maker;

static MlirType like(MlirType shape, MlirType element) {
  if (!mlirTypeIsAVector(shape))
    return element;
  const int64_t lanes = mlirShapedTypeGetDimSize(shape, 0);
  return mlirVectorTypeGet(1, &lanes, element);
}

static MlirValue constant(const maker *m, MlirType type, MlirAttribute number) {
  const stow_attribute value = {
      "value", mlirTypeIsAVector(type) ? mlirDenseElementsAttrSplatGet(type, number) : number};
  return stow_ir_build_with(m->at, STOW_ARITH_CONSTANT, NULL, 0, type, value);
}

static MlirValue real(const maker *m, double number) {
  const MlirType f32 = mlirF32TypeGet(m->at->context);
  return constant(m, m->numbers, mlirFloatAttrDoubleGet(m->at->context, f32, number));
}

static MlirValue integer(const maker *m, int64_t number) {
  const MlirType i32 = mlirIntegerTypeGet(m->at->context, 32);
  return constant(m, m->integers, mlirIntegerAttrGet(i32, number));
}

static MlirValue binary(const maker *m, stow_op_kind kind, MlirValue a, MlirValue b) {
  return stow_ir_build_binary(m->at, kind, a, b);
}

static MlirValue times(const maker *m, MlirValue a, MlirValue b) {
  return binary(m, STOW_ARITH_MULF, a, b);
}

MlirValue stow_vectors_plus_product(const stow_builder *at, const MlirValue factors[2],
                                    MlirValue sum) {
  const MlirValue operands[] = {factors[0], factors[1], sum};
  return stow_ir_build_value(at, STOW_LLVM_INTR_FMULADD, operands, 3, mlirValueGetType(sum));
}

static MlirValue plus_product(const maker *m, MlirValue a, MlirValue b, MlirValue sum) {
  return stow_vectors_plus_product(m->at, (const MlirValue[]){a, b}, sum);
}

// From the coefficient of the highest power to the constant.
static MlirValue polynomial(const maker *m, MlirValue x, const double *coefficients, size_t count) {
  MlirValue sum = real(m, coefficients[0]);
  for (size_t i = 1; i < count; ++i)
    sum = plus_product(m, sum, x, real(m, coefficients[i]));
  return sum;
}

#define POLYNOMIAL(m, x, ...)                                                                      \
  polynomial(m, x, (const double[]){__VA_ARGS__},                                                  \
             sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// a < b ? yes : no
static MlirValue if_less(const maker *m, MlirValue a, MlirValue b, MlirValue yes, MlirValue no) {
  enum { ORDERED_LESS = 4 }; // of arith.cmpf
  const MlirValue operands[] = {a, b};
  const stow_attribute how = {
      "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(m->at->context, 64), ORDERED_LESS)};
  const MlirValue less = stow_ir_build_with(m->at, STOW_ARITH_CMPF, operands, 2, m->bits, how);
  return stow_ir_build_select(m->at, less, yes, no);
}

static MlirValue at_least(const maker *m, double bound, MlirValue x) {
  return if_less(m, x, real(m, bound), real(m, bound), x);
}

static MlirValue at_most(const maker *m, double bound, MlirValue x) {
  return if_less(m, real(m, bound), x, real(m, bound), x);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static MlirValue bits_of(const maker *m, MlirValue x) {
  return stow_ir_build_value(m->at, STOW_ARITH_BITCAST, &x, 1, m->integers);
}

static MlirValue number_of(const maker *m, MlirValue bits) {
  return stow_ir_build_value(m->at, STOW_ARITH_BITCAST, &bits, 1, m->numbers);
}

static MlirValue without_sign(const maker *m, MlirValue x) {
  return number_of(m, binary(m, STOW_ARITH_ANDI, bits_of(m, x), integer(m, INT32_MAX)));
}

// `x`, which has no sign, with that of another number.
static MlirValue with_sign(const maker *m, MlirValue x, MlirValue other) {
  const MlirValue sign = binary(m, STOW_ARITH_ANDI, bits_of(m, other), integer(m, INT32_MIN));
  return number_of(m, binary(m, STOW_ARITH_ORI, bits_of(m, x), sign));
}

// 2^n, of exponents that normal numbers have.
static MlirValue power_of_two(const maker *m, MlirValue n) {
  const MlirValue exponent = binary(m, STOW_ARITH_ADDI, n, integer(m, 127));
  return number_of(m, binary(m, STOW_ARITH_SHLI, exponent, integer(m, 23)));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// x = n * ln 2 + r, so e^x = e^r * 2^n, which is made in two steps: it may be no normal number. The
// sum with 1.5 * 2^23 has n as its last bits. Beyond the bounds results are 0 and infinite.
static MlirValue exp_of(const maker *m, MlirValue x) {
  const MlirValue shift = real(m, 0x1.8p23), one = real(m, 1);
  x = at_most(m, 89, at_least(m, -104, x));
  const MlirValue shifted = plus_product(m, x, real(m, 0x1.715476p0), shift),
                  n = binary(m, STOW_ARITH_SUBI, bits_of(m, shifted), bits_of(m, shift)),
                  whole = binary(m, STOW_ARITH_SUBF, shifted, shift);
  MlirValue r = plus_product(m, whole, real(m, -0x1.63p-1), x); // ln 2 in two parts
  r = plus_product(m, whole, real(m, 0x1.bd0106p-13), r);
  const MlirValue high = POLYNOMIAL(m, r, 0.001381453573, 0.008368745149, 0.04166839087,
                                    0.166665204, 0.4999999343),
                  y = plus_product(m, plus_product(m, high, r, one), r, one),
                  half = binary(m, STOW_ARITH_SHRSI, n, integer(m, 1)),
                  rest = binary(m, STOW_ARITH_SUBI, n, half);
  return times(m, times(m, y, power_of_two(m, half)), power_of_two(m, rest));
}

static MlirValue tanh_of(const maker *m, MlirValue x) {
  const MlirValue one = real(m, 1), two = real(m, 2), t = without_sign(m, x), z = times(m, t, t),
                  below = binary(m, STOW_ARITH_ADDF, exp_of(m, times(m, t, two)), one),
                  large = binary(m, STOW_ARITH_SUBF, one, binary(m, STOW_ARITH_DIVF, two, below)),
                  high = POLYNOMIAL(m, z, -0.005721631179, 0.02065521962, -0.05374514497,
                                    0.1333151518, -0.3333328508),
                  small = plus_product(m, times(m, t, z), high, t);
  return with_sign(m, if_less(m, t, real(m, 0.625), small, large), x);
}

// 1 - erf is e to a polynomial, where erf is not small.
static MlirValue erf_of(const maker *m, MlirValue x) {
  const MlirValue t = without_sign(m, x), z = times(m, t, t),
                  small = times(m, t,
                                POLYNOMIAL(m, z, -0.0005976592936, 0.004990413484, -0.02676475524,
                                           0.1128176566, -0.3761248896, 1.128379149)),
                  power = POLYNOMIAL(m, at_most(m, 4, t), 0.0001959314018, -0.003043161416,
                                     0.02222670274, -0.103931158, -0.6371827321, -1.127675348,
                                     -0.0001957405265),
                  large = binary(m, STOW_ARITH_SUBF, real(m, 1), exp_of(m, power));
  return with_sign(m, if_less(m, t, real(m, 0.925), small, large), x);
}

MlirValue stow_vectors_math_of(const stow_builder *at, MlirOperation op, MlirValue operand) {
  const MlirType type = mlirValueGetType(operand), f32 = mlirF32TypeGet(at->context);
  const maker m = {at, type, like(type, mlirIntegerTypeGet(at->context, 32)),
                   like(type, mlirIntegerTypeGet(at->context, 1))};
  if (!mlirTypeEqual(type, like(type, f32)))
    return (MlirValue){NULL};
  if (stow_ir_is(op, STOW_MATH_EXP))
    return exp_of(&m, operand);
  if (stow_ir_is(op, STOW_MATH_TANH))
    return tanh_of(&m, operand);
  return stow_ir_is(op, STOW_MATH_ERF) ? erf_of(&m, operand) : (MlirValue){NULL};
}
