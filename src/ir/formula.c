//===- formula.c - numbers that are known at run time only ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas and atoms are kept as words, each sequence once. What grows beyond the limits
// of a polynomial becomes an atom, whose operands say what it is.
//
//===----------------------------------------------------------------------===//

#include "ir/formula.h"

#include "ir/limits.h"
#include "ir/sequences.h"
#include "ir/support.h"

#include <assert.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct stow_formulas {
  stow_sequences formulas;    // per term its coefficient, the number of its atoms, and these
  stow_sequences definitions; // of atoms: kind, divisor or number of the variable, operands
  STOW_ARRAY(stow_atom) atoms;
  STOW_ARRAY(stow_term) limits; // products of atoms, each with the most that it is
  size_t variables;
  int32_t *places; // per atom, for parts_of; all 0 in between
  size_t place_count;
};

stow_formulas *stow_formulas_create(void) { return stow_ir_allocate(1, sizeof(stow_formulas)); }

void stow_formulas_free(stow_formulas *table) {
  if (!table)
    return;
  stow_sequences_free(&table->formulas);
  stow_sequences_free(&table->definitions);
  free(table->atoms.at);
  free(table->limits.at);
  free(table->places);
  free(table);
}

stow_polynomial stow_formula_terms(const stow_formulas *table, stow_formula formula) {
  stow_polynomial p; // what is behind `count` is not filled in: there are many calls
  p.count = 0;
  const int64_t *at = table->formulas.all.at;
  for (size_t w = stow_sequences_begin(&table->formulas, formula);
       w < table->formulas.ends.at[formula];) {
    stow_term *term = &p.terms[p.count++];
    term->coefficient = at[w++];
    term->count = (size_t)at[w++];
    for (size_t i = 0; i < term->count; ++i)
      term->atoms[i] = (int32_t)at[w++];
  }
  return p;
}

static stow_formula formula_of(stow_formulas *table, const stow_polynomial *p) {
  stow_words w = {0};
  for (size_t t = 0; t < p->count; ++t) {
    STOW_PUSH(w, p->terms[t].coefficient);
    STOW_PUSH(w, (int64_t)p->terms[t].count);
    for (size_t i = 0; i < p->terms[t].count; ++i)
      STOW_PUSH(w, p->terms[t].atoms[i]);
  }
  bool is_new;
  const stow_formula formula = stow_sequences_keep(&table->formulas, &w, &is_new);
  free(w.at);
  return formula;
}

size_t stow_formula_count(const stow_formulas *table) { return table->formulas.ends.count; }

size_t stow_atom_count(const stow_formulas *table) { return table->atoms.count; }

stow_atom stow_atom_of(const stow_formulas *table, int32_t atom) { return table->atoms.at[atom]; }

stow_formula stow_atom_operand(const stow_formulas *table, const stow_atom *atom, size_t index) {
  assert(index < atom->operand_count);
  return (stow_formula)table->definitions.all.at[atom->first_operand + index];
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

typedef __int128 wide;

static const wide LEAST = INT64_MIN, MOST = INT64_MAX, NO_LIMIT = (wide)1 << 100;

static int64_t clamp(wide number) {
  return (int64_t)(number < LEAST ? LEAST : number > MOST ? MOST : number);
}

typedef struct range {
  wide low, high; // from -NO_LIMIT to NO_LIMIT
} range;

static wide limited(wide number) {
  return number < -NO_LIMIT ? -NO_LIMIT : number > NO_LIMIT ? NO_LIMIT : number;
}

static bool is_unlimited(wide number) { return number <= -NO_LIMIT || number >= NO_LIMIT; }

static wide times(wide a, wide b) {
  if (a == 0 || b == 0)
    return 0;
  const wide most = (a < 0) == (b < 0) ? NO_LIMIT : -NO_LIMIT;
  wide product;
  const bool fits = !is_unlimited(a) && !is_unlimited(b) && !__builtin_mul_overflow(a, b, &product);
  return fits ? limited(product) : most;
}

// Where one has no limit, nor has the sum.
static range range_of_sum(range a, range b) {
  const bool no_low = a.low <= -NO_LIMIT || b.low <= -NO_LIMIT;
  const bool no_high = a.high >= NO_LIMIT || b.high >= NO_LIMIT;
  return (range){no_low ? -NO_LIMIT : limited(a.low + b.low),
                 no_high ? NO_LIMIT : limited(a.high + b.high)};
}

static range range_of_product(range a, range b) {
  const wide corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                          times(a.high, b.high)};
  range r = {corners[0], corners[0]};
  for (int i = 1; i < 4; ++i) {
    r.low = corners[i] < r.low ? corners[i] : r.low;
    r.high = corners[i] > r.high ? corners[i] : r.high;
  }
  return r;
}

static range range_of_atom(const stow_formulas *table, int32_t atom) {
  const stow_atom *a = &table->atoms.at[atom];
  return (range){a->low == INT64_MIN ? -NO_LIMIT : a->low,
                 a->high == STOW_UNLIMITED ? NO_LIMIT : a->high};
}

static bool have_same_atoms(const stow_term *a, const stow_term *b) {
  return a->count == b->count && memcmp(a->atoms, b->atoms, a->count * sizeof *a->atoms) == 0;
}

static range range_of_term(const stow_formulas *table, const stow_term *term) {
  range r = {1, 1};
  for (size_t i = 0; i < term->count; ++i)
    r = range_of_product(r, range_of_atom(table, term->atoms[i]));
  for (size_t i = 0; i < table->limits.count; ++i) {
    const stow_term *limit = &table->limits.at[i];
    if (limit->coefficient < r.high && have_same_atoms(limit, term))
      r.high = limit->coefficient;
  }
  return range_of_product(r, (range){term->coefficient, term->coefficient});
}

static range range_of(const stow_formulas *table, stow_formula formula) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  range r = {0, 0};
  for (size_t t = 0; t < p.count; ++t)
    r = range_of_sum(r, range_of_term(table, &p.terms[t]));
  return r;
}

void stow_formula_range(stow_formulas *table, stow_formula formula, int64_t *out_low,
                        int64_t *out_high) {
  const range r = range_of(table, formula);
  *out_low = clamp(r.low);
  *out_high = clamp(r.high);
}

void stow_formula_limit(stow_formulas *table, stow_formula formula, int64_t most) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  if (p.count != 1 || p.terms[0].count == 0 || p.terms[0].coefficient <= 0)
    return;
  stow_term limit = p.terms[0];
  limit.coefficient = most / limit.coefficient;
  STOW_PUSH(table->limits, limit);
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

static range range_of_operands(const stow_formulas *table, stow_atom_kind kind,
                               const stow_formula *operands, size_t count) {
  range r = range_of(table, operands[0]);
  for (size_t i = 1; i < count; ++i) {
    const range next = range_of(table, operands[i]);
    if (kind == STOW_ATOM_SUM)
      r = range_of_sum(r, next);
    else if (kind == STOW_ATOM_PRODUCT)
      r = range_of_product(r, next);
    else if ((kind == STOW_ATOM_LARGEST) == (next.low > r.low))
      r.low = next.low;
    if ((kind == STOW_ATOM_LARGEST && next.high > r.high) ||
        (kind == STOW_ATOM_SMALLEST && next.high < r.high))
      r.high = next.high;
  }
  return r;
}

static wide divided(wide number, wide divisor) { return number / divisor - (number % divisor < 0); }

static range range_of_quotient(range r, int64_t divisor) {
  return (range){r.low <= -NO_LIMIT ? r.low : divided(r.low, divisor),
                 r.high >= NO_LIMIT ? r.high : divided(r.high, divisor)};
}

static stow_formula formula_of_atom(stow_formulas *table, int32_t atom) {
  const stow_polynomial p = {1, {{1, 1, {atom}}}};
  return formula_of(table, &p);
}

// `number`: the divisor, or which variable it is.
static stow_formula atom_of(stow_formulas *table, stow_atom_kind kind, int64_t number, range r,
                            const stow_formula *operands, size_t count) {
  stow_words w = {0};
  STOW_PUSH(w, (int64_t)kind);
  STOW_PUSH(w, number);
  for (size_t i = 0; i < count; ++i)
    STOW_PUSH(w, operands[i]);
  bool is_new;
  const int32_t atom = stow_sequences_keep(&table->definitions, &w, &is_new);
  free(w.at);
  if (is_new)
    STOW_PUSH(table->atoms,
              (stow_atom){.kind = kind,
                          .low = clamp(r.low),
                          .high = clamp(r.high),
                          .divisor = number,
                          .first_operand = stow_sequences_begin(&table->definitions, atom) + 2,
                          .operand_count = count,
                          .variable = (size_t)number});
  return formula_of_atom(table, atom);
}

static stow_formula atom_of_pair(stow_formulas *table, stow_atom_kind kind, stow_formula a,
                                 stow_formula b) {
  const stow_formula operands[] = {a < b ? a : b, a < b ? b : a};
  return atom_of(table, kind, 0, range_of_operands(table, kind, operands, 2), operands, 2);
}

stow_formula stow_formula_variable(stow_formulas *table, int64_t low, int64_t high) {
  return atom_of(table, STOW_ATOM_VARIABLE, (int64_t)table->variables++, (range){low, high}, NULL,
                 0);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

static int compare_terms(const void *a, const void *b) {
  const stow_term *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? -1 : 1;
  for (size_t i = 0; i < x->count; ++i)
    if (x->atoms[i] != y->atoms[i])
      return x->atoms[i] < y->atoms[i] ? -1 : 1;
  return 0;
}

// Terms that are about to become a polynomial.
typedef STOW_ARRAY(stow_term) term_list;

// Adds up what is equal but for coefficients. False: a coefficient overflows, or there are too
// many.
static bool normalise(term_list *list, stow_polynomial *out) {
  out->count = 0;
  STOW_SORT(*list, compare_terms);
  for (size_t first = 0, end; first < list->count; first = end) {
    stow_term term = list->at[first];
    for (end = first + 1; end < list->count && compare_terms(&term, &list->at[end]) == 0; ++end)
      if (__builtin_add_overflow(term.coefficient, list->at[end].coefficient, &term.coefficient))
        return false;
    if (term.coefficient == 0)
      continue;
    if (out->count == STOW_MOST_TERMS)
      return false;
    out->terms[out->count++] = term;
  }
  return true;
}

// The formula of these terms, which are freed; STOW_NO_FORMULA where they are no polynomial.
static stow_formula add_up(stow_formulas *table, term_list *list) {
  stow_polynomial p;
  const bool fits = normalise(list, &p);
  free(list->at);
  return fits ? formula_of(table, &p) : STOW_NO_FORMULA;
}

static void add_terms(const stow_formulas *table, stow_formula formula, term_list *list) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  for (size_t t = 0; t < p.count; ++t)
    STOW_PUSH(*list, p.terms[t]);
}

stow_formula stow_formula_number(stow_formulas *table, int64_t number) {
  const stow_polynomial p = {number != 0, {{number, 0, {0}}}};
  return formula_of(table, &p);
}

stow_formula stow_formula_sum(stow_formulas *table, stow_formula a, stow_formula b) {
  term_list list = {0};
  add_terms(table, a, &list);
  add_terms(table, b, &list);
  const stow_formula sum = add_up(table, &list);
  return sum != STOW_NO_FORMULA ? sum : atom_of_pair(table, STOW_ATOM_SUM, a, b);
}

// What is 0 or 1 is its own square.
static bool is_own_square(const stow_formulas *table, int32_t atom) {
  return table->atoms.at[atom].low >= 0 && table->atoms.at[atom].high <= 1;
}

static bool multiply_terms(const stow_formulas *table, const stow_term *a, const stow_term *b,
                           stow_term *out) {
  if (__builtin_mul_overflow(a->coefficient, b->coefficient, &out->coefficient))
    return false;
  size_t i = 0, j = 0;
  for (out->count = 0; i < a->count || j < b->count;) {
    const bool first = j == b->count || (i < a->count && a->atoms[i] <= b->atoms[j]);
    const int32_t atom = first ? a->atoms[i++] : b->atoms[j++];
    if (out->count > 0 && out->atoms[out->count - 1] == atom && is_own_square(table, atom))
      continue;
    if (out->count == STOW_MOST_FACTORS)
      return false;
    out->atoms[out->count++] = atom;
  }
  return true;
}

stow_formula stow_formula_product(stow_formulas *table, stow_formula a, stow_formula b) {
  const stow_polynomial p = stow_formula_terms(table, a), q = stow_formula_terms(table, b);
  term_list list = {0};
  bool fits = true;
  for (size_t i = 0; i < p.count; ++i)
    for (size_t j = 0; j < q.count && fits; ++j) {
      stow_term term = {0};
      fits = multiply_terms(table, &p.terms[i], &q.terms[j], &term);
      STOW_PUSH(list, term);
    }
  stow_formula product = STOW_NO_FORMULA;
  if (fits)
    product = add_up(table, &list);
  else
    free(list.at);
  return product != STOW_NO_FORMULA ? product : atom_of_pair(table, STOW_ATOM_PRODUCT, a, b);
}

stow_formula stow_formula_scaled(stow_formulas *table, stow_formula a, int64_t factor) {
  return stow_formula_product(table, a, stow_formula_number(table, factor));
}

stow_formula stow_formula_inverted(stow_formulas *table, stow_formula bit) {
  const stow_formula one = stow_formula_number(table, 1);
  const stow_formula inverted = stow_formula_sum(table, one, stow_formula_scaled(table, bit, -1));
  int64_t number;
  return stow_formula_is_number(table, inverted, &number)
             ? inverted
             : atom_of(table, STOW_ATOM_INVERTED, 0, range_of(table, inverted), &bit, 1);
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

stow_formula stow_formula_quotient(stow_formulas *table, stow_formula a, int64_t divisor) {
  assert(divisor > 0);
  const stow_polynomial p = stow_formula_terms(table, a);
  stow_polynomial whole = {0}, rest = {0}; // a = divisor * whole + rest
  for (size_t t = 0; t < p.count; ++t) {
    const stow_term *term = &p.terms[t];
    const bool divides = term->coefficient % divisor == 0;
    if (divides || term->count == 0) {
      stow_term *of_whole = &whole.terms[whole.count];
      *of_whole = *term;
      of_whole->coefficient = stow_ir_rounded_down(term->coefficient, divisor);
      whole.count += of_whole->coefficient != 0;
    }
    if (!divides) {
      stow_term *of_rest = &rest.terms[rest.count++];
      *of_rest = *term;
      if (term->count == 0)
        of_rest->coefficient = term->coefficient % divisor + (term->coefficient < 0 ? divisor : 0);
    }
  }
  const stow_formula exact = formula_of(table, &whole), left = formula_of(table, &rest);
  int64_t number;
  if (stow_formula_is_number(table, left, &number)) // less than the divisor
    return exact;
  const stow_formula quotient =
      atom_of(table, STOW_ATOM_QUOTIENT, divisor, range_of_quotient(range_of(table, left), divisor),
              &left, 1);
  return stow_formula_sum(table, exact, quotient);
}

stow_formula stow_formula_rounded(stow_formulas *table, stow_formula a, int64_t unit) {
  const stow_formula up = stow_formula_sum(table, a, stow_formula_number(table, unit - 1));
  return stow_formula_scaled(table, stow_formula_quotient(table, up, unit), unit);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static bool at_most(stow_formulas *table, stow_formula a, stow_formula b, int depth);

bool stow_formula_is_number(const stow_formulas *table, stow_formula formula, int64_t *out) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  *out = p.count ? p.terms[0].coefficient : 0;
  return p.count == 0 || (p.count == 1 && p.terms[0].count == 0);
}

static bool is_positive_everywhere(const stow_formulas *table, const stow_term *term) {
  for (size_t i = 0; i < term->count; ++i)
    if (table->atoms.at[term->atoms[i]].low < 0)
      return false;
  return true;
}

// The least that the atoms of `more` are times the atoms of `less`: what both have cancels, the
// rest counts with its limits. As a fraction, with `out_below` 0 where nothing is known.
static void compare_factors(const stow_formulas *table, const stow_term *more,
                            const stow_term *less, wide *out_above, wide *out_below) {
  size_t i = 0, j = 0;
  *out_above = *out_below = 1;
  while (i < more->count || j < less->count) {
    if (i < more->count && j < less->count && more->atoms[i] == less->atoms[j]) {
      ++i;
      ++j;
    } else if (j == less->count || (i < more->count && more->atoms[i] < less->atoms[j])) {
      *out_above = times(*out_above, range_of_atom(table, more->atoms[i++]).low);
    } else {
      *out_below = times(*out_below, range_of_atom(table, less->atoms[j++]).high);
    }
  }
  *out_above = *out_above > MOST ? MOST : *out_above;
  *out_below = *out_below > MOST ? 0 : *out_below;
}

// Whether `more` is an atom that is never below the atom `less`: both quotients, say.
static bool is_atom_at_most(stow_formulas *table, const stow_term *less, const stow_term *more,
                            int depth) {
  if (less->count != 1 || more->count != 1 || depth == 0)
    return false;
  const stow_atom a = table->atoms.at[less->atoms[0]], b = table->atoms.at[more->atoms[0]];
  return a.kind == STOW_ATOM_QUOTIENT && b.kind == STOW_ATOM_QUOTIENT && a.divisor == b.divisor &&
         at_most(table, stow_atom_operand(table, &a, 0), stow_atom_operand(table, &b, 0),
                 depth - 1);
}

// Takes away from a positive term what makes up for a negative one, and tells whether that was all
// of it.
static bool make_up(stow_formulas *table, stow_term *negative, stow_term *positive, int depth) {
  wide above, below;
  compare_factors(table, positive, negative, &above, &below);
  if (is_atom_at_most(table, negative, positive, depth))
    above = below = 1;
  if (below == 0 || above == 0)
    return false;
  // positive >= coefficient * above / below * (negative's atoms)
  const wide need = -(wide)negative->coefficient * below;
  const wide has = (wide)positive->coefficient * above;
  if (has >= need) {
    positive->coefficient -= (int64_t)((need + above - 1) / above);
    return true;
  }
  negative->coefficient += (int64_t)(has / below);
  positive->coefficient = 0;
  return false;
}

static bool makes_up(stow_formulas *table, stow_polynomial *p, stow_term *negative, int depth) {
  for (size_t t = p->count; t-- > 0;) // the number last: it fits everywhere
    if (p->terms[t].coefficient > 0 && is_positive_everywhere(table, &p->terms[t]) &&
        make_up(table, negative, &p->terms[t], depth))
      return true;
  return false;
}

static bool is_never_negative(stow_formulas *table, stow_polynomial p, int depth) {
  for (size_t t = 0; t < p.count; ++t)
    if (!is_positive_everywhere(table, &p.terms[t]))
      return false;
  for (size_t t = p.count; t-- > 0;)
    if (p.terms[t].coefficient < 0 && !makes_up(table, &p, &p.terms[t], depth))
      return false;
  return true;
}

// The formula with its term `t`, an atom, replaced by that atom's operand `index`.
static stow_formula with_operand(stow_formulas *table, stow_formula formula, size_t t,
                                 size_t index) {
  stow_polynomial p = stow_formula_terms(table, formula);
  const stow_atom atom = table->atoms.at[p.terms[t].atoms[0]];
  memmove(&p.terms[t], &p.terms[t + 1], (--p.count - t) * sizeof *p.terms);
  return stow_formula_sum(table, formula_of(table, &p), stow_atom_operand(table, &atom, index));
}

// A term that is one atom of such a kind; the number of terms where there is none.
static size_t term_of_kind(const stow_formulas *table, const stow_polynomial *p,
                           stow_atom_kind kind) {
  size_t t = 0;
  while (t < p->count && !(p->terms[t].coefficient == 1 && p->terms[t].count == 1 &&
                           table->atoms.at[p->terms[t].atoms[0]].kind == kind))
    ++t;
  return t;
}

// a <= b, where the term of `a` or `b` of such a kind is, in turn, each of its operands: one will
// do, or all must.
static bool at_most_by(stow_formulas *table, stow_formula a, stow_formula b, bool left,
                       stow_atom_kind kind, bool all, int depth) {
  const stow_formula of = left ? a : b;
  const stow_polynomial p = stow_formula_terms(table, of);
  const size_t t = term_of_kind(table, &p, kind);
  const size_t count = t < p.count ? table->atoms.at[p.terms[t].atoms[0]].operand_count : 0;
  if (count == 0 || count > STOW_FORMULA_MOST_OPERANDS || depth == 0)
    return false;
  for (size_t i = 0; i < count; ++i) {
    const stow_formula other = with_operand(table, of, t, i);
    if (at_most(table, left ? other : a, left ? b : other, depth - 1) != all)
      return !all;
  }
  return all;
}

// The polynomial without term `t`, divided by `by`; STOW_NO_FORMULA where that is none.
static stow_formula rest_divided(stow_formulas *table, stow_polynomial p, size_t t, int64_t by) {
  memmove(&p.terms[t], &p.terms[t + 1], (--p.count - t) * sizeof *p.terms);
  for (size_t i = 0; i < p.count; ++i) {
    if (p.terms[i].coefficient % by != 0)
      return STOW_NO_FORMULA;
    p.terms[i].coefficient /= by;
  }
  return formula_of(table, &p);
}

// Whether a polynomial c * k - c * floor(x / d) is never negative: floor(x / d) <= k where
// x <= d * k + d - 1, as k is whole.
static bool exceeds_quotient(stow_formulas *table, stow_polynomial p, int depth) {
  for (size_t t = 0; t < p.count && depth > 0; ++t) {
    const stow_term *term = &p.terms[t];
    if (term->coefficient >= 0 || term->coefficient == INT64_MIN || term->count != 1 ||
        table->atoms.at[term->atoms[0]].kind != STOW_ATOM_QUOTIENT)
      continue;
    const stow_atom quotient = table->atoms.at[term->atoms[0]];
    const stow_formula k = rest_divided(table, p, t, -term->coefficient);
    if (k == STOW_NO_FORMULA)
      continue;
    const stow_formula most =
        stow_formula_sum(table, stow_formula_scaled(table, k, quotient.divisor),
                         stow_formula_number(table, quotient.divisor - 1));
    if (at_most(table, stow_atom_operand(table, &quotient, 0), most, depth - 1))
      return true;
  }
  return false;
}

static bool at_most(stow_formulas *table, stow_formula a, stow_formula b, int depth) {
  if (a == b)
    return true;
  const stow_formula minus = stow_formula_scaled(table, a, -1);
  const stow_formula difference = stow_formula_sum(table, b, minus);
  return is_never_negative(table, stow_formula_terms(table, difference), depth) ||
         exceeds_quotient(table, stow_formula_terms(table, difference), depth) ||
         at_most_by(table, a, b, true, STOW_ATOM_LARGEST, true, depth) ||
         at_most_by(table, a, b, false, STOW_ATOM_SMALLEST, true, depth) ||
         at_most_by(table, a, b, false, STOW_ATOM_LARGEST, false, depth) ||
         at_most_by(table, a, b, true, STOW_ATOM_SMALLEST, false, depth);
}

bool stow_formula_at_most(stow_formulas *table, stow_formula a, stow_formula b) {
  return at_most(table, a, b, STOW_FORMULA_MOST_DEPTH);
}

//===----------------------------------------------------------------------===//
// The largest and the smallest
//===----------------------------------------------------------------------===//

static int compare_formulas(const void *a, const void *b) {
  return (*(const stow_formula *)a > *(const stow_formula *)b) -
         (*(const stow_formula *)a < *(const stow_formula *)b);
}

// An atom of the kind by itself is what its operands are.
static void add_flat(const stow_formulas *table, stow_atom_kind kind, stow_formula formula,
                     stow_formula **out, size_t *count, size_t *capacity) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  const bool alone = p.count == 1 && term_of_kind(table, &p, kind) == 0;
  const stow_atom atom = alone ? table->atoms.at[p.terms[0].atoms[0]] : (stow_atom){0};
  for (size_t i = 0; i < (alone ? atom.operand_count : 1); ++i) {
    *out = stow_ir_grow(*out, *count, capacity, sizeof **out);
    (*out)[(*count)++] = alone ? stow_atom_operand(table, &atom, i) : formula;
  }
}

static bool is_left_out(stow_formulas *table, bool largest, const stow_formula *of, size_t count,
                        size_t which) {
  for (size_t i = 0; i < count; ++i)
    if (i != which && of[i] >= 0 &&
        stow_formula_at_most(table, of[largest ? which : i], of[largest ? i : which]))
      return true;
  return false;
}

static stow_formula extreme(stow_formulas *table, stow_atom_kind kind, const stow_formula *of,
                            size_t of_count) {
  stow_formula *list = NULL;
  size_t count = 0, capacity = 0, kept = 0;
  for (size_t i = 0; i < of_count; ++i)
    add_flat(table, kind, of[i], &list, &count, &capacity);
  stow_ir_sort(list, count, sizeof *list, compare_formulas);
  for (size_t i = 0; i < count; ++i)
    if (i == 0 || list[i] != list[i - 1])
      list[kept++] = list[i];
  count = kept;
  kept = 0;
  for (size_t i = 0; i < count && count <= STOW_FORMULA_MOST_COMPARED; ++i)
    if (is_left_out(table, kind == STOW_ATOM_LARGEST, list, count, i))
      list[i] = STOW_NO_FORMULA;
  for (size_t i = 0; i < count; ++i)
    if (list[i] != STOW_NO_FORMULA)
      list[kept++] = list[i];
  const stow_formula result =
      kept == 1 ? list[0]
                : atom_of(table, kind, 0, range_of_operands(table, kind, list, kept), list, kept);
  free(list);
  return result;
}

stow_formula stow_formula_largest(stow_formulas *table, const stow_formula *of, size_t count) {
  return extreme(table, STOW_ATOM_LARGEST, of, count);
}

stow_formula stow_formula_smallest(stow_formulas *table, const stow_formula *of, size_t count) {
  return extreme(table, STOW_ATOM_SMALLEST, of, count);
}

//===----------------------------------------------------------------------===//
// One variable
//===----------------------------------------------------------------------===//

// The atoms that a formula is made of, ascending: operands before what is made of them. Until
// end_parts(), `places` of the table has 1 more than the index of each.
static void add_parts(stow_formulas *table, stow_formula formula, stow_atoms *out) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  for (size_t t = 0; t < p.count; ++t)
    for (size_t i = 0; i < p.terms[t].count; ++i)
      if (table->places[p.terms[t].atoms[i]] == 0) {
        table->places[p.terms[t].atoms[i]] = 1;
        STOW_PUSH(*out, p.terms[t].atoms[i]);
      }
}

static stow_atoms parts_of(stow_formulas *table, const stow_formula *formulas, size_t count) {
  stow_atoms found = {0};
  if (table->place_count < table->atoms.count) {
    free(table->places);
    table->place_count = 2 * table->atoms.count;
    table->places = stow_ir_allocate(table->place_count, sizeof *table->places);
  }
  for (size_t f = 0; f < count; ++f)
    add_parts(table, formulas[f], &found);
  for (size_t a = 0; a < found.count; ++a) {
    const stow_atom atom = table->atoms.at[found.at[a]];
    for (size_t i = 0; i < atom.operand_count; ++i)
      add_parts(table, stow_atom_operand(table, &atom, i), &found);
  }
  STOW_SORT(found, compare_formulas);
  for (size_t a = 0; a < found.count; ++a)
    table->places[found.at[a]] = (int32_t)a + 1;
  return found;
}

static void end_parts(stow_formulas *table, const stow_atoms *found) {
  for (size_t a = 0; a < found->count; ++a)
    table->places[found->at[a]] = 0;
}

stow_atoms stow_formula_atoms(stow_formulas *table, const stow_formula *formulas, size_t count) {
  const stow_atoms found = parts_of(table, formulas, count);
  end_parts(table, &found);
  return found;
}

static stow_growth together(stow_growth a, stow_growth b) {
  return a == STOW_STAYS || a == b ? b : b == STOW_STAYS ? a : STOW_VARIES;
}

static stow_growth reversed(stow_growth growth) {
  return growth == STOW_GROWS ? STOW_FALLS : growth == STOW_FALLS ? STOW_GROWS : growth;
}

// Of a product: `negative`, a factor may be.
static stow_growth of_product(stow_growth factors, size_t count, bool negative) {
  return factors == STOW_STAYS || count == 1 || !negative ? factors : STOW_VARIES;
}

static stow_growth growth_of_term(const stow_formulas *table, const stow_term *term,
                                  const stow_growth *atoms) {
  stow_growth growth = STOW_STAYS;
  bool negative = false;
  for (size_t i = 0; i < term->count; ++i) {
    growth = together(growth, atoms[table->places[term->atoms[i]] - 1]);
    negative |= range_of_atom(table, term->atoms[i]).low < 0;
  }
  growth = of_product(growth, term->count, negative);
  return term->coefficient > 0 ? growth : reversed(growth);
}

static stow_growth growth_of(const stow_formulas *table, stow_formula formula,
                             const stow_growth *atoms) {
  const stow_polynomial p = stow_formula_terms(table, formula);
  stow_growth growth = STOW_STAYS;
  for (size_t t = 0; t < p.count; ++t)
    growth = together(growth, growth_of_term(table, &p.terms[t], atoms));
  return growth;
}

static stow_growth growth_of_atom(const stow_formulas *table, const stow_atom *atom,
                                  size_t variable, const stow_growth *atoms) {
  stow_growth growth = STOW_STAYS;
  bool negative = false;
  if (atom->kind == STOW_ATOM_VARIABLE)
    return atom->variable == variable ? STOW_GROWS : STOW_STAYS;
  for (size_t i = 0; i < atom->operand_count; ++i) {
    const stow_formula operand = stow_atom_operand(table, atom, i);
    growth = together(growth, growth_of(table, operand, atoms));
    negative |= range_of(table, operand).low < 0;
  }
  if (atom->kind == STOW_ATOM_PRODUCT)
    return of_product(growth, atom->operand_count, negative);
  return atom->kind == STOW_ATOM_INVERTED ? reversed(growth) : growth;
}

stow_growth stow_formula_growth(stow_formulas *table, stow_formula formula, size_t variable) {
  const stow_atoms found = parts_of(table, &formula, 1);
  stow_growth *atoms = stow_ir_allocate(found.count, sizeof *atoms);
  for (size_t a = 0; a < found.count; ++a)
    atoms[a] = growth_of_atom(table, &table->atoms.at[found.at[a]], variable, atoms);
  const stow_growth growth = growth_of(table, formula, atoms);
  end_parts(table, &found);
  free(found.at);
  free(atoms);
  return growth;
}

typedef struct replacing {
  stow_formulas *table;
  stow_formula *atoms; // what stands for each of the parts
} replacing;

static stow_formula replaced(const replacing *r, stow_formula formula) {
  const stow_polynomial p = stow_formula_terms(r->table, formula);
  stow_formula sum = stow_formula_number(r->table, 0);
  for (size_t t = 0; t < p.count; ++t) {
    stow_formula term = stow_formula_number(r->table, p.terms[t].coefficient);
    for (size_t i = 0; i < p.terms[t].count; ++i)
      term =
          stow_formula_product(r->table, term, r->atoms[r->table->places[p.terms[t].atoms[i]] - 1]);
    sum = stow_formula_sum(r->table, sum, term);
  }
  return sum;
}

static stow_formula replaced_atom(const replacing *r, int32_t index) {
  const stow_atom atom = stow_atom_of(r->table, index);
  const size_t count = atom.operand_count;
  stow_formula result = formula_of_atom(r->table, index);
  if (atom.kind == STOW_ATOM_VARIABLE)
    return result;
  stow_formula *operands = stow_ir_allocate(count, sizeof *operands);
  bool same = true;
  for (size_t i = 0; i < count; ++i) {
    const stow_formula operand = stow_atom_operand(r->table, &atom, i);
    operands[i] = replaced(r, operand);
    same &= operands[i] == operand;
  }
  if (same) {
    free(operands);
    return result;
  }
  if (atom.kind == STOW_ATOM_INVERTED)
    result = stow_formula_inverted(r->table, operands[0]);
  else if (atom.kind == STOW_ATOM_LARGEST || atom.kind == STOW_ATOM_SMALLEST)
    result = extreme(r->table, atom.kind, operands, count);
  else if (atom.kind == STOW_ATOM_QUOTIENT)
    result = stow_formula_quotient(r->table, operands[0], atom.divisor);
  else
    for (size_t i = 0; i < count; ++i)
      result = i == 0                       ? operands[0]
               : atom.kind == STOW_ATOM_SUM ? stow_formula_sum(r->table, result, operands[i])
                                            : stow_formula_product(r->table, result, operands[i]);
  free(operands);
  return result;
}

stow_formula stow_formula_replaced(stow_formulas *table, stow_formula formula, size_t variable,
                                   stow_formula by) {
  const stow_atoms found = parts_of(table, &formula, 1);
  replacing r = {table, stow_ir_allocate(found.count, sizeof *r.atoms)};
  for (size_t a = 0; a < found.count; ++a) {
    const stow_atom atom = stow_atom_of(table, found.at[a]);
    const bool is_it = atom.kind == STOW_ATOM_VARIABLE && atom.variable == variable;
    r.atoms[a] = is_it ? by : replaced_atom(&r, found.at[a]);
  }
  const stow_formula result = replaced(&r, formula);
  end_parts(table, &found);
  free(found.at);
  free(r.atoms);
  return result;
}
