//===- evaluate.c - formulas at numbers -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires numbers for the variables of a table of formulas. Computes its atoms in their order, as
// each is made of earlier ones, and formulas by them. What overflows has no number.
//
//===----------------------------------------------------------------------===//

#include "ir/formula.h"

bool stow_ir_evaluate(const stow_formulas *table, const int64_t *atoms, stow_formula formula,
                      int64_t *out) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  *out = 0;
  for (size_t t = 0; t < p.count; ++t) {
    int64_t term = p.terms[t].coefficient;
    for (size_t i = 0; i < p.terms[t].count; ++i) {
      const int64_t atom = atoms[p.terms[t].atoms[i]];
      if (atom == STOW_OVERFLOWN || __builtin_mul_overflow(term, atom, &term))
        return false;
    }
    if (__builtin_add_overflow(*out, term, out))
      return false;
  }
  return true;
}

static bool evaluate_atom(const stow_formulas *table, const stow_atom *atom, const int64_t *atoms,
                          int64_t *out) {
  int64_t operand;
  bool ok = stow_ir_evaluate(table, atoms, stow_atom_operand(table, atom, 0), out);
  if (atom->kind == STOW_ATOM_INVERTED)
    return ok && !__builtin_sub_overflow(INT64_C(1), *out, out);
  if (atom->kind == STOW_ATOM_QUOTIENT)
    *out = stow_ir_rounded_down(*out, atom->divisor);
  for (size_t i = 1; i < atom->operand_count && ok; ++i) {
    ok = stow_ir_evaluate(table, atoms, stow_atom_operand(table, atom, i), &operand);
    if (atom->kind == STOW_ATOM_SUM)
      ok = ok && !__builtin_add_overflow(*out, operand, out);
    else if (atom->kind == STOW_ATOM_PRODUCT)
      ok = ok && !__builtin_mul_overflow(*out, operand, out);
    else if ((atom->kind == STOW_ATOM_LARGEST) == (operand > *out))
      *out = operand;
  }
  return ok;
}

// Whether an atom is a bit that is either, or the inverse of one.
static bool is_either(const stow_formulas *table, const stow_atom *atom, const int64_t *variables) {
  if (atom->kind == STOW_ATOM_VARIABLE)
    return atom->low == 0 && atom->high == 1 && variables[atom->variable] == STOW_EITHER;
  if (atom->kind != STOW_ATOM_INVERTED)
    return false;
  const stow_polynomial p = stow_formula_terms(table, stow_atom_operand(table, atom, 0));
  if (p.count != 1 || p.terms[0].count != 1)
    return false;
  const stow_atom bit = stow_atom_of(table, p.terms[0].atoms[0]);
  return is_either(table, &bit, variables);
}

void stow_ir_evaluate_atoms(const stow_formulas *table, const int64_t *variables, size_t first,
                            int64_t *out_atoms) {
  for (size_t a = first; a < stow_atom_count(table); ++a) {
    const stow_atom atom = stow_atom_of(table, (int32_t)a);
    if (is_either(table, &atom, variables))
      out_atoms[a] = 1;
    else if (atom.kind == STOW_ATOM_VARIABLE)
      out_atoms[a] = variables[atom.variable];
    else if (!evaluate_atom(table, &atom, out_atoms, &out_atoms[a]))
      out_atoms[a] = STOW_OVERFLOWN;
  }
}
