//===- executions.c - executions of ops as sets of integers ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices of one execution per op are a set of integers: the variables of the loops around
// each op (its own, even where the loops are the same), what the ops' values are, and symbols.
// What cannot be expressed is left out, which makes the set larger. Two accesses that name the
// same cell may meet unless the set is empty.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "taskflow/loops.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <assert.h>
#include <stdlib.h>

// One of the executions.
typedef struct side {
  stow_op_list loops; // around it, outermost first
  stow_affine_value *lower, *upper, value;
  size_t first;          // column of its first variable
  size_t point;          //
  stow_values variables; // the loops', and what else varies between its executions
} side;

// Columns: variables of all sides, results of all points, symbols.
struct stow_executions {
  side *sides;
  size_t count;
  stow_values symbols;
  size_t variable_count, result_count;
  size_t *first_results; // per point: column of its first result
  stow_affine_set *set;
};

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static void list_loops(stow_op_list *loops, MlirOperation inside) {
  for (MlirOperation op = mlirOperationGetParentOperation(inside); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op))
    if (stow_taskflow_is_loop(op))
      STOW_PUSH(*loops, op);
  for (size_t i = 0, j = loops->count; i + 1 < j; ++i) {
    MlirOperation inner = loops->at[i];
    loops->at[i] = loops->at[--j];
    loops->at[j] = inner;
  }
}

typedef void (*value_fn)(stow_executions *e, side *s, MlirValue operand);

static void for_operands(stow_executions *e, side *s, const stow_affine_value *value, value_fn fn) {
  for (size_t i = 0; i < value->operand_count; ++i)
    fn(e, s, value->operands[i]);
}

static void for_all_operands(stow_executions *e, side *s, value_fn fn) {
  for (size_t l = 0; l < s->loops.count; ++l) {
    for_operands(e, s, &s->lower[l], fn);
    for_operands(e, s, &s->upper[l], fn);
  }
  for_operands(e, s, &s->value, fn);
}

// What varies from execution to execution for reasons of its own is a variable without bounds.
static void add_unknown(stow_executions *e, side *s, MlirValue operand) {
  (void)e;
  if (s->loops.count > 0 && stow_taskflow_made_inside(operand, s->loops.at[0]))
    stow_values_add(&s->variables, operand);
}

static void add_symbol(stow_executions *e, side *s, MlirValue operand) {
  if (stow_values_find(&s->variables, operand) < 0)
    stow_values_add(&e->symbols, operand);
}

static void collect(stow_executions *e, side *s, const stow_execution *execution) {
  list_loops(&s->loops, execution->op);
  s->lower = stow_ir_allocate(s->loops.count, sizeof *s->lower);
  s->upper = stow_ir_allocate(s->loops.count, sizeof *s->upper);
  s->value = execution->value;
  s->point = execution->point;
  for (size_t l = 0; l < s->loops.count; ++l) {
    s->lower[l] = stow_bridge_affine_lower_bound(s->loops.at[l]);
    s->upper[l] = stow_bridge_affine_upper_bound(s->loops.at[l]);
    stow_values_add(&s->variables, stow_taskflow_loop_variable(s->loops.at[l]));
  }
  for_all_operands(e, s, add_unknown);
  for_all_operands(e, s, add_symbol);
  s->first = e->variable_count;
  e->variable_count += s->variables.count;
}

static size_t results_of(const side *s) { return (size_t)mlirAffineMapGetNumResults(s->value.map); }

static void number_results(stow_executions *e) {
  e->first_results = stow_ir_allocate(e->count, sizeof *e->first_results);
  for (size_t i = 0; i < e->count; ++i) {
    size_t k = 0;
    while (e->sides[k].point != e->sides[i].point)
      ++k;
    assert(results_of(&e->sides[k]) == results_of(&e->sides[i]));
    if (k < i)
      continue;
    e->first_results[e->sides[i].point] = e->variable_count + e->result_count;
    e->result_count += results_of(&e->sides[i]);
  }
}

static size_t column_of(const stow_executions *e, const side *s, MlirValue value) {
  const int32_t variable = stow_values_find(&s->variables, value);
  if (variable >= 0)
    return s->first + (size_t)variable;
  const int32_t symbol = stow_values_find(&e->symbols, value);
  assert(symbol >= 0);
  return e->variable_count + e->result_count + (size_t)symbol;
}

size_t stow_executions_variable(const stow_executions *e, size_t index, MlirValue variable) {
  return column_of(e, &e->sides[index], variable);
}

size_t stow_executions_result(const stow_executions *e, size_t point, size_t result) {
  return e->first_results[point] + result;
}

size_t stow_executions_constant(const stow_executions *e) {
  return e->variable_count + e->result_count + e->symbols.count;
}

int64_t *stow_executions_row(const stow_executions *e) {
  return stow_ir_allocate(stow_executions_constant(e) + 1, sizeof(int64_t));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static void bound(stow_executions *e, const side *s, stow_affine_bound kind, size_t column,
                  MlirAffineMap map, const stow_affine_value *value) {
  size_t *columns = stow_ir_allocate(value->operand_count, sizeof *columns);
  for (size_t i = 0; i < value->operand_count; ++i)
    columns[i] = column_of(e, s, value->operands[i]);
  stow_affine_set_bound(e->set, kind, column, map, columns);
  free(columns);
}

static void add_side(stow_executions *e, const side *s) {
  for (size_t l = 0; l < s->loops.count; ++l) {
    const size_t column = column_of(e, s, stow_taskflow_loop_variable(s->loops.at[l]));
    bound(e, s, STOW_AFFINE_LOWER, column, s->lower[l].map, &s->lower[l]);
    bound(e, s, STOW_AFFINE_UPPER, column, s->upper[l].map, &s->upper[l]);
  }
  for (size_t i = 0; i < results_of(s); ++i) {
    intptr_t result = (intptr_t)i;
    bound(e, s, STOW_AFFINE_EQUAL, stow_executions_result(e, s->point, i),
          mlirAffineMapGetSubMap(s->value.map, 1, &result), &s->value);
  }
}

stow_executions *stow_executions_create(const stow_execution *at, size_t count) {
  stow_executions *e = stow_ir_allocate(1, sizeof *e);
  e->sides = stow_ir_allocate(count, sizeof *e->sides);
  e->count = count;
  for (size_t i = 0; i < count; ++i)
    collect(e, &e->sides[i], &at[i]);
  number_results(e);
  e->set = stow_affine_set_create(e->variable_count + e->result_count, e->symbols.count);
  for (size_t i = 0; i < count; ++i)
    add_side(e, &e->sides[i]);
  return e;
}

static void free_side(side *s) {
  for (size_t l = 0; l < s->loops.count; ++l) {
    free(s->lower[l].operands);
    free(s->upper[l].operands);
  }
  free(s->lower);
  free(s->upper);
  free(s->value.operands);
  free(s->loops.at);
  stow_values_free(&s->variables);
}

void stow_executions_free(stow_executions *e) {
  for (size_t i = 0; i < e->count; ++i)
    free_side(&e->sides[i]);
  stow_affine_set_destroy(e->set);
  stow_values_free(&e->symbols);
  free(e->first_results);
  free(e->sides);
  free(e);
}

// a + shift - b is 0, more, or less.
static void relate(const stow_executions *e, stow_affine_set *set,
                   const stow_iteration_relation *relation) {
  const int64_t sign = relation->order == STOW_ITERATION_AFTER ? -1 : 1;
  int64_t *row = stow_executions_row(e);
  const MlirValue a = stow_taskflow_loop_variable(relation->loop_of_a),
                  b = stow_taskflow_loop_variable(relation->loop_of_b);
  row[stow_executions_variable(e, relation->a, a)] = sign;
  row[stow_executions_variable(e, relation->a + 1, b)] = -sign;
  row[stow_executions_constant(e)] = sign * relation->shift;
  if (relation->order == STOW_ITERATION_SAME)
    stow_affine_set_equal(set, row);
  else {
    row[stow_executions_constant(e)] -= 1;
    stow_affine_set_at_least(set, row);
  }
  free(row);
}

void stow_executions_equal(stow_executions *e, const int64_t *row) {
  stow_affine_set_equal(e->set, row);
}

void stow_executions_at_least(stow_executions *e, const int64_t *row) {
  stow_affine_set_at_least(e->set, row);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool stow_executions_possible(const stow_executions *e) {
  return !stow_affine_set_is_empty(e->set);
}

stow_affine_extent stow_executions_largest(const stow_executions *e,
                                           const stow_iteration_relation *relations,
                                           size_t relation_count, const int64_t *row,
                                           int64_t *out_largest) {
  stow_affine_set *set = stow_affine_set_copy(e->set);
  for (size_t r = 0; r < relation_count; ++r)
    relate(e, set, &relations[r]);
  const stow_affine_extent extent = stow_affine_set_largest(set, row, out_largest);
  stow_affine_set_destroy(set);
  return extent;
}

stow_execution stow_taskflow_access_execution(MlirOperation access, size_t point) {
  return (stow_execution){access, stow_bridge_affine_access_index(access), point};
}

stow_execution stow_taskflow_bound_execution(MlirOperation loop, bool lower) {
  return (stow_execution){
      loop, lower ? stow_bridge_affine_lower_bound(loop) : stow_bridge_affine_upper_bound(loop), 0};
}

bool stow_taskflow_may_meet(MlirOperation a, MlirOperation b,
                            const stow_iteration_relation *relations, size_t relation_count) {
  const stow_execution two[] = {stow_taskflow_access_execution(a, 0),
                                stow_taskflow_access_execution(b, 0)};
  if (mlirAffineMapGetNumResults(two[0].value.map) !=
      mlirAffineMapGetNumResults(two[1].value.map)) {
    free(two[0].value.operands);
    free(two[1].value.operands);
    return true;
  }
  stow_executions *e = stow_executions_create(two, 2);
  for (size_t r = 0; r < relation_count; ++r)
    relate(e, e->set, &relations[r]);
  const bool may = stow_executions_possible(e);
  stow_executions_free(e);
  return may;
}
