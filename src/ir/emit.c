//===- emit.c - formulas as ops -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A formula's variables must be there, or be computed by ops that can be repeated. Of terms that
// have their first factors in common the product is made once.
//
//===----------------------------------------------------------------------===//

#include "ir/extents.h"

#include "ir/limits.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

// A value is not yet there in front of the op that defines it.
static bool is_there(stow_dominance *dominance, MlirValue value, MlirOperation before) {
  const bool own =
      mlirValueIsAOpResult(value) && mlirOperationEqual(mlirOpResultGetOwner(value), before);
  return !own && stow_bridge_dominates(dominance, value, before);
}

// What an argument of the region that tells whether a loop goes on is in its first iteration, which
// is what the loop is given; any other value itself. `loop` may be null.
static MlirValue in_first_iteration(MlirOperation loop, MlirValue value) {
  if (mlirOperationIsNull(loop) || !mlirValueIsABlockArgument(value))
    return value;
  const MlirBlock before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  return mlirBlockEqual(mlirBlockArgumentGetOwner(value), before)
             ? mlirOperationGetOperand(loop, mlirBlockArgumentGetArgNumber(value))
             : value;
}

static stow_availability lesser(stow_availability a, stow_availability b) { return a < b ? a : b; }

// What decides whether a value is available.
typedef struct question {
  stow_dominance *dominance;
  MlirOperation loop, before;
} question;

// Adds the op that computes a value, if that must be repeated. False: it cannot be.
static bool add_repeated(const question *q, MlirValue of, stow_op_set *ops) {
  const MlirValue value = in_first_iteration(q->loop, of);
  if (is_there(q->dominance, value, q->before))
    return true;
  if (!mlirValueIsAOpResult(value) || !stow_ir_op_is_total(mlirOpResultGetOwner(value)))
    return false;
  STOW_INCLUDE(*ops, mlirOpResultGetOwner(value));
  return true;
}

// The ops that compute operands of some ops, each once. False: one cannot be repeated.
static bool add_behind(const question *q, const stow_op_set *ops, stow_op_set *out_behind) {
  bool can = true;
  for (size_t i = 0; can && i < ops->count; ++i)
    for (intptr_t k = 0; can && k < mlirOperationGetNumOperands(ops->at[i]); ++k)
      can = add_repeated(q, mlirOperationGetOperand(ops->at[i], k), out_behind);
  return can;
}

// In steps from ops to those behind them: one op may be met on very many ways.
static stow_availability availability_of_value(const question *q, MlirValue value) {
  stow_op_set ops = {0};
  bool can = add_repeated(q, value, &ops);
  int in_a_row = 0;
  for (; can && ops.count > 0 && in_a_row < STOW_EXTENTS_MOST_REPEATED; ++in_a_row) {
    stow_op_set behind = {0};
    can = add_behind(q, &ops, &behind);
    STOW_SET_FREE(ops);
    ops = behind;
  }
  const bool ends = ops.count == 0;
  STOW_SET_FREE(ops);
  return !can ? STOW_NOT_AVAILABLE : ends ? STOW_AVAILABLE : STOW_TOO_DEEP;
}

static stow_availability availability_of_variable(stow_dominance *dominance,
                                                  const stow_variable *variable,
                                                  MlirOperation before) {
  if (variable->dimension >= 0)
    return is_there(dominance, variable->value, before) ? STOW_AVAILABLE : STOW_NOT_AVAILABLE;
  return availability_of_value(&(question){dominance, variable->loop, before}, variable->value);
}

static stow_availability availability_of_atom(const stow_extents *e, int32_t index,
                                              stow_dominance *dominance, MlirOperation before) {
  const stow_atom atom = stow_atom_of(e->formulas, index);
  if (atom.kind == STOW_ATOM_VARIABLE)
    return availability_of_variable(dominance, &e->variables.at[atom.variable], before);
  stow_availability least = STOW_AVAILABLE;
  for (size_t i = 0; i < atom.operand_count && least != STOW_NOT_AVAILABLE; ++i)
    least = lesser(least, stow_availability_of(e, stow_atom_operand(e->formulas, &atom, i),
                                               dominance, before));
  return least;
}

stow_availability stow_availability_of(const stow_extents *e, stow_formula formula,
                                       stow_dominance *dominance, MlirOperation before) {
  const stow_polynomial p = stow_formula_terms(e->formulas, formula);
  stow_availability least = STOW_AVAILABLE;
  for (size_t t = 0; t < p.count; ++t)
    for (size_t i = 0; i < p.terms[t].count && least != STOW_NOT_AVAILABLE; ++i)
      least = lesser(least, availability_of_atom(e, p.terms[t].atoms[i], dominance, before));
  return least;
}

bool stow_ir_is_available(const stow_extents *e, stow_formula formula, stow_dominance *dominance,
                          MlirOperation before) {
  return stow_availability_of(e, formula, dominance, before) == STOW_AVAILABLE;
}

// A value as it is, or computed again. What depends on a loop's iteration is only computed for its
// first.
static MlirValue emit_value(stow_emitter *m, MlirOperation loop, MlirValue of) {
  const MlirValue value = in_first_iteration(loop, of);
  if (is_there(m->dominance, value, m->builder.before))
    return value;
  const MlirOperation op = mlirOpResultGetOwner(value);
  int32_t known = stow_map_get(&m->repeated, op.ptr);
  if (known < 0) {
    assert(stow_ir_op_is_total(op)); // stow_availability_of sees to it
    MlirOperation copy = mlirOperationClone(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      mlirOperationSetOperand(copy, i, emit_value(m, loop, mlirOperationGetOperand(op, i)));
    stow_ir_insert_before(m->builder.before, copy);
    known = (int32_t)STOW_PUSH(m->copies, copy);
    stow_map_add(&m->repeated, op.ptr, known);
  }
  return mlirOperationGetResult(m->copies.at[known], mlirOpResultGetResultNumber(value));
}

static int64_t case_of(const stow_variable *variable) {
  return variable->is_whole ? variable->number : (int32_t)variable->number;
}

MlirValue stow_ir_build_variable(const stow_builder *builder, const stow_variable *variable,
                                 MlirValue value) {
  const MlirValue index = stow_ir_build_index(builder, value);
  if (!variable->is_case)
    return index;
  MlirType type = mlirValueGetType(index);
  MlirValue part = index;
  if (!variable->is_whole) {
    type = mlirIntegerTypeGet(builder->context, 32);
    part = stow_ir_build_value(builder, STOW_ARITH_INDEX_CAST, &index, 1, type);
  }
  const MlirValue number = stow_ir_build_number(builder, type, case_of(variable));
  return stow_ir_build_index(builder, stow_ir_build_compare(builder, STOW_EQUAL, part, number));
}

static MlirValue emit_variable(stow_emitter *m, const stow_variable *variable) {
  if (variable->dimension >= 0)
    return stow_ir_build_dim(&m->builder, variable->value, variable->dimension);
  return stow_ir_build_variable(&m->builder, variable,
                                emit_value(m, variable->loop, variable->value));
}

static stow_op_kind kind_of_atom(stow_atom_kind kind) {
  switch (kind) {
  case STOW_ATOM_LARGEST:
    return STOW_ARITH_MAXSI;
  case STOW_ATOM_SMALLEST:
    return STOW_ARITH_MINSI;
  case STOW_ATOM_SUM:
    return STOW_ARITH_ADDI;
  case STOW_ATOM_PRODUCT:
    return STOW_ARITH_MULI;
  case STOW_ATOM_QUOTIENT:
  case STOW_ATOM_INVERTED:
  case STOW_ATOM_VARIABLE:
    break;
  }
  assert(false && "it has no op for pairs");
  return STOW_ARITH_ADDI;
}

static MlirValue emit_quotient(stow_emitter *m, const stow_atom *atom) {
  const stow_formula operand = stow_atom_operand(m->extents->formulas, atom, 0);
  int64_t low, high;
  stow_formula_range(m->extents->formulas, operand, &low, &high);
  const MlirValue value = stow_ir_emit(m, operand);
  const MlirValue divisor = stow_constant(m->constants, (uint64_t)atom->divisor);
  return stow_ir_build_binary(&m->builder, low >= 0 ? STOW_ARITH_DIVUI : STOW_ARITH_FLOORDIVSI,
                              value, divisor);
}

static MlirValue emit_inverted(stow_emitter *m, const stow_atom *atom) {
  const MlirValue bit = stow_ir_emit(m, stow_atom_operand(m->extents->formulas, atom, 0));
  return stow_ir_build_binary(&m->builder, STOW_ARITH_SUBI, stow_constant(m->constants, 1), bit);
}

static MlirValue emit_atom(stow_emitter *m, int32_t index) {
  const stow_atom atom = stow_atom_of(m->extents->formulas, index);
  if (!mlirValueIsNull(m->atoms[index]))
    return m->atoms[index];
  MlirValue value;
  if (atom.kind == STOW_ATOM_VARIABLE) {
    value = m->given ? m->given[atom.variable]
                     : emit_variable(m, &m->extents->variables.at[atom.variable]);
  } else if (atom.kind == STOW_ATOM_QUOTIENT) {
    value = emit_quotient(m, &atom);
  } else if (atom.kind == STOW_ATOM_INVERTED) {
    value = emit_inverted(m, &atom);
  } else {
    value = stow_ir_emit(m, stow_atom_operand(m->extents->formulas, &atom, 0));
    for (size_t i = 1; i < atom.operand_count; ++i)
      value =
          stow_ir_build_binary(&m->builder, kind_of_atom(atom.kind), value,
                               stow_ir_emit(m, stow_atom_operand(m->extents->formulas, &atom, i)));
  }
  return m->atoms[index] = value;
}

// Terms have their first factors in common.
static MlirValue emit_product(stow_emitter *m, MlirValue left, MlirValue right) {
  const int32_t first = stow_map_get(&m->first_product, left.ptr);
  for (int32_t p = first; p >= 0; p = m->products.at[p].next)
    if (mlirValueEqual(m->products.at[p].right, right))
      return m->products.at[p].value;
  const MlirValue value = stow_ir_build_binary(&m->builder, STOW_ARITH_MULI, left, right);
  const int32_t next = first < 0 ? -1 : m->products.at[first].next;
  const int32_t made = (int32_t)STOW_PUSH(m->products, (stow_product){right, value, next});
  if (first < 0)
    stow_map_add(&m->first_product, left.ptr, made);
  else
    m->products.at[first].next = made;
  return value;
}

static MlirValue emit_term(stow_emitter *m, const stow_term *term) {
  if (term->count == 0)
    return stow_constant(m->constants, (uint64_t)term->coefficient);
  MlirValue value = emit_atom(m, term->atoms[0]);
  for (size_t i = 1; i < term->count; ++i)
    value = emit_product(m, value, emit_atom(m, term->atoms[i]));
  return term->coefficient == 1
             ? value
             : emit_product(m, value, stow_constant(m->constants, (uint64_t)term->coefficient));
}

MlirValue stow_ir_emit(stow_emitter *m, stow_formula formula) {
  if (!m->formulas) {
    m->formulas = stow_ir_allocate(stow_formula_count(m->extents->formulas), sizeof *m->formulas);
    m->atoms = stow_ir_allocate(stow_atom_count(m->extents->formulas), sizeof *m->atoms);
  }
  if (!mlirValueIsNull(m->formulas[formula]))
    return m->formulas[formula];
  const stow_polynomial p = stow_formula_terms(m->extents->formulas, formula);
  MlirValue value = {NULL};
  for (size_t t = p.count; t-- > 0;) {
    const MlirValue term = emit_term(m, &p.terms[t]);
    value = mlirValueIsNull(value)
                ? term
                : stow_ir_build_binary(&m->builder, STOW_ARITH_ADDI, value, term);
  }
  if (mlirValueIsNull(value))
    value = stow_constant(m->constants, 0);
  return m->formulas[formula] = value;
}

void stow_emitter_free(stow_emitter *m) {
  free(m->formulas);
  free(m->atoms);
  free(m->copies.at);
  stow_map_free(&m->repeated);
  stow_map_free(&m->first_product);
  free(m->products.at);
}
