//===- meet.c - whether two accesses may name one cell --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executions of the two accesses that name the same cell are a set of integers: the
// variables of the loops around the first, those of the loops around the second (their
// own, even where the loops are the same), one per dimension of the buffer, and symbols.
// They may meet unless that set is empty. What cannot be expressed is left out, which
// makes the set larger.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "bridge/affine.h"
#include "taskflow/loops.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <assert.h>

// One of the two accesses.
typedef struct side {
  stow_op_list loops; // around it, outermost first
  stow_affine_value *lower, *upper, index;
  size_t first;          // column of its first variable
  stow_values variables; // the loops', and what else varies between its executions
} side;

typedef struct meeting {
  side sides[2];
  stow_values symbols;
  size_t variable_count, cell_count;
  stow_affine_set *set;
} meeting;

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static void list_loops(stow_op_list *loops, MlirOperation access) {
  for (MlirOperation op = mlirOperationGetParentOperation(access); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op))
    if (stow_is_loop(op))
      STOW_PUSH(*loops, op);
  for (size_t i = 0, j = loops->count; i + 1 < j; ++i) {
    MlirOperation inner = loops->at[i];
    loops->at[i] = loops->at[--j];
    loops->at[j] = inner;
  }
}

typedef void (*value_fn)(meeting *m, side *s, MlirValue operand);

static void for_operands(meeting *m, side *s, const stow_affine_value *value, value_fn fn) {
  for (size_t i = 0; i < value->operand_count; ++i)
    fn(m, s, value->operands[i]);
}

static void for_all_operands(meeting *m, side *s, value_fn fn) {
  for (size_t l = 0; l < s->loops.count; ++l)
    for_operands(m, s, &s->lower[l], fn), for_operands(m, s, &s->upper[l], fn);
  for_operands(m, s, &s->index, fn);
}

// What varies from execution to execution for reasons of its own is a variable without bounds.
static void add_unknown(meeting *m, side *s, MlirValue operand) {
  (void)m;
  if (s->loops.count > 0 && stow_made_inside(operand, s->loops.at[0]))
    stow_values_add(&s->variables, operand);
}

static void add_symbol(meeting *m, side *s, MlirValue operand) {
  if (stow_values_find(&s->variables, operand) < 0)
    stow_values_add(&m->symbols, operand);
}

static void collect(meeting *m, side *s, MlirOperation access) {
  list_loops(&s->loops, access);
  s->lower = stow_allocate(s->loops.count, sizeof *s->lower);
  s->upper = stow_allocate(s->loops.count, sizeof *s->upper);
  s->index = stow_affine_access_index(access);
  for (size_t l = 0; l < s->loops.count; ++l) {
    s->lower[l] = stow_affine_lower_bound(s->loops.at[l]);
    s->upper[l] = stow_affine_upper_bound(s->loops.at[l]);
    stow_values_add(&s->variables, stow_loop_variable(s->loops.at[l]));
  }
  for_all_operands(m, s, add_unknown);
  for_all_operands(m, s, add_symbol);
  s->first = m->variable_count;
  m->variable_count += s->variables.count;
}

static size_t column_of(const meeting *m, const side *s, MlirValue value) {
  const int32_t variable = stow_values_find(&s->variables, value);
  if (variable >= 0)
    return s->first + (size_t)variable;
  const int32_t symbol = stow_values_find(&m->symbols, value);
  assert(symbol >= 0);
  return m->variable_count + m->cell_count + (size_t)symbol;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static void bound(meeting *m, const side *s, stow_affine_bound kind, size_t column,
                  MlirAffineMap map, const stow_affine_value *value) {
  size_t *columns = stow_allocate(value->operand_count, sizeof *columns);
  for (size_t i = 0; i < value->operand_count; ++i)
    columns[i] = column_of(m, s, value->operands[i]);
  stow_affine_set_bound(m->set, kind, column, map, columns);
  free(columns);
}

static void add_side(meeting *m, const side *s) {
  for (size_t l = 0; l < s->loops.count; ++l) {
    const size_t column = column_of(m, s, stow_loop_variable(s->loops.at[l]));
    bound(m, s, STOW_AFFINE_LOWER, column, s->lower[l].map, &s->lower[l]);
    bound(m, s, STOW_AFFINE_UPPER, column, s->upper[l].map, &s->upper[l]);
  }
  for (size_t i = 0; i < m->cell_count; ++i) {
    intptr_t result = (intptr_t)i;
    bound(m, s, STOW_AFFINE_EQUAL, m->variable_count + i,
          mlirAffineMapGetSubMap(s->index.map, 1, &result), &s->index);
  }
}

// a + shift - b is 0, more, or less.
static void relate(meeting *m, const stow_iteration_relation *relation) {
  const size_t columns = m->variable_count + m->cell_count + m->symbols.count;
  const int64_t sign = relation->order == STOW_ITERATION_AFTER ? -1 : 1;
  int64_t *row = stow_allocate(columns + 1, sizeof *row);
  row[column_of(m, &m->sides[0], stow_loop_variable(relation->loop_of_a))] = sign;
  row[column_of(m, &m->sides[1], stow_loop_variable(relation->loop_of_b))] = -sign;
  row[columns] = sign * relation->shift;
  if (relation->order == STOW_ITERATION_SAME)
    stow_affine_set_equal(m->set, row);
  else
    row[columns] -= 1, stow_affine_set_at_least(m->set, row);
  free(row);
}

static void free_side(side *s) {
  for (size_t l = 0; l < s->loops.count; ++l)
    free(s->lower[l].operands), free(s->upper[l].operands);
  free(s->lower), free(s->upper), free(s->index.operands);
  free(s->loops.at);
  stow_values_free(&s->variables);
}

static bool is_possible(meeting *m, const stow_iteration_relation *relations, size_t count) {
  m->cell_count = (size_t)mlirAffineMapGetNumResults(m->sides[0].index.map);
  m->set = stow_affine_set_create(m->variable_count + m->cell_count, m->symbols.count);
  for (int i = 0; i < 2; ++i)
    add_side(m, &m->sides[i]);
  for (size_t r = 0; r < count; ++r)
    relate(m, &relations[r]);
  const bool possible = !stow_affine_set_is_empty(m->set);
  stow_affine_set_destroy(m->set);
  return possible;
}

bool stow_may_meet(MlirOperation a, MlirOperation b, const stow_iteration_relation *relations,
                   size_t relation_count) {
  meeting m = {0};
  collect(&m, &m.sides[0], a);
  collect(&m, &m.sides[1], b);
  const bool comparable = mlirAffineMapGetNumResults(m.sides[0].index.map) ==
                          mlirAffineMapGetNumResults(m.sides[1].index.map);
  const bool may = !comparable || is_possible(&m, relations, relation_count);
  free_side(&m.sides[0]), free_side(&m.sides[1]);
  stow_values_free(&m.symbols);
  return may;
}
