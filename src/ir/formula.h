//===- formula.h - numbers that are known at run time only ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A formula is a polynomial with integer coefficients over *atoms*. An atom is a variable,
// or what is no polynomial of others: the largest or smallest of some formulas, a
// quotient. Formulas are normalised and kept once, so that equal ones have equal indices.
//
// Sums and products are right modulo 2^64, as machines compute them. What is said of which
// formula is the larger, and of quotients, holds as long as nothing overflows, and for all
// values of the variables within their ranges.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_FORMULA_H
#define STOWAGE_IR_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t stow_formula; // an index into its table
#define STOW_NO_FORMULA (-1)

typedef enum stow_atom_kind {
  STOW_ATOM_VARIABLE, // known from outside
  STOW_ATOM_LARGEST,  // of its operands
  STOW_ATOM_SMALLEST,
  STOW_ATOM_QUOTIENT, // its operand by `divisor`, rounded down
  STOW_ATOM_INVERTED, // 1 less its operand, a bit
  STOW_ATOM_SUM,      // of what is too long for one polynomial
  STOW_ATOM_PRODUCT,
} stow_atom_kind;

#define STOW_UNLIMITED INT64_MAX

typedef struct stow_atom {
  stow_atom_kind kind;
  int64_t low, high; // its range; INT64_MIN, STOW_UNLIMITED: no limit
  int64_t divisor;   // positive
  size_t first_operand, operand_count;
  size_t variable; // variables are numbered as they are made
} stow_atom;

typedef struct stow_formulas stow_formulas;

// Freed with stow_formulas_free.
stow_formulas *stow_formulas_create(void);
void stow_formulas_free(stow_formulas *table);

//===----------------------------------------------------------------------===//
// Making formulas
//===----------------------------------------------------------------------===//

stow_formula stow_formula_number(stow_formulas *table, int64_t number);

// A new variable, different from all before.
stow_formula stow_formula_variable(stow_formulas *table, int64_t low, int64_t high);

// From here on a formula that is one term is known to be at most this; any other tells nothing.
void stow_formula_limit(stow_formulas *table, stow_formula formula, int64_t most);

stow_formula stow_formula_sum(stow_formulas *table, stow_formula a, stow_formula b);
stow_formula stow_formula_scaled(stow_formulas *table, stow_formula a, int64_t factor);
stow_formula stow_formula_product(stow_formulas *table, stow_formula a, stow_formula b);

// 1 - bit. It stays one factor: a product with it that were multiplied out would have terms below
// 0, and be compared with little.
stow_formula stow_formula_inverted(stow_formulas *table, stow_formula bit);

// a / divisor, rounded down; `divisor` is positive.
stow_formula stow_formula_quotient(stow_formulas *table, stow_formula a, int64_t divisor);

// The least multiple of `unit`, which is positive, that is no smaller.
stow_formula stow_formula_rounded(stow_formulas *table, stow_formula a, int64_t unit);

// Those that are proven to matter of at least one formula.
stow_formula stow_formula_largest(stow_formulas *table, const stow_formula *of, size_t count);
stow_formula stow_formula_smallest(stow_formulas *table, const stow_formula *of, size_t count);

// The formula with a variable replaced by `by`.
stow_formula stow_formula_replaced(stow_formulas *table, stow_formula formula, size_t variable,
                                   stow_formula by);

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

// Whether a <= b is proven.
bool stow_formula_at_most(stow_formulas *table, stow_formula a, stow_formula b);

// What becomes of a number where a variable becomes larger, and nothing else does.
typedef enum stow_growth {
  STOW_STAYS,
  STOW_GROWS, // it never becomes smaller
  STOW_FALLS, // or never larger
  STOW_VARIES // this is not seen
} stow_growth;

stow_growth stow_formula_growth(stow_formulas *table, stow_formula formula, size_t variable);

// Whether it is a number.
bool stow_formula_is_number(const stow_formulas *table, stow_formula formula, int64_t *out);

// The least and the greatest that it may be, as far as that is proven.
void stow_formula_range(stow_formulas *table, stow_formula formula, int64_t *out_low,
                        int64_t *out_high);

enum { STOW_MOST_FACTORS = 6, STOW_MOST_TERMS = 24 };

// A coefficient, not 0, times some atoms, which ascend and may repeat.
typedef struct stow_term {
  int64_t coefficient;
  size_t count;
  int32_t atoms[STOW_MOST_FACTORS];
} stow_term;

// The sum of its terms, which differ. The one without atoms is the first.
typedef struct stow_polynomial {
  size_t count;
  stow_term terms[STOW_MOST_TERMS];
} stow_polynomial;

stow_polynomial stow_formula_terms(const stow_formulas *table, stow_formula formula);

size_t stow_formula_count(const stow_formulas *table);
size_t stow_atom_count(const stow_formulas *table);
stow_atom stow_atom_of(const stow_formulas *table, int32_t atom);
stow_formula stow_atom_operand(const stow_formulas *table, const stow_atom *atom, size_t index);

// Atoms, ascending: an atom's operands are made of earlier ones.
typedef struct stow_atoms {
  int32_t *at;
  size_t count, capacity;
} stow_atoms;

// Those that formulas, or atoms in these, are made of. `at` is freed with free().
stow_atoms stow_formula_atoms(stow_formulas *table, const stow_formula *formulas, size_t count);

// The value of a bit that is either: it and its inverse both count as 1.
#define STOW_EITHER INT64_MIN

// The value of an atom that overflows.
#define STOW_OVERFLOWN INT64_MIN

// Values of all atoms from `first` on for those of all variables: those of the atoms before are
// there. Of a formula for those of the atoms; false where it overflows.
void stow_ir_evaluate_atoms(const stow_formulas *table, const int64_t *variables, size_t first,
                            int64_t *out_atoms);
bool stow_ir_evaluate(const stow_formulas *table, const int64_t *atoms, stow_formula formula,
                      int64_t *out);

// A quotient; `divisor` is positive.
static inline int64_t stow_ir_rounded_down(int64_t number, int64_t divisor) {
  return number / divisor - (number % divisor < 0);
}

#endif // STOWAGE_IR_FORMULA_H
