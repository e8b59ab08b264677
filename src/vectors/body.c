//===- body.c - the body of a nest at many points at once -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op of the body is cloned as often as its value differs: once, once per point, once per
// vector, or for each of both. So weights are extended once for all points, and what is broadcast
// is computed before.
//
//===----------------------------------------------------------------------===//

#include "vectors/emit.h"
#include "vectors/math.h"
#include "vectors/words.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static MlirType vector_of(MlirType element, int64_t lanes) {
  return lanes == 1 ? element : mlirVectorTypeGet(1, &lanes, element);
}

static MlirValue index_plus(const stow_emitter *e, MlirValue index, int64_t number) {
  return number == 0 ? index
                     : stow_ir_build_binary(&e->at, STOW_ARITH_ADDI, index,
                                            stow_constant(e->constants, (uint64_t)number));
}

int64_t stow_vectors_emit_cell(const stow_emitter *e, const stow_box *box, intptr_t operand,
                               size_t point) {
  int64_t cell = 0;
  for (intptr_t l = 0; l < e->nest->loop_count; ++l)
    cell += e->nest->operands[operand].strides[l] * box->deltas[point][l];
  return cell;
}

MlirValue stow_vectors_emit_load(const stow_emitter *e, intptr_t operand, int64_t cell,
                                 int64_t lanes) {
  const MlirValue operands[] = {e->flat[operand], index_plus(e, e->cells[operand], cell)};
  return stow_ir_build_value(&e->at, lanes == 1 ? STOW_MEMREF_LOAD : STOW_VECTOR_LOAD, operands, 2,
                             vector_of(e->nest->operands[operand].element, lanes));
}

void stow_vectors_emit_store(const stow_emitter *e, intptr_t operand, int64_t cell,
                             MlirValue value) {
  const bool vector = mlirTypeIsAVector(mlirValueGetType(value));
  const MlirValue operands[] = {value, e->flat[operand], index_plus(e, e->cells[operand], cell)};
  stow_ir_build_plain(&e->at, vector ? STOW_VECTOR_STORE : STOW_MEMREF_STORE, operands, 3,
                      (MlirType){NULL});
}

// Elements that are not neighbours in memory, as a vector.
static MlirValue gather(const stow_emitter *e, intptr_t operand, int64_t cell, int64_t stride,
                        int64_t lanes) {
  assert(lanes <= STOW_MOST_LANES);
  MlirValue elements[STOW_MOST_LANES];
  for (int64_t i = 0; i < lanes; ++i)
    elements[i] = stow_vectors_emit_load(e, operand, cell + i * stride, 1);
  return stow_ir_build_value(&e->at, STOW_VECTOR_FROM_ELEMENTS, elements, (size_t)lanes,
                             vector_of(e->nest->operands[operand].element, lanes));
}

int64_t stow_vectors_emit_stride(const stow_emitter *e, intptr_t operand, intptr_t loop) {
  const stow_nest_operand *o = &e->nest->operands[operand];
  return o->strides[loop] * (o->packed && !e->nest->parallel[loop] ? e->lanes : 1);
}

static int64_t lane_stride(const stow_emitter *e, intptr_t operand) {
  const stow_nest_operand *o = &e->nest->operands[operand];
  return e->tile->lanes < 0 ? 0 : o->packed ? 1 : o->strides[e->tile->lanes];
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool changes_by_point(const stow_emitter *e, const stow_box *box, intptr_t operand) {
  bool changes = false;
  for (size_t p = 0; p < box->points; ++p)
    changes |= stow_vectors_emit_cell(e, box, operand, p) != 0;
  return changes;
}

static stow_point_values values_that(bool by_point, bool by_lane) {
  return (stow_point_values){.by_point = by_point, .by_lane = by_lane};
}

// Puts the value of each point and vector at which it differs.
#define EACH_VALUE(box, values, p, w)                                                              \
  for (size_t p = 0; p < ((values)->by_point ? (box)->points : 1); ++p)                            \
    for (size_t w = 0; w < ((values)->by_lane ? (box)->vectors : 1); ++w)

static void load_operand(const stow_emitter *e, const stow_box *box, intptr_t operand, int64_t step,
                         stow_point_values *out) {
  const int64_t stride = lane_stride(e, operand);
  const int64_t further =
      e->tile->inner < 0 ? 0 : stow_vectors_emit_stride(e, operand, e->tile->inner) * step;
  *out = values_that(changes_by_point(e, box, operand), stride != 0);
  EACH_VALUE(box, out, p, w) {
    const int64_t cell =
        stow_vectors_emit_cell(e, box, operand, p) + further + stride * box->first[w];
    const int64_t lanes = out->by_lane ? box->lanes[w] : 1;
    out->at[p][w] = lanes > 1 && stride != 1 ? gather(e, operand, cell, stride, lanes)
                                             : stow_vectors_emit_load(e, operand, cell, lanes);
  }
}

//===----------------------------------------------------------------------===//
// Squares
//===----------------------------------------------------------------------===//

static MlirValue shuffle(const stow_emitter *e, MlirValue a, MlirValue b, const int64_t *mask,
                         int64_t count) {
  const MlirValue operands[] = {a, b};
  const stow_attribute lanes = {"mask", mlirDenseI64ArrayGet(e->at.context, count, mask)};
  return stow_ir_build_with(
      &e->at, STOW_VECTOR_SHUFFLE, operands, 2,
      mlirVectorTypeGet(1, &count, mlirShapedTypeGetElementType(mlirValueGetType(a))), lanes);
}

// Exchanges, of the rows i and i + half, the off-diagonal halves of blocks of 2 * half lanes.
static void exchange(const stow_emitter *e, MlirValue *a, MlirValue *b, int64_t half,
                     int64_t count) {
  assert(half < count && count <= STOW_MOST_LANES);
  int64_t low[STOW_MOST_LANES], high[STOW_MOST_LANES];
  for (int64_t j = 0; j < count; ++j) {
    const bool first = (j & half) == 0;
    low[j] = first ? j : count + j - half;
    high[j] = first ? j + half : count + j;
  }
  const MlirValue above = shuffle(e, *a, *b, low, count);
  *b = shuffle(e, *a, *b, high, count);
  *a = above;
}

// Rows of a square become its columns.
static void transpose(const stow_emitter *e, MlirValue *rows, int64_t count) {
  for (int64_t half = 1; half < count; half *= 2)
    for (int64_t i = 0; i < count; ++i)
      if ((i & half) == 0)
        exchange(e, &rows[i], &rows[i + half], half, count);
}

static void transpose_operand(const stow_emitter *e, const stow_box *box, intptr_t operand,
                              int64_t steps, stow_point_values *out) {
  const intptr_t count = e->nest->operand_count;
  const int64_t stride = lane_stride(e, operand);
  const stow_point_values shape = values_that(changes_by_point(e, box, operand), true);
  MlirValue rows[STOW_MOST_LANES];
  for (int64_t t = 0; t < steps; ++t)
    out[t * count + operand] = shape;
  EACH_VALUE(box, &shape, p, w) {
    const int64_t lanes = box->lanes[w];
    const int64_t cell = stow_vectors_emit_cell(e, box, operand, p) + stride * box->first[w];
    for (int64_t t = 0; t < steps; t += lanes) {
      for (int64_t i = 0; i < lanes; ++i)
        rows[i] = stow_vectors_emit_load(e, operand, cell + stride * i + t, lanes);
      transpose(e, rows, lanes);
      for (int64_t i = 0; i < lanes; ++i)
        out[(t + i) * count + operand].at[p][w] = rows[i];
    }
  }
}

stow_point_values *stow_vectors_emit_transposed(const stow_emitter *e, const stow_box *box,
                                                int64_t steps) {
  const intptr_t count = e->nest->operand_count;
  stow_point_values *out = stow_ir_allocate((size_t)(steps * count), sizeof *out);
  for (intptr_t i = 0; i < count; ++i)
    if (stow_vectors_tile_transposes(e->nest, e->tile, i))
      transpose_operand(e, box, i, steps, out);
  return out;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

typedef struct body {
  const stow_emitter *e;
  const stow_box *box;
  int64_t steps;  // of the innermost sum that each vector has side by side
  stow_map known; // a value of the body: its number
  STOW_ARRAY(stow_point_values) values;
} body;

static void know(body *b, MlirValue value, const stow_point_values *values) {
  assert(stow_map_get(&b->known, value.ptr) < 0);
  stow_map_add(&b->known, value.ptr, (int32_t)STOW_PUSH(b->values, *values));
}

static void know_uniform(body *b, MlirValue value, MlirValue outside) {
  stow_point_values values = values_that(false, false);
  values.at[0][0] = outside;
  know(b, value, &values);
}

// What comes from outside of the body is the same at all points.
static stow_point_values *values_of(body *b, MlirValue value) {
  if (stow_map_get(&b->known, value.ptr) < 0)
    know_uniform(b, value, value);
  return &b->values.at[stow_map_get(&b->known, value.ptr)];
}

static MlirValue value_at(const stow_point_values *values, size_t p, size_t w) {
  return values->at[values->by_point ? p : 0][values->by_lane ? w : 0];
}

static MlirValue as_vector(const stow_emitter *e, MlirValue value, int64_t lanes) {
  const MlirType type = mlirValueGetType(value);
  if (lanes == 1 || mlirTypeIsAVector(type))
    return value;
  return stow_ir_build_value(&e->at, STOW_VECTOR_BROADCAST, &value, 1, vector_of(type, lanes));
}

// The same integer in all lanes.
static MlirValue splat(const stow_emitter *e, MlirType vector, int64_t number) {
  const MlirAttribute one = mlirIntegerAttrGet(mlirShapedTypeGetElementType(vector), number);
  const stow_attribute value = {"value", mlirDenseElementsAttrSplatGet(vector, one)};
  return stow_ir_build_with(&e->at, STOW_ARITH_CONSTANT, NULL, 0, vector, value);
}

static MlirValue clone_at(body *b, MlirOperation op, bool by_lane, size_t p, size_t w) {
  const int64_t lanes = by_lane ? b->box->lanes[w] * b->steps : 1;
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const MlirValue operand = value_at(values_of(b, mlirOperationGetOperand(op, i)), p, w);
    mlirOperationSetOperand(copy, i, as_vector(b->e, operand, lanes));
  }
  MlirValue result = mlirOperationGetResult(copy, 0);
  mlirValueSetType(result, vector_of(mlirValueGetType(result), lanes));
  stow_ir_insert_before(b->e->at.before, copy);
  return result;
}

static MlirValue computed_at(body *b, MlirOperation op, bool by_lane, size_t p, size_t w) {
  MlirValue made = {NULL};
  if (b->e->contract && mlirOperationGetNumOperands(op) == 1)
    made = stow_vectors_math_of(&b->e->at, op,
                                value_at(values_of(b, mlirOperationGetOperand(op, 0)), p, w));
  return mlirValueIsNull(made) ? clone_at(b, op, by_lane, p, w) : made;
}

// What is made of values changes where one of them does.
static void vary_with(stow_point_values *made, const stow_point_values *operand) {
  made->by_point |= operand->by_point;
  made->by_lane |= operand->by_lane;
}

//===----------------------------------------------------------------------===//
// Upper words
//===----------------------------------------------------------------------===//

static bool is_in_upper_word(const body *b, MlirOperation op) {
  return b->e->tile->words && stow_vectors_is_in_upper_word(op);
}

static bool is_computed_of_words(const body *b, MlirValue value) {
  return mlirValueIsAOpResult(value) && is_in_upper_word(b, mlirOpResultGetOwner(value));
}

static void spread_with_words(body *b, MlirValue value, stow_point_values *out) {
  if (!is_computed_of_words(b, value)) {
    vary_with(out, values_of(b, value));
    return;
  }
  const MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    spread_with_words(b, mlirOperationGetOperand(op, i), out);
}

// Which words of a vector are meant. ALL: where there are few.
typedef enum places { ALL, EVEN, ODD } places;

typedef struct words_at {
  places places;
  int64_t lanes; // of the vector of words
  size_t p, w;
} words_at;

static int64_t numbers_of(const words_at *at) {
  return at->places == ALL ? at->lanes : at->lanes / 2;
}

static MlirValue extended_words(const stow_emitter *e, MlirValue words, const words_at *at) {
  const MlirType type = vector_of(mlirIntegerTypeGet(e->at.context, 64), numbers_of(at));
  if (at->places == ALL)
    return stow_ir_build_value(&e->at, STOW_ARITH_EXTSI, &words, 1, type);
  MlirValue both = stow_ir_build_value(&e->at, STOW_VECTOR_BITCAST, &words, 1, type);
  const MlirValue by = splat(e, type, 32);
  if (at->places == EVEN)
    both = stow_ir_build_binary(&e->at, STOW_ARITH_SHLI, both, by);
  return stow_ir_build_binary(&e->at, STOW_ARITH_SHRSI, both, by);
}

static MlirValue number_of_words(body *b, MlirValue value, const words_at *at) {
  const int64_t numbers = numbers_of(at);
  if (!is_computed_of_words(b, value))
    return as_vector(b->e, value_at(values_of(b, value), at->p, at->w), numbers);
  const MlirOperation op = mlirOpResultGetOwner(value);
  if (stow_ir_is(op, STOW_ARITH_EXTSI)) {
    const MlirValue words = value_at(values_of(b, mlirOperationGetOperand(op, 0)), at->p, at->w);
    return extended_words(b->e, as_vector(b->e, words, at->lanes), at);
  }
  MlirValue operands[2];
  for (intptr_t i = 0; i < 2; ++i)
    operands[i] = number_of_words(b, mlirOperationGetOperand(op, i), at);
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationSetOperands(copy, 2, operands);
  const MlirValue result = mlirOperationGetResult(copy, 0);
  mlirValueSetType(result, vector_of(mlirValueGetType(result), numbers));
  stow_ir_insert_before(b->e->at.before, copy);
  return result;
}

static MlirValue upper_word_at(body *b, MlirOperation op, bool by_lane, size_t p, size_t w) {
  const stow_emitter *e = b->e;
  const MlirValue shifted = mlirOperationGetOperand(op, 0),
                  number = mlirOperationGetOperand(mlirOpResultGetOwner(shifted), 0);
  const MlirType i32 = mlirValueGetType(mlirOperationGetResult(op, 0));
  words_at at = {ALL, by_lane ? b->box->lanes[w] * b->steps : 1, p, w};
  if (at.lanes < 4) {
    const MlirValue upper = number_of_words(b, shifted, &at);
    return stow_ir_build_value(&e->at, STOW_ARITH_TRUNCI, &upper, 1, vector_of(i32, at.lanes));
  }
  at.places = EVEN;
  MlirValue even = number_of_words(b, number, &at);
  at.places = ODD;
  MlirValue odd = number_of_words(b, number, &at);
  const MlirType type = mlirValueGetType(even);
  even = stow_ir_build_binary(&e->at, STOW_ARITH_SHRUI, even, splat(e, type, 32));
  odd = stow_ir_build_binary(&e->at, STOW_ARITH_ANDI, odd, splat(e, type, -(INT64_C(1) << 32)));
  const MlirValue both = stow_ir_build_binary(&e->at, STOW_ARITH_ORI, even, odd);
  return stow_ir_build_value(&e->at, STOW_VECTOR_BITCAST, &both, 1, vector_of(i32, at.lanes));
}

static void run_upper_word(body *b, MlirOperation op) {
  stow_point_values made = values_that(false, false);
  spread_with_words(b, mlirOperationGetOperand(op, 0), &made);
  EACH_VALUE(b->box, &made, p, w)
  made.at[p][w] = upper_word_at(b, op, made.by_lane, p, w);
  know(b, mlirOperationGetResult(op, 0), &made);
}

//===----------------------------------------------------------------------===//
// Fused products
//===----------------------------------------------------------------------===//

// Others are emulated, op by op of arith.
static bool has_fused_type(MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsAF16(type) || mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
}

// The operand of a sum that is a product of the body, used nowhere else, and the first such; or -1.
static intptr_t product_of(const body *b, MlirOperation op) {
  for (intptr_t i = 0; b->e->contract && stow_ir_is(op, STOW_ARITH_ADDF) && i < 2; ++i) {
    const MlirValue value = mlirOperationGetOperand(op, i);
    if (stow_ir_is_result_of(value, STOW_ARITH_MULF) && stow_vectors_is_used_once(value) &&
        has_fused_type(value) &&
        mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)),
                       mlirOperationGetBlock(op)))
      return i;
  }
  return -1;
}

static bool is_part_of_sum(const body *b, MlirOperation op) {
  if (!stow_ir_is(op, STOW_ARITH_MULF) || !stow_vectors_is_used_once(mlirOperationGetResult(op, 0)))
    return false;
  const MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  return product_of(b, mlirOpOperandGetOwner(use)) == (intptr_t)mlirOpOperandGetOperandNumber(use);
}

static void run_plus_product(body *b, MlirOperation op, intptr_t product) {
  const MlirOperation factors = mlirOpResultGetOwner(mlirOperationGetOperand(op, product));
  const MlirValue of[] = {mlirOperationGetOperand(factors, 0), mlirOperationGetOperand(factors, 1),
                          mlirOperationGetOperand(op, 1 - product)};
  stow_point_values made = values_that(false, false);
  for (size_t i = 0; i < 3; ++i)
    vary_with(&made, values_of(b, of[i]));
  EACH_VALUE(b->box, &made, p, w) {
    const int64_t lanes = made.by_lane ? b->box->lanes[w] * b->steps : 1;
    MlirValue operands[3];
    for (size_t i = 0; i < 3; ++i)
      operands[i] = as_vector(b->e, value_at(values_of(b, of[i]), p, w), lanes);
    made.at[p][w] = stow_vectors_plus_product(&b->e->at, operands, operands[2]);
  }
  know(b, mlirOperationGetResult(op, 0), &made);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static void run_op(body *b, MlirOperation op) {
  if (is_in_upper_word(b, op))
    return;
  if (b->e->tile->words && stow_vectors_is_upper_word(op)) {
    run_upper_word(b, op);
    return;
  }
  const intptr_t product = product_of(b, op);
  if (product >= 0)
    run_plus_product(b, op, product);
  if (product >= 0 || is_part_of_sum(b, op))
    return;
  stow_point_values made = values_that(false, false);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    vary_with(&made, values_of(b, mlirOperationGetOperand(op, i)));
  EACH_VALUE(b->box, &made, p, w)
  made.at[p][w] = computed_at(b, op, made.by_lane, p, w);
  know(b, mlirOperationGetResult(op, 0), &made);
}

// 0, 1, 2 ...
static MlirValue steps_of(const stow_emitter *e, int64_t lanes) {
  const MlirType index = mlirIndexTypeGet(e->at.context), type = vector_of(index, lanes);
  MlirAttribute numbers[STOW_MOST_LANES];
  for (int64_t i = 0; i < lanes; ++i)
    numbers[i] = mlirIntegerAttrGet(index, i);
  const stow_attribute value = {"value", mlirDenseElementsAttrGet(type, lanes, numbers)};
  return stow_ir_build_with(&e->at, STOW_ARITH_CONSTANT, NULL, 0, type, value);
}

static void run_index(body *b, MlirOperation op, int64_t step) {
  const stow_emitter *e = b->e;
  const intptr_t l = (intptr_t)mlirIntegerAttrGetValueInt(stow_attribute_of(op, "dim"));
  stow_point_values made =
      values_that(l != e->tile->lanes && e->tile->sizes[l] > 1, l == e->tile->lanes);
  EACH_VALUE(b->box, &made, p, w) {
    const int64_t further = l == e->tile->inner ? step : b->box->deltas[p][l];
    const int64_t lanes = made.by_lane ? b->box->lanes[w] : 1;
    MlirValue first =
        index_plus(e, e->iterations[l], further + (made.by_lane ? b->box->first[w] : 0));
    made.at[p][w] = lanes == 1
                        ? first
                        : stow_ir_build_binary(&e->at, STOW_ARITH_ADDI, as_vector(e, first, lanes),
                                               steps_of(e, lanes));
  }
  know(b, mlirOperationGetResult(op, 0), &made);
}

static void know_sums(body *b, intptr_t argument, size_t result, const MlirValue *sums) {
  stow_point_values made = values_that(true, true);
  EACH_VALUE(b->box, &made, p, w)
  made.at[p][w] = sums[STOW_SUM_AT(b->box, result, p, w)];
  know(b, mlirBlockGetArgument(b->e->nest->body, argument), &made);
}

static void know_operand(body *b, intptr_t i, int64_t step, const stow_point_values *transposed) {
  const stow_nest *nest = b->e->nest;
  const MlirValue argument = mlirBlockGetArgument(nest->body, i);
  if (!nest->operands[i].memref) {
    know_uniform(b, argument, nest->operands[i].value);
  } else if (transposed && stow_vectors_tile_transposes(nest, b->e->tile, i)) {
    know(b, argument, &transposed[step * nest->operand_count + i]);
  } else if (!mlirOpOperandIsNull(mlirValueGetFirstUse(argument))) {
    stow_point_values loaded;
    load_operand(b->e, b->box, i, step, &loaded);
    know(b, argument, &loaded);
  }
}

static void yield(body *b, MlirValue *sums) {
  MlirOperation last = mlirBlockGetTerminator(b->e->nest->body);
  for (intptr_t r = 0; r < mlirOperationGetNumOperands(last); ++r) {
    const stow_point_values *given = values_of(b, mlirOperationGetOperand(last, r));
    for (size_t p = 0; p < b->box->points; ++p)
      for (size_t w = 0; w < b->box->vectors; ++w)
        sums[STOW_SUM_AT(b->box, (size_t)r, p, w)] =
            as_vector(b->e, value_at(given, p, w), b->box->lanes[w]);
  }
}

static void free_values(body *b) {
  stow_map_free(&b->known);
  free(b->values.at);
}

void stow_vectors_emit_body(const stow_emitter *e, const stow_box *box, int64_t step,
                            const stow_point_values *transposed, MlirValue *sums) {
  body b = {.e = e, .box = box, .steps = 1};
  size_t result = 0;
  for (intptr_t i = 0; i < e->nest->operand_count; ++i)
    if (e->nest->operands[i].written)
      know_sums(&b, i, result++, sums);
    else
      know_operand(&b, i, step, transposed);
  MlirOperation last = mlirBlockGetTerminator(e->nest->body);
  STOW_EACH_OP(op, e->nest->body) {
    if (stow_ir_is(op, STOW_LINALG_INDEX))
      run_index(&b, op, step);
    else if (!mlirOperationEqual(op, last))
      run_op(&b, op);
  }
  yield(&b, sums);
  free_values(&b);
}

//===----------------------------------------------------------------------===//
// Behind sums
//===----------------------------------------------------------------------===//

MlirValue stow_vectors_emit_vector(const stow_emitter *e, MlirValue value, int64_t lanes) {
  return as_vector(e, value, lanes);
}

static void load_then(const stow_emitter *e, const stow_box *box, stow_point_values *out) {
  const stow_nest_then *then = &e->nest->then;
  for (intptr_t i = 0; i + 1 < then->count; ++i) {
    const intptr_t place = then->places[i];
    if (place >= 0 && !e->nest->operands[place].memref) {
      out[i] = values_that(false, false);
      out[i].at[0][0] = e->nest->operands[place].value;
    } else if (place >= 0) {
      load_operand(e, box, place, 0, &out[i]);
    }
  }
}

// At one point and vector, so that few values are in registers.
static void run_then(const stow_emitter *e, const stow_box *box, const stow_point_values *operands,
                     size_t p, size_t w, MlirValue sum) {
  const stow_nest_then *then = &e->nest->then;
  const intptr_t written = then->places[then->count - 1];
  stow_box one = {.points = 1, .vectors = 1, .lanes = {box->lanes[w]}};
  body b = {.e = e, .box = &one, .steps = 1};
  for (intptr_t i = 0; i + 1 < then->count; ++i) {
    const bool is_sum = then->places[i] < 0;
    stow_point_values value = values_that(false, is_sum || operands[i].by_lane);
    value.at[0][0] = is_sum ? sum : value_at(&operands[i], p, w);
    know(&b, mlirBlockGetArgument(then->body, i), &value);
  }
  MlirOperation last = mlirBlockGetTerminator(then->body);
  STOW_EACH_OP(op, then->body)
    if (!mlirOperationEqual(op, last))
      run_op(&b, op);
  const MlirValue result = value_at(values_of(&b, mlirOperationGetOperand(last, 0)), 0, 0);
  stow_vectors_emit_store(e, written, stow_vectors_emit_cell(e, box, written, p) + box->first[w],
                          as_vector(e, result, box->lanes[w]));
  free_values(&b);
}

void stow_vectors_emit_then(const stow_emitter *e, const stow_box *box, const MlirValue *sums) {
  stow_point_values *operands = stow_ir_allocate((size_t)e->nest->then.count, sizeof *operands);
  load_then(e, box, operands);
  for (size_t w = 0; w < box->vectors; ++w)
    for (size_t p = 0; p < box->points; ++p)
      run_then(e, box, operands, p, w, sums[STOW_SUM_AT(box, 0, p, w)]);
  free(operands);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

// A few elements again and again, as often as there are lanes.
static MlirValue repeat(const stow_emitter *e, MlirValue few, int64_t each, int64_t lanes) {
  assert(each * lanes <= 2 * STOW_MOST_LANES);
  int64_t mask[2 * STOW_MOST_LANES];
  for (int64_t i = 0; i < each * lanes; ++i)
    mask[i] = i % each;
  return lanes == 1 ? few : shuffle(e, few, few, mask, each * lanes);
}

static void know_pair(body *b, intptr_t i) {
  const stow_emitter *e = b->e;
  const stow_nest_operand *o = &e->nest->operands[i];
  stow_point_values made = values_that(changes_by_point(e, b->box, i), true);
  EACH_VALUE(b->box, &made, p, w) {
    const int64_t cell = stow_vectors_emit_cell(e, b->box, i, p), lanes = b->box->lanes[w];
    made.at[p][w] = o->packed ? stow_vectors_emit_load(e, i, cell + 2 * b->box->first[w], 2 * lanes)
                              : repeat(e, stow_vectors_emit_load(e, i, cell, 2), 2, lanes);
  }
  know(b, mlirBlockGetArgument(e->nest->body, i), &made);
}

// The first elements of all pairs, or the second ones.
static MlirValue half_of(const stow_emitter *e, MlirValue pairs, int64_t half, int64_t lanes) {
  int64_t mask[STOW_MOST_LANES];
  for (int64_t i = 0; i < lanes; ++i)
    mask[i] = 2 * i + half;
  if (lanes > 1)
    return shuffle(e, pairs, pairs, mask, lanes);
  const stow_attribute place = {"static_position", mlirDenseI64ArrayGet(e->at.context, 1, &half)};
  return stow_ir_build_with(&e->at, STOW_VECTOR_EXTRACT, &pairs, 1,
                            mlirShapedTypeGetElementType(mlirValueGetType(pairs)), place);
}

static void add_pairs(body *b, const stow_point_values *terms, MlirValue *sums) {
  const stow_emitter *e = b->e;
  for (size_t p = 0; p < b->box->points; ++p)
    for (size_t w = 0; w < b->box->vectors; ++w) {
      const int64_t lanes = b->box->lanes[w];
      const MlirValue term = as_vector(e, value_at(terms, p, w), 2 * lanes);
      MlirValue *sum = &sums[STOW_SUM_AT(b->box, 0, p, w)];
      const MlirValue both = stow_ir_build_binary(
          &e->at, STOW_ARITH_ADDI, half_of(e, term, 0, lanes), half_of(e, term, 1, lanes));
      *sum = stow_ir_build_binary(&e->at, STOW_ARITH_ADDI, *sum, both);
    }
}

void stow_vectors_emit_pair(const stow_emitter *e, const stow_box *box, MlirValue *sums) {
  const stow_nest *nest = e->nest;
  body b = {.e = e, .box = box, .steps = 2};
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (!nest->operands[i].memref)
      know_uniform(&b, mlirBlockGetArgument(nest->body, i), nest->operands[i].value);
    else if (!nest->operands[i].written)
      know_pair(&b, i);
  MlirOperation last = mlirBlockGetTerminator(nest->body),
                add = mlirOpResultGetOwner(mlirOperationGetOperand(last, 0));
  STOW_EACH_OP(op, nest->body)
    if (!mlirOperationEqual(op, last) && !mlirOperationEqual(op, add))
      run_op(&b, op);
  add_pairs(&b, values_of(&b, stow_vectors_nest_term(nest)), sums);
  free_values(&b);
}

//===----------------------------------------------------------------------===//
// Fours
//===----------------------------------------------------------------------===//

// Four bytes as one number, loaded at once: LLVM does not always see that it may.
static MlirValue word_at(const stow_emitter *e, intptr_t operand, int64_t cell) {
  const stow_builder *at = &e->at;
  const MlirType i64 = mlirIntegerTypeGet(at->context, 64), index = mlirIndexTypeGet(at->context),
                 pointer = mlirTypeParseGet(at->context, stow_ir_string("!llvm.ptr"));
  const MlirValue flat = e->flat[operand],
                  offset = mlirOperationGetOperand(mlirOpResultGetOwner(flat), 1);
  const MlirValue begin = stow_ir_build_value(at, STOW_MEMREF_POINTER, &flat, 1, index);
  MlirValue place = stow_ir_build_binary(at, STOW_ARITH_ADDI, begin, offset);
  place = stow_ir_build_binary(at, STOW_ARITH_ADDI, place, index_plus(e, e->cells[operand], cell));
  place = stow_ir_build_value(at, STOW_ARITH_INDEX_CASTUI, &place, 1, i64);
  place = stow_ir_build_value(at, STOW_LLVM_INTTOPTR, &place, 1, pointer);
  const stow_attribute anywhere = {"alignment", mlirIntegerAttrGet(i64, 1)};
  return stow_ir_build_with(at, STOW_LLVM_LOAD, &place, 1, mlirIntegerTypeGet(at->context, 32),
                            anywhere);
}

// Four bytes of each lane of a vector.
static stow_dot_factor weights_at(const stow_emitter *e, const stow_box *box, size_t p, size_t w) {
  const intptr_t weight = e->tile->dot.weight;
  const int64_t cell = stow_vectors_emit_cell(e, box, weight, p) + 4 * box->first[w],
                lanes = box->lanes[w];
  return stow_vectors_dot_factor_of(&e->at, e->tile->dot_kind,
                                    lanes == 1 ? word_at(e, weight, cell)
                                               : stow_vectors_emit_load(e, weight, cell, 4 * lanes),
                                    false);
}

// Four bytes of a point for each lane, with the sign that the instruction wants.
static MlirValue bytes_of(const stow_emitter *e, const stow_box *box, size_t p, int64_t lanes) {
  const intptr_t input = e->tile->dot.input;
  const int64_t cell = stow_vectors_emit_cell(e, box, input, p);
  if (lanes == 1)
    return word_at(e, input, cell);
  const MlirValue all = repeat(e, stow_vectors_emit_load(e, input, cell, 4), 4, lanes);
  if (!e->tile->dot.flips)
    return all;
  return stow_ir_build_binary(&e->at, STOW_ARITH_XORI, all,
                              splat(e, mlirValueGetType(all), INT8_MIN));
}

void stow_vectors_emit_dot(const stow_emitter *e, const stow_box *box, MlirValue *sums) {
  const stow_tile *tile = e->tile;
  const bool by_point = changes_by_point(e, box, tile->dot.weight);
  stow_dot_factor weights[STOW_TILE_VECTORS], input = {0};
  for (size_t w = 0; w < box->vectors; ++w)
    weights[w] = weights_at(e, box, 0, w);
  for (size_t p = 0; p < box->points; ++p)
    for (size_t w = 0; w < box->vectors; ++w) {
      if (w == 0 || box->lanes[w] != box->lanes[w - 1])
        input = stow_vectors_dot_factor_of(
            &e->at, tile->dot_kind, bytes_of(e, box, p, box->lanes[w]), tile->dot.is_unsigned);
      if (by_point && p > 0)
        weights[w] = weights_at(e, box, p, w);
      MlirValue *sum = &sums[STOW_SUM_AT(box, 0, p, w)];
      *sum = stow_vectors_dot_add(&e->at, tile->dot_kind, *sum, &input, &weights[w]);
    }
}
