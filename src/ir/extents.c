//===- extents.c - sizes that are known at run time only, as formulas ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/extents.h"

#include "ir/dims.h"
#include "ir/view.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

stow_extents *stow_extents_create(MlirOperation function, const stow_layout *layout, bool bound) {
  stow_extents *extents = stow_ir_allocate(1, sizeof *extents);
  extents->function = function;
  extents->bound = bound;
  extents->formulas = stow_formulas_create();
  extents->readable = layout->index_bits == 64;
  return extents;
}

void stow_extents_free(stow_extents *extents) {
  if (!extents)
    return;
  stow_formulas_free(extents->formulas);
  stow_map_free(&extents->of_values);
  stow_map_free(&extents->dimensions);
  stow_map_free(&extents->cases);
  stow_map_free(&extents->taken);
  for (size_t v = 0; v < extents->variables.count; ++v)
    free(extents->variables.at[v].name);
  free(extents->variables.at);
  free(extents->asserted.at);
  free(extents);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

// The number of the function's argument that a value is, or -1.
static intptr_t argument_of(const stow_extents *e, MlirValue value) {
  if (!mlirValueIsABlockArgument(value))
    return -1;
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(e->function));
  return mlirBlockEqual(mlirBlockArgumentGetOwner(value), entry)
             ? mlirBlockArgumentGetArgNumber(value)
             : -1;
}

static char *name_of(const stow_stated *stated, intptr_t argument, int64_t dimension) {
  if (stated->name.length > 0)
    return stow_ir_copy_string(stated->name);
  if (argument < 0)
    return NULL;
  return dimension < 0 ? stow_ir_format("arg%lld", (long long)argument)
                       : stow_ir_format("arg%lld[%lld]", (long long)argument, (long long)dimension);
}

// What is stated to be equal is one variable.
static stow_formula find_stated(const stow_extents *e, const stow_stated *stated) {
  for (size_t v = 0; v < e->variables.count && stated->name.length > 0; ++v)
    if (e->variables.at[v].stated && stow_ir_string_equal(stated->name, e->variables.at[v].name))
      return e->variables.at[v].formula;
  return STOW_NO_FORMULA;
}

// All that is stated of sizes of one name: their ranges have in common what it may be.
static void join_stated(const stow_extents *e, stow_stated *stated) {
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(e->function));
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(entry) && stated->name.length > 0; ++a) {
    const MlirType type = mlirValueGetType(mlirBlockGetArgument(entry, a));
    const int64_t count = mlirTypeIsAMemRef(type) ? mlirShapedTypeGetRank(type) : 1;
    for (int64_t d = 0; d < count; ++d) {
      const stow_stated other = stow_stated_of(e->function, a, d);
      if (!mlirStringRefEqual(other.name, stated->name))
        continue;
      stated->min = other.min > stated->min ? other.min : stated->min;
      if (other.max >= 0 && (stated->max < 0 || other.max < stated->max))
        stated->max = other.max;
      stated->hint = stated->hint >= 0 ? stated->hint : other.hint;
    }
  }
  if (stated->max >= 0 && stated->min > stated->max) // nobody may call it
    stated->min = stated->max;
}

// `low`: its lower limit, if none is stated.
static stow_formula add_variable(stow_extents *e, MlirValue value, int64_t dimension, int64_t low) {
  const intptr_t argument = argument_of(e, value);
  stow_stated stated = {{"", 0}, -1, -1, -1};
  if (argument >= 0)
    stated = stow_stated_of(e->function, argument, dimension < 0 ? 0 : dimension);
  stow_formula formula = find_stated(e, &stated);
  if (formula != STOW_NO_FORMULA)
    return formula;
  join_stated(e, &stated);
  formula = stow_formula_variable(e->formulas, stated.min >= 0 ? stated.min : low,
                                  stated.max >= 0 ? stated.max : STOW_UNLIMITED);
  STOW_PUSH(e->variables, (stow_variable){.value = value,
                                          .dimension = dimension,
                                          .next = -1,
                                          .formula = formula,
                                          .hint = stated.hint,
                                          .stated = stated.name.length > 0,
                                          .name = name_of(&stated, argument, dimension)});
  return formula;
}

char *stow_argument_name(const stow_extents *e, intptr_t argument, int64_t dimension) {
  const stow_stated stated = stow_stated_of(e->function, argument, dimension < 0 ? 0 : dimension);
  return name_of(&stated, argument, dimension);
}

bool stow_ir_is_stated(const stow_extents *e, const stow_variable *variable) {
  const stow_stated stated = stow_stated_of(e->function, argument_of(e, variable->value),
                                            variable->dimension < 0 ? 0 : variable->dimension);
  return stated.name.length > 0 || stated.min > 0 || stated.max >= 0;
}

// A bit that a value tells.
static stow_variable *add_bit(stow_extents *e, MlirValue value) {
  const intptr_t argument = argument_of(e, value);
  const size_t made =
      STOW_PUSH(e->variables,
                (stow_variable){.value = value,
                                .dimension = -1,
                                .next = -1,
                                .formula = stow_formula_variable(e->formulas, 0, 1),
                                .hint = -1,
                                .is_bit = true,
                                .name = argument < 0 ? NULL : stow_argument_name(e, argument, -1)});
  return &e->variables.at[made];
}

static stow_formula number_of_bit(stow_extents *e, MlirValue bit) {
  const int32_t known = stow_map_get(&e->of_values, bit.ptr);
  if (known >= 0)
    return known;
  const stow_formula formula = add_bit(e, bit)->formula;
  stow_map_add(&e->of_values, bit.ptr, formula);
  return formula;
}

// 1 where it is set.
static stow_formula read_bit(stow_extents *e, MlirValue bit) {
  int64_t number;
  return stow_ir_constant_of(bit, &number) ? stow_formula_number(e->formulas, number != 0)
                                           : number_of_bit(e, bit);
}

//===----------------------------------------------------------------------===//
// Whether a region runs
//===----------------------------------------------------------------------===//

static stow_formula read_branch(stow_extents *e, MlirOperation op, MlirRegion region) {
  const stow_formula bit = read_bit(e, mlirOperationGetOperand(op, 0));
  return mlirRegionEqual(mlirOperationGetRegion(op, 0), region)
             ? bit
             : stow_formula_inverted(e->formulas, bit);
}

static stow_formula add_case(stow_extents *e, MlirValue value, int64_t number, bool whole,
                             int32_t next) {
  stow_variable *made = add_bit(e, value);
  char *name = made->name;
  made->is_case = true;
  made->is_whole = whole;
  made->number = number;
  made->next = next;
  made->name = !name   ? NULL
               : whole ? stow_ir_format("%s==%lld", name, (long long)number)
                       : stow_ir_format("i32(%s)==%lld", name, (long long)(int32_t)number);
  free(name);
  return made->formula;
}

// Whether an index is this number, or its lowest 32 bits are.
static stow_formula read_equal(stow_extents *e, MlirValue value, int64_t number, bool whole) {
  int64_t constant;
  if (stow_ir_constant_of(value, &constant))
    return stow_formula_number(e->formulas,
                               whole ? constant == number : (int32_t)constant == (int32_t)number);
  const int32_t first = stow_map_get(&e->cases, value.ptr);
  for (int32_t v = first; v >= 0; v = e->variables.at[v].next)
    if (e->variables.at[v].number == number && e->variables.at[v].is_whole == whole)
      return e->variables.at[v].formula;
  const int32_t count = (int32_t)e->variables.count;
  const int32_t next = first < 0 ? -1 : e->variables.at[first].next;
  const stow_formula formula = add_case(e, value, number, whole, next);
  if (first < 0)
    stow_map_add(&e->cases, value.ptr, count);
  else
    e->variables.at[first].next = count;
  return formula;
}

// The first region is the default's, the others those of the numbers in turn. Upstream's lowering
// asks for the lowest 32 bits, another may ask for all: a region counts where either runs it.
static stow_formula read_case(stow_extents *e, MlirOperation op, MlirRegion region) {
  const MlirValue value = mlirOperationGetOperand(op, 0);
  const MlirAttribute numbers = stow_attribute_of(op, "cases");
  const intptr_t count = mlirDenseArrayGetNumElements(numbers);
  for (intptr_t i = 0; i < count; ++i)
    if (mlirRegionEqual(mlirOperationGetRegion(op, i + 1), region))
      return read_equal(e, value, mlirDenseI64ArrayGetElement(numbers, i), false);
  stow_formula none = stow_formula_number(e->formulas, 1);
  for (intptr_t i = 0; i < count; ++i) {
    const stow_formula bit = read_equal(e, value, mlirDenseI64ArrayGetElement(numbers, i), true);
    none = stow_formula_product(e->formulas, none, stow_formula_inverted(e->formulas, bit));
  }
  return none;
}

// What stands before the condition runs once at least, what stands behind it where the first
// iteration goes on.
static stow_formula read_iteration(stow_extents *e, MlirOperation loop, MlirRegion region) {
  const MlirRegion before = mlirOperationGetRegion(loop, 0);
  const MlirValue bit =
      mlirOperationGetOperand(mlirBlockGetTerminator(mlirRegionGetFirstBlock(before)), 0);
  int64_t number = 1;
  if (mlirRegionEqual(before, region) || stow_ir_constant_of(bit, &number))
    return stow_formula_number(e->formulas, number != 0);
  stow_variable *made = add_bit(e, bit);
  made->loop = loop;
  return made->formula;
}

static stow_formula read_taken(stow_extents *e, MlirOperation op, MlirRegion region) {
  return stow_ir_is(op, STOW_SCF_IF)             ? read_branch(e, op, region)
         : stow_ir_is(op, STOW_SCF_INDEX_SWITCH) ? read_case(e, op, region)
         : stow_ir_is(op, STOW_SCF_WHILE)        ? read_iteration(e, op, region)
                                                 : STOW_NO_FORMULA;
}

stow_formula stow_ir_known_taken(const stow_extents *e, MlirRegion region) {
  return stow_map_get(&e->taken, mlirRegionGetFirstBlock(region).ptr);
}

stow_formula stow_ir_read_taken(stow_extents *e, MlirOperation op, MlirRegion region) {
  stow_formula formula = stow_ir_known_taken(e, region);
  if (formula != STOW_NO_FORMULA)
    return formula;
  formula = read_taken(e, op, region);
  if (formula != STOW_NO_FORMULA)
    stow_map_add(&e->taken, mlirRegionGetFirstBlock(region).ptr, formula);
  return formula;
}

//===----------------------------------------------------------------------===//
// Numbers of iterations
//===----------------------------------------------------------------------===//

// Where a loop begins, as far as that is a number.
static int64_t first_number(MlirOperation loop) {
  int64_t number = INT64_MIN;
  if (stow_ir_is(loop, STOW_SCF_FOR) && !stow_ir_has_attribute(loop, "unsignedCmp") &&
      stow_ir_constant_of(mlirOperationGetOperand(loop, 0), &number))
    return number;
  if (!stow_ir_is(loop, STOW_AFFINE_FOR))
    return INT64_MIN;
  const MlirAffineMap lower = mlirAffineMapAttrGetValue(stow_attribute_of(loop, "lowerBoundMap"));
  return mlirAffineMapIsSingleConstant(lower) ? mlirAffineMapGetSingleConstantResult(lower)
                                              : INT64_MIN;
}

// The number of a loop's iteration is not below the first.
static int64_t least_of(MlirValue value) {
  const bool first = mlirValueIsABlockArgument(value) && mlirBlockArgumentGetArgNumber(value) == 0;
  return first ? first_number(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)))
               : INT64_MIN;
}

static stow_formula number_variable(stow_extents *e, MlirValue value) {
  return add_variable(e, value, -1, least_of(value));
}

static stow_formula limit_bytes(stow_extents *e, MlirValue memref, int depth);

static stow_formula dimension_variable(stow_extents *e, MlirValue memref, int64_t dimension) {
  const int32_t first = stow_map_get(&e->dimensions, memref.ptr);
  for (int32_t v = first; v >= 0; v = e->variables.at[v].next)
    if (e->variables.at[v].dimension == dimension)
      return e->variables.at[v].formula;
  const size_t count = e->variables.count;
  const stow_formula formula = add_variable(e, memref, dimension, 0);
  if (e->variables.count == count) // it is stated to be another
    return formula;
  if (first < 0) {
    stow_map_add(&e->dimensions, memref.ptr, (int32_t)count);
  } else {
    e->variables.at[count].next = e->variables.at[first].next;
    e->variables.at[first].next = (int32_t)count;
  }
  if (e->exact && first < 0)
    limit_bytes(e, memref, 0);
  return formula;
}

//===----------------------------------------------------------------------===//
// Numbers that wrap
//===----------------------------------------------------------------------===//

// Where that is not to be proven: sizes of memory times their units do not wrap; what is shifted
// far may be made to.
static bool has_large_factor(const stow_extents *e, stow_formula formula) {
  const int64_t most = INT64_C(1) << 32;
  const stow_polynomial p = stow_formula_terms(e->formulas, formula);
  for (size_t t = 0; t < p.count; ++t)
    if (p.terms[t].count > 0 && (p.terms[t].coefficient > most || p.terms[t].coefficient < -most))
      return true;
  return false;
}

static bool is_variable(const stow_extents *e, stow_formula formula) {
  const stow_polynomial p = stow_formula_terms(e->formulas, formula);
  return p.count == 1 && p.terms[0].coefficient == 1 && p.terms[0].count == 1 &&
         stow_atom_of(e->formulas, p.terms[0].atoms[0]).kind == STOW_ATOM_VARIABLE;
}

static bool has_limits(const stow_extents *e, stow_formula formula) {
  int64_t low, high;
  stow_formula_range(e->formulas, formula, &low, &high);
  return e->readable && low > INT64_MIN && high < STOW_UNLIMITED;
}

// A quotient or an extreme of a number that wraps is not that of its formula.
static bool may_wrap(const stow_extents *e, stow_formula formula) {
  if (formula == STOW_NO_FORMULA)
    return true;
  return e->exact ? !is_variable(e, formula) && !has_limits(e, formula)
                  : has_large_factor(e, formula);
}

//===----------------------------------------------------------------------===//
// Affine maps
//===----------------------------------------------------------------------===//

typedef struct affine_operands {
  const stow_formula *at;
  intptr_t dims;
} affine_operands;

static stow_formula read_affine(stow_extents *e, MlirAffineExpr expr, const affine_operands *of);

// a * b, or a divided by a positive number; STOW_NO_FORMULA for anything else.
static stow_formula read_affine_product(stow_extents *e, MlirAffineExpr expr, stow_formula a,
                                        stow_formula b) {
  stow_formulas *f = e->formulas;
  int64_t divisor;
  if (mlirAffineExprIsAMul(expr))
    return stow_formula_product(f, a, b);
  if (!stow_formula_is_number(f, b, &divisor) || divisor <= 0 || may_wrap(e, a))
    return STOW_NO_FORMULA;
  if (mlirAffineExprIsAFloorDiv(expr))
    return stow_formula_quotient(f, a, divisor);
  if (mlirAffineExprIsACeilDiv(expr))
    return stow_formula_quotient(f, stow_formula_sum(f, a, stow_formula_number(f, divisor - 1)),
                                 divisor);
  return stow_formula_sum(f, a,
                          stow_formula_scaled(f, stow_formula_quotient(f, a, divisor), -divisor));
}

static stow_formula read_affine_pair(stow_extents *e, MlirAffineExpr expr,
                                     const affine_operands *of) {
  const stow_formula a = read_affine(e, mlirAffineBinaryOpExprGetLHS(expr), of);
  const stow_formula b = read_affine(e, mlirAffineBinaryOpExprGetRHS(expr), of);
  if (a == STOW_NO_FORMULA || b == STOW_NO_FORMULA)
    return STOW_NO_FORMULA;
  return mlirAffineExprIsAAdd(expr) ? stow_formula_sum(e->formulas, a, b)
                                    : read_affine_product(e, expr, a, b);
}

static stow_formula read_affine(stow_extents *e, MlirAffineExpr expr, const affine_operands *of) {
  if (mlirAffineExprIsAConstant(expr))
    return stow_formula_number(e->formulas, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return of->at[mlirAffineDimExprGetPosition(expr)];
  if (mlirAffineExprIsASymbol(expr))
    return of->at[of->dims + mlirAffineSymbolExprGetPosition(expr)];
  return read_affine_pair(e, expr, of);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static stow_formula read(stow_extents *e, MlirValue number, int depth);

static stow_formula read_operand(stow_extents *e, MlirOperation op, intptr_t operand, int depth) {
  return read(e, mlirOperationGetOperand(op, operand), depth);
}

// The largest or the smallest result of a map of an op's operands from `first` on.
static stow_formula read_results(stow_extents *e, MlirOperation op, MlirAffineMap map,
                                 intptr_t first, bool largest, int depth) {
  const size_t inputs = (size_t)mlirAffineMapGetNumInputs(map);
  const size_t count = (size_t)mlirAffineMapGetNumResults(map);
  stow_formula *operands = stow_ir_allocate(inputs, sizeof *operands);
  stow_formula *results = stow_ir_allocate(count, sizeof *results), formula = STOW_NO_FORMULA;
  for (size_t i = 0; i < inputs; ++i)
    operands[i] = read_operand(e, op, first + (intptr_t)i, depth);
  const affine_operands of = {operands, mlirAffineMapGetNumDims(map)};
  bool readable = true;
  for (size_t i = 0; i < count; ++i) {
    results[i] = read_affine(e, mlirAffineMapGetResult(map, (intptr_t)i), &of);
    readable &= results[i] != STOW_NO_FORMULA && (count == 1 || !may_wrap(e, results[i]));
  }
  if (readable)
    formula = largest ? stow_formula_largest(e->formulas, results, count)
                      : stow_formula_smallest(e->formulas, results, count);
  free(operands);
  free(results);
  return formula;
}

static MlirAffineMap map_of(MlirOperation op, const char *attribute) {
  return mlirAffineMapAttrGetValue(stow_attribute_of(op, attribute));
}

// affine.apply, affine.min, affine.max.
static stow_formula read_map(stow_extents *e, MlirOperation op, int depth) {
  return read_results(e, op, map_of(op, "map"), 0, !stow_ir_is(op, STOW_AFFINE_MIN), depth);
}

static bool is_not_negative(stow_extents *e, stow_formula formula) {
  int64_t low, high;
  stow_formula_range(e->formulas, formula, &low, &high);
  return low >= 0;
}

// By a positive constant. Signed and unsigned are the same where nothing is negative.
static stow_formula read_quotient(stow_extents *e, MlirOperation op, int depth, bool up) {
  stow_formulas *f = e->formulas;
  int64_t divisor;
  if (!stow_ir_constant_of(mlirOperationGetOperand(op, 1), &divisor) || divisor <= 0)
    return STOW_NO_FORMULA;
  const stow_formula a = read_operand(e, op, 0, depth);
  if (may_wrap(e, a) || (!stow_ir_is(op, STOW_ARITH_FLOORDIVSI) && !is_not_negative(e, a)))
    return STOW_NO_FORMULA;
  const stow_formula more = stow_formula_number(f, up ? divisor - 1 : 0);
  return stow_formula_quotient(f, stow_formula_sum(f, a, more), divisor);
}

static stow_formula read_extreme(stow_extents *e, MlirOperation op, int depth) {
  const stow_formula first = read_operand(e, op, 0, depth);
  const stow_formula of[] = {first, read_operand(e, op, 1, depth)};
  const bool is_signed = stow_ir_is(op, STOW_ARITH_MAXSI) || stow_ir_is(op, STOW_ARITH_MINSI);
  if (may_wrap(e, of[0]) || may_wrap(e, of[1]))
    return STOW_NO_FORMULA;
  if (!is_signed && !(is_not_negative(e, of[0]) && is_not_negative(e, of[1])))
    return STOW_NO_FORMULA;
  return stow_ir_is(op, STOW_ARITH_MAXSI) || stow_ir_is(op, STOW_ARITH_MAXUI)
             ? stow_formula_largest(e->formulas, of, 2)
             : stow_formula_smallest(e->formulas, of, 2);
}

static stow_formula read_shift(stow_extents *e, MlirOperation op, int depth) {
  int64_t by;
  if (!stow_ir_constant_of(mlirOperationGetOperand(op, 1), &by) || by < 0 || by > 61)
    return STOW_NO_FORMULA;
  const stow_formula a = read_operand(e, op, 0, depth);
  if (stow_ir_is(op, STOW_ARITH_SHLI))
    return stow_formula_scaled(e->formulas, a, INT64_C(1) << by);
  return !may_wrap(e, a) && is_not_negative(e, a)
             ? stow_formula_quotient(e->formulas, a, INT64_C(1) << by)
             : STOW_NO_FORMULA;
}

// i64 and index count alike.
static bool is_number(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAIndex(type) ||
         (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 64);
}

static stow_formula read_dimension(stow_extents *e, MlirValue memref, int64_t dimension, int depth);

static stow_formula read_dim(stow_extents *e, MlirOperation op, int depth) {
  const MlirValue memref = mlirOperationGetOperand(op, 0);
  const MlirType type = mlirValueGetType(memref);
  int64_t dimension;
  if (!mlirTypeIsAMemRef(type) ||
      !stow_ir_constant_of(mlirOperationGetOperand(op, 1), &dimension) || dimension < 0 ||
      dimension >= mlirShapedTypeGetRank(type))
    return STOW_NO_FORMULA;
  return read_dimension(e, memref, dimension, depth);
}

static bool is_one(stow_extents *e, stow_formula formula) {
  int64_t number;
  return stow_formula_is_number(e->formulas, formula, &number) && number == 1;
}

static bool is_bit(stow_extents *e, stow_formula formula) {
  int64_t low, high;
  stow_formula_range(e->formulas, formula, &low, &high);
  return low == 0 && high == 1;
}

// Sums, differences and products, which are right whatever overflows.
static stow_formula read_pair(stow_extents *e, MlirOperation op, int depth) {
  const stow_formula a = read_operand(e, op, 0, depth), b = read_operand(e, op, 1, depth);
  if (stow_ir_is(op, STOW_ARITH_MULI))
    return stow_formula_product(e->formulas, a, b);
  if (stow_ir_is(op, STOW_ARITH_SUBI) && is_one(e, a) && is_bit(e, b))
    return stow_formula_inverted(e->formulas, b);
  return stow_formula_sum(e->formulas, a,
                          stow_ir_is(op, STOW_ARITH_SUBI) ? stow_formula_scaled(e->formulas, b, -1)
                                                          : b);
}

static stow_formula read_constant(stow_extents *e, MlirOperation op, int depth) {
  (void)depth;
  int64_t number;
  return stow_ir_constant_of(mlirOperationGetResult(op, 0), &number)
             ? stow_formula_number(e->formulas, number)
             : STOW_NO_FORMULA;
}

static stow_formula read_cast(stow_extents *e, MlirOperation op, int depth) {
  return is_number(mlirOperationGetOperand(op, 0)) ? read_operand(e, op, 0, depth)
                                                   : STOW_NO_FORMULA;
}

static stow_formula read_bit_cast(stow_extents *e, MlirOperation op, int depth) {
  (void)depth;
  const MlirValue bit = mlirOperationGetOperand(op, 0);
  return stow_ir_is_bit(bit) ? read_bit(e, bit) : STOW_NO_FORMULA;
}

static stow_formula read_rounded_down(stow_extents *e, MlirOperation op, int depth) {
  return read_quotient(e, op, depth, false);
}

static stow_formula read_rounded_up(stow_extents *e, MlirOperation op, int depth) {
  return read_quotient(e, op, depth, true);
}

static const struct {
  stow_op_kind kind;
  stow_formula (*read)(stow_extents *e, MlirOperation op, int depth);
} readers[] = {
    {STOW_ARITH_CONSTANT, read_constant},
    {STOW_ARITH_ADDI, read_pair},
    {STOW_ARITH_SUBI, read_pair},
    {STOW_ARITH_MULI, read_pair},
    {STOW_ARITH_DIVUI, read_rounded_down},
    {STOW_ARITH_DIVSI, read_rounded_down},
    {STOW_ARITH_FLOORDIVSI, read_rounded_down},
    {STOW_ARITH_CEILDIVUI, read_rounded_up},
    {STOW_ARITH_CEILDIVSI, read_rounded_up},
    {STOW_ARITH_MAXSI, read_extreme},
    {STOW_ARITH_MINSI, read_extreme},
    {STOW_ARITH_MAXUI, read_extreme},
    {STOW_ARITH_MINUI, read_extreme},
    {STOW_ARITH_SHLI, read_shift},
    {STOW_ARITH_SHRUI, read_shift},
    {STOW_ARITH_INDEX_CAST, read_cast},
    {STOW_ARITH_INDEX_CASTUI, read_bit_cast},
    {STOW_AFFINE_APPLY, read_map},
    {STOW_AFFINE_MIN, read_map},
    {STOW_AFFINE_MAX, read_map},
    {STOW_MEMREF_DIM, read_dim},
};

static stow_formula read_op(stow_extents *e, MlirOperation op, int depth) {
  for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i)
    if (stow_ir_is(op, readers[i].kind))
      return readers[i].read(e, op, depth);
  return STOW_NO_FORMULA;
}

static stow_formula read(stow_extents *e, MlirValue number, int depth) {
  const int32_t known = stow_map_get(&e->of_values, number.ptr);
  if (known >= 0)
    return known;
  stow_formula formula = STOW_NO_FORMULA;
  if (mlirValueIsAOpResult(number) && is_number(number) && depth > 0)
    formula = read_op(e, mlirOpResultGetOwner(number), depth - 1);
  if (formula == STOW_NO_FORMULA)
    formula = number_variable(e, number);
  stow_map_add(&e->of_values, number.ptr, formula);
  return formula;
}

stow_formula stow_ir_read_number(stow_extents *e, MlirValue number) {
  return read(e, number, STOW_EXTENTS_MOST_DEPTH);
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

// The memref whose dimensions are those of an op's result, or null.
static MlirValue same_shape_as(MlirOperation op) {
  if (stow_ir_view_keeps_indices(op) || stow_ir_is(op, STOW_BUFFERIZATION_CLONE) ||
      stow_ir_is_marker(op)) {
    const MlirValue source = mlirOperationGetOperand(op, 0);
    if (mlirTypeIsAMemRef(mlirValueGetType(source)))
      return source;
  }
  return (MlirValue){NULL};
}

// The product of the dimensions that a view makes one of.
static stow_formula read_joined(stow_extents *e, MlirOperation op, const stow_view *view,
                                int64_t dimension, int depth) {
  stow_formula product = stow_formula_number(e->formulas, 1);
  for (intptr_t i = 0; i < view->source_rank; ++i)
    if (view->to[i] == dimension)
      product = stow_formula_product(e->formulas, product,
                                     read_dimension(e, mlirOperationGetOperand(op, 0), i, depth));
  return product;
}

// What is allocated has no dimension below 0, nor, where that is not to be proven, one that wraps.
static stow_formula not_negative(stow_extents *e, stow_formula number) {
  const stow_formula of[] = {number, stow_formula_number(e->formulas, 0)};
  return e->exact && may_wrap(e, number) ? STOW_NO_FORMULA
                                         : stow_formula_largest(e->formulas, of, 2);
}

static stow_formula read_shape(stow_extents *e, MlirOperation op, int64_t dimension, int depth) {
  if (stow_ir_op_traits(op) & STOW_TAKES_SIZES)
    return not_negative(e, read(e, stow_ir_size_operand(op, dimension), depth));
  const intptr_t operand = stow_view_size_operand(op, dimension);
  stow_view view;
  if (operand >= 0)
    return read_operand(e, op, operand, depth);
  if (stow_view_read(op, &view) && view.regroups && !view.splits)
    return read_joined(e, op, &view, dimension, depth);
  const MlirValue same = same_shape_as(op);
  return mlirValueIsNull(same) ? STOW_NO_FORMULA : read_dimension(e, same, dimension, depth);
}

static stow_formula read_dimension(stow_extents *e, MlirValue memref, int64_t dimension,
                                   int depth) {
  const MlirType type = mlirValueGetType(memref);
  stow_formula formula = STOW_NO_FORMULA;
  if (!mlirShapedTypeIsDynamicDim(type, dimension))
    return stow_formula_number(e->formulas, mlirShapedTypeGetDimSize(type, dimension));
  if (mlirValueIsAOpResult(memref) && depth > 0)
    formula = read_shape(e, mlirOpResultGetOwner(memref), dimension, depth - 1);
  return formula != STOW_NO_FORMULA ? formula : dimension_variable(e, memref, dimension);
}

static bool read_affine_loop(stow_extents *e, MlirOperation op, stow_loop_range *out) {
  const MlirAffineMap lower = map_of(op, "lowerBoundMap"), upper = map_of(op, "upperBoundMap");
  const int depth = STOW_EXTENTS_MOST_DEPTH;
  out->begin = read_results(e, op, lower, 0, true, depth);
  out->end = read_results(e, op, upper, mlirAffineMapGetNumInputs(lower), false, depth);
  out->step = mlirIntegerAttrGetValueInt(stow_attribute_of(op, "step"));
  return out->begin != STOW_NO_FORMULA && out->end != STOW_NO_FORMULA;
}

// An index or an i64, and of other widths what is a constant.
static stow_formula read_loop_operand(stow_extents *e, MlirOperation op, intptr_t i) {
  const MlirValue value = mlirOperationGetOperand(op, i);
  if (is_number(value))
    return read_operand(e, op, i, STOW_EXTENTS_MOST_DEPTH);
  const unsigned width = mlirIntegerTypeGetWidth(mlirValueGetType(value));
  int64_t number;
  return width > 1 && width < 64 && stow_ir_constant_of(value, &number)
             ? stow_formula_number(e->formulas, number)
             : STOW_NO_FORMULA;
}

static bool read_scf_loop(stow_extents *e, MlirOperation op, stow_loop_range *out) {
  if (stow_ir_has_attribute(op, "unsignedCmp"))
    return false;
  out->begin = read_loop_operand(e, op, 0);
  out->end = read_loop_operand(e, op, 1);
  return out->begin != STOW_NO_FORMULA && out->end != STOW_NO_FORMULA &&
         stow_ir_constant_of(mlirOperationGetOperand(op, 2), &out->step) && out->step > 0;
}

bool stow_ir_read_loop(stow_extents *e, MlirOperation op, stow_loop_range *out) {
  return stow_ir_is(op, STOW_SCF_FOR)      ? read_scf_loop(e, op, out)
         : stow_ir_is(op, STOW_AFFINE_FOR) ? read_affine_loop(e, op, out)
                                           : false;
}

static stow_formula read_bytes(stow_extents *e, MlirValue memref, uint64_t unit, int depth) {
  const MlirType type = mlirValueGetType(memref);
  if (unit > INT64_MAX)
    return STOW_NO_FORMULA;
  stow_formula bytes = stow_formula_number(e->formulas, (int64_t)unit);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type) && bytes != STOW_NO_FORMULA; ++d) {
    if (!mlirShapedTypeIsDynamicDim(type, d))
      continue;
    const stow_formula number = not_negative(e, read_dimension(e, memref, d, depth));
    bytes = number == STOW_NO_FORMULA ? number : stow_formula_product(e->formulas, bytes, number);
  }
  return bytes;
}

stow_formula stow_ir_read_extent(stow_extents *e, MlirValue memref, uint64_t unit) {
  return e->readable ? read_bytes(e, memref, unit, STOW_EXTENTS_MOST_DEPTH) : STOW_NO_FORMULA;
}

static stow_formula limit_bytes(stow_extents *e, MlirValue memref, int depth) {
  const MlirType type = mlirValueGetType(memref);
  uint64_t unit, alignment;
  if (!stow_bridge_memref_has_identity_layout(type) ||
      stow_ir_memref_unit(e->exact, type, &unit, &alignment) != STOW_SIZE_OK)
    return STOW_NO_FORMULA;
  const stow_formula bytes = read_bytes(e, memref, unit, depth);
  if (bytes != STOW_NO_FORMULA)
    stow_formula_limit(e->formulas, bytes, STOW_EXTENTS_MOST_BYTES);
  return bytes;
}

stow_formula stow_ir_read_existing(stow_extents *e, MlirValue memref) {
  assert(e->exact);
  return limit_bytes(e, memref, STOW_EXTENTS_MOST_DEPTH);
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

// A formula may mention another often: its text has an end, the formula has not.
enum { LONGEST_TEXT = 400 };

static void print(const stow_extents *e, stow_formula formula, stow_text *out);

static void print_operands(const stow_extents *e, const stow_atom *atom, const char *between,
                           stow_text *out) {
  for (size_t i = 0; i < atom->operand_count; ++i) {
    stow_text_printf(out, "%s", i ? between : "");
    if (i > 0 && out->size > LONGEST_TEXT) {
      stow_text_printf(out, "...");
      return;
    }
    print(e, stow_atom_operand(e->formulas, atom, i), out);
  }
}

static void print_atom(const stow_extents *e, int32_t index, stow_text *out) {
  const stow_atom atom = stow_atom_of(e->formulas, index);
  switch (atom.kind) {
  case STOW_ATOM_VARIABLE:
    if (e->variables.at[atom.variable].name)
      stow_text_printf(out, "%s", e->variables.at[atom.variable].name);
    else
      stow_text_printf(out, "v%zu", atom.variable);
    return;
  case STOW_ATOM_LARGEST:
  case STOW_ATOM_SMALLEST:
    stow_text_printf(out, atom.kind == STOW_ATOM_LARGEST ? "max(" : "min(");
    print_operands(e, &atom, ", ", out);
    break;
  case STOW_ATOM_QUOTIENT:
    stow_text_printf(out, "floor((");
    print_operands(e, &atom, "", out);
    stow_text_printf(out, ") / %lld", (long long)atom.divisor);
    break;
  case STOW_ATOM_SUM:
  case STOW_ATOM_PRODUCT:
    stow_text_printf(out, "((");
    print_operands(e, &atom, atom.kind == STOW_ATOM_SUM ? ") + (" : ") * (", out);
    stow_text_printf(out, ")");
    break;
  case STOW_ATOM_INVERTED:
    stow_text_printf(out, "(1 - ");
    print_operands(e, &atom, "", out);
    break;
  }
  stow_text_printf(out, ")");
}

static void print_term(const stow_extents *e, const stow_term *term, bool first, stow_text *out) {
  const bool negative = term->coefficient < 0;
  const uint64_t size = negative ? -(uint64_t)term->coefficient : (uint64_t)term->coefficient;
  stow_text_printf(out, "%s", first ? (negative ? "-" : "") : negative ? " - " : " + ");
  if (size != 1 || term->count == 0)
    stow_text_printf(out, "%llu%s", (unsigned long long)size, term->count ? "*" : "");
  for (size_t i = 0; i < term->count; ++i) {
    stow_text_printf(out, "%s", i ? "*" : "");
    print_atom(e, term->atoms[i], out);
  }
}

// The number last.
static void print(const stow_extents *e, stow_formula formula, stow_text *out) {
  const stow_polynomial p = stow_formula_terms(e->formulas, formula);
  if (out->size > LONGEST_TEXT) {
    stow_text_printf(out, "...");
    return;
  }
  for (size_t t = p.count; t-- > 0;)
    print_term(e, &p.terms[t], t + 1 == p.count, out);
  if (p.count == 0)
    stow_text_printf(out, "0");
}

char *stow_formula_text(const stow_extents *e, stow_formula formula) {
  stow_text text = {0};
  print(e, formula, &text);
  return stow_text_take(&text);
}

//===----------------------------------------------------------------------===//
// Variables of a formula
//===----------------------------------------------------------------------===//

int64_t stow_variable_of(const stow_extents *e, MlirValue value) {
  const int32_t formula = stow_map_get(&e->of_values, value.ptr);
  if (formula < 0)
    return -1;
  const stow_polynomial p = stow_formula_terms(e->formulas, formula);
  assert(p.count == 1 && p.terms[0].count == 1);
  const stow_atom atom = stow_atom_of(e->formulas, p.terms[0].atoms[0]);
  assert(atom.kind == STOW_ATOM_VARIABLE);
  return (int64_t)atom.variable;
}

intptr_t stow_argument_of(const stow_extents *e, const stow_variable *variable) {
  return argument_of(e, variable->value);
}

size_t *stow_variables_of(const stow_extents *e, const stow_formula *formulas, size_t count,
                          size_t *out_count) {
  stow_atoms atoms = stow_formula_atoms(e->formulas, formulas, count);
  size_t *variables = stow_ir_allocate(atoms.count, sizeof *variables), found = 0;
  for (size_t a = 0; a < atoms.count; ++a) {
    const stow_atom atom = stow_atom_of(e->formulas, atoms.at[a]);
    if (atom.kind == STOW_ATOM_VARIABLE)
      variables[found++] = atom.variable;
  }
  free(atoms.at);
  *out_count = found;
  return variables;
}

bool stow_ir_is_of_arguments(const stow_extents *e, stow_formula formula) {
  size_t count;
  size_t *read = stow_variables_of(e, &formula, 1, &count);
  bool all = true;
  for (size_t i = 0; i < count; ++i)
    all &= stow_argument_of(e, &e->variables.at[read[i]]) >= 0;
  free(read);
  return all;
}
