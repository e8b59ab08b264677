//===- formula_test.c - formulas against what they stand for --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random formulas are made twice: in a table, and as a list of steps that is computed in
// 128 bits. Both must give the same numbers, and no number may contradict what the table
// says of ranges and of which formula is the larger.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "ir/formula.h"

#include <stdlib.h>

typedef __int128 wide;

enum { VARIABLES = 4, STEPS = 12, MOST_STEPS = VARIABLES + STEPS, SAMPLES = 20 };

typedef enum kind {
  VARIABLE,
  NUMBER,
  SUM,
  DIFFERENCE,
  INVERTED,
  SCALED,
  PRODUCT,
  QUOTIENT,
  ROUNDED,
  LARGEST,
  SMALLEST,
  KINDS
} kind;

typedef struct step {
  kind kind;
  size_t a, b; // earlier steps
  int64_t number;
  stow_formula formula;
} step;

typedef struct program {
  stow_formulas *table;
  struct {
    int64_t low, high;
  } ranges[VARIABLES];
  step steps[MOST_STEPS];
  size_t count;
} program;

// A step's number; `known` is false where 128 bits do not hold it.
typedef struct value {
  wide number;
  bool known;
} value;

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

static int64_t one_of(test_random *random, const int64_t *numbers, size_t count) {
  return numbers[random_below(random, count)];
}

static int64_t random_number(test_random *random) {
  static const int64_t special[] = {
      0,  1,    -1,        2,         7,         -8,         63,
      64, 4096, INT32_MAX, INT64_MAX, INT64_MIN, -INT64_MAX, INT64_C(1) << 62};
  const uint64_t which = random_below(random, 10);
  if (which == 0)
    return one_of(random, special, sizeof special / sizeof *special);
  return which < 8 ? random_between(random, -9, 9) : random_between(random, -5000, 5000);
}

static void random_range(test_random *random, int64_t *low, int64_t *high) {
  const uint64_t which = random_below(random, 8);
  const int64_t a = random_number(random), b = random_number(random);
  *low = which < 3 ? 0 : which == 3 ? 1 : which == 4 ? INT64_MIN : a < b ? a : b;
  *high = which < 2 ? STOW_UNLIMITED : a < b ? b : a;
  if (*high < *low)
    *high = STOW_UNLIMITED;
}

static stow_formula formula_of(program *p, const step *s) {
  const stow_formula a = p->steps[s->a].formula, b = p->steps[s->b].formula, both[] = {a, b};
  switch (s->kind) {
  case NUMBER:
    return stow_formula_number(p->table, s->number);
  case SUM:
    return stow_formula_sum(p->table, a, b);
  case DIFFERENCE:
    return stow_formula_sum(p->table, a, stow_formula_scaled(p->table, b, -1));
  case INVERTED:
    return stow_formula_inverted(p->table, a);
  case SCALED:
    return stow_formula_scaled(p->table, a, s->number);
  case PRODUCT:
    return stow_formula_product(p->table, a, b);
  case QUOTIENT:
    return stow_formula_quotient(p->table, a, s->number);
  case ROUNDED:
    return stow_formula_rounded(p->table, a, s->number);
  case LARGEST:
    return stow_formula_largest(p->table, both, 2);
  default:
    return stow_formula_smallest(p->table, both, 2);
  }
}

static void add_step(program *p, test_random *random) {
  static const int64_t divisors[] = {1, 2, 3, 4, 7, 8, 64, INT64_MAX, INT64_C(1) << 62};
  step s = {.kind = (kind)(1 + random_below(random, KINDS - 1)),
            .a = random_below(random, p->count),
            .b = random_below(random, p->count),
            .number = random_number(random)};
  if (s.kind == QUOTIENT || s.kind == ROUNDED)
    s.number = divisors[random_below(random, random_below(random, 8) ? 7 : 9)];
  s.formula = formula_of(p, &s);
  p->steps[p->count++] = s;
}

static void make_program(program *p, uint64_t seed) {
  test_random random = {seed * 7919};
  *p = (program){.table = stow_formulas_create()};
  for (; p->count < VARIABLES; ++p->count) {
    random_range(&random, &p->ranges[p->count].low, &p->ranges[p->count].high);
    p->steps[p->count].formula =
        stow_formula_variable(p->table, p->ranges[p->count].low, p->ranges[p->count].high);
  }
  while (p->count < MOST_STEPS)
    add_step(p, &random);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static int64_t within(int64_t number, int64_t low, int64_t high) {
  return number < low ? low : number > high ? high : number;
}

// The ends, close to them, close to zero, anywhere.
static int64_t random_value(test_random *random, int64_t low, int64_t high) {
  const int64_t near = (int64_t)random_below(random, 4);
  int64_t number = random_between(random, -3, 3);
  switch (random_below(random, 6)) {
  case 0:
    return low;
  case 1:
    return high;
  case 2:
    number = low > INT64_MAX - near ? high : low + near;
    break;
  case 3:
    number = high < INT64_MIN + near ? low : high - near;
    break;
  case 4:
    number = (int64_t)(random_next(random) >> random_below(random, 63));
    break;
  default:
    break;
  }
  return within(random_below(random, 2) ? number : within(number, -1000, 1000), low, high);
}

static wide quotient(wide a, wide b) { return a / b - (a % b < 0); }

static value compute(const step *s, value a, value b) {
  const wide n = s->number;
  wide c = 0;
  bool known = a.known && b.known;
  switch (s->kind) {
  case NUMBER:
    return (value){n, true};
  case SUM:
    known &= !__builtin_add_overflow(a.number, b.number, &c);
    break;
  case DIFFERENCE:
    known &= !__builtin_sub_overflow(a.number, b.number, &c);
    break;
  case INVERTED:
    known = a.known && !__builtin_sub_overflow((wide)1, a.number, &c);
    break;
  case SCALED:
    known = a.known && !__builtin_mul_overflow(a.number, n, &c);
    break;
  case PRODUCT:
    known &= !__builtin_mul_overflow(a.number, b.number, &c);
    break;
  case QUOTIENT:
    return (value){quotient(a.number, n), a.known};
  case ROUNDED:
    known = a.known && !__builtin_add_overflow(a.number, n - 1, &c) &&
            !__builtin_mul_overflow(quotient(c, n), n, &c);
    break;
  case LARGEST:
    c = a.number > b.number ? a.number : b.number;
    break;
  default:
    c = a.number < b.number ? a.number : b.number;
  }
  return (value){known ? c : 0, known};
}

static void compute_all(const program *p, const int64_t *variables, value *out) {
  for (size_t i = 0; i < p->count; ++i)
    out[i] = i < VARIABLES ? (value){variables[i], true}
                           : compute(&p->steps[i], out[p->steps[i].a], out[p->steps[i].b]);
}

typedef struct sample {
  int64_t variables[VARIABLES];
  value values[MOST_STEPS];
} sample;

static void make_samples(const program *p, uint64_t seed, sample *out) {
  test_random random = {seed * 104729 + 1};
  for (size_t i = 0; i < SAMPLES; ++i) {
    for (size_t v = 0; v < VARIABLES; ++v)
      out[i].variables[v] = random_value(&random, p->ranges[v].low, p->ranges[v].high);
    compute_all(p, out[i].variables, out[i].values);
  }
}

//===----------------------------------------------------------------------===//
// Random formulas
//===----------------------------------------------------------------------===//

// How many formulas were compared, and how many claims tried.
static struct {
  size_t values, claims, growths, replaced;
} tried;

static void check_values(const program *p, const sample *s) {
  int64_t *atoms = calloc(stow_atom_count(p->table), sizeof *atoms), number;
  stow_ir_evaluate_atoms(p->table, s->variables, 0, atoms);
  for (size_t i = 0; i < p->count; ++i)
    if (s->values[i].known && stow_ir_evaluate(p->table, atoms, p->steps[i].formula, &number)) {
      CHECK(s->values[i].number == number);
      ++tried.values;
    }
  free(atoms);
}

static void check_range(const program *p, size_t i, const sample *samples) {
  int64_t low, high;
  stow_formula_range(p->table, p->steps[i].formula, &low, &high);
  for (size_t s = 0; s < SAMPLES; ++s)
    if (samples[s].values[i].known) {
      CHECK(low == INT64_MIN || samples[s].values[i].number >= low);
      CHECK(high == STOW_UNLIMITED || samples[s].values[i].number <= high);
    }
}

static void check_order(const program *p, size_t i, size_t j, const sample *samples) {
  if (i == j || !stow_formula_at_most(p->table, p->steps[i].formula, p->steps[j].formula))
    return;
  ++tried.claims;
  for (size_t s = 0; s < SAMPLES; ++s)
    if (samples[s].values[i].known && samples[s].values[j].known)
      CHECK(samples[s].values[i].number <= samples[s].values[j].number);
}

static void check_number(const program *p, size_t i, const sample *s) {
  int64_t number;
  if (stow_formula_is_number(p->table, p->steps[i].formula, &number) && s->values[i].known)
    CHECK(s->values[i].number == number);
}

// With another value of one variable, within its range.
static void change(const program *p, const sample *s, size_t v, int64_t number, sample *out) {
  *out = *s;
  out->variables[v] = number;
  compute_all(p, out->variables, out->values);
}

static void check_growth(const program *p, size_t i, size_t v, const sample *samples) {
  const stow_growth growth = stow_formula_growth(p->table, p->steps[i].formula, v);
  if (growth == STOW_VARIES)
    return;
  for (size_t s = 0; s + 1 < SAMPLES; ++s) {
    const int64_t one = samples[s].variables[v], other = samples[s + 1].variables[v];
    sample more;
    change(p, &samples[s], v, one > other ? one : other, &more);
    if (!samples[s].values[i].known || !more.values[i].known)
      continue;
    CHECK(growth == STOW_FALLS || samples[s].values[i].number <= more.values[i].number);
    CHECK(growth == STOW_GROWS || samples[s].values[i].number >= more.values[i].number);
    tried.growths += one < other;
  }
}

static void check_replaced(const program *p, size_t i, size_t v, size_t by, const sample *s) {
  sample with;
  const value number = s->values[by];
  if (!number.known || number.number < p->ranges[v].low || number.number > p->ranges[v].high)
    return;
  const stow_formula replaced =
      stow_formula_replaced(p->table, p->steps[i].formula, v, p->steps[by].formula);
  int64_t *atoms = calloc(stow_atom_count(p->table), sizeof *atoms), result;
  change(p, s, v, (int64_t)number.number, &with);
  stow_ir_evaluate_atoms(p->table, s->variables, 0, atoms);
  if (with.values[i].known && stow_ir_evaluate(p->table, atoms, replaced, &result)) {
    CHECK(result == with.values[i].number);
    ++tried.replaced;
  }
  free(atoms);
}

static void random_formulas_change_with_a_variable(void) {
  tried.growths = tried.replaced = 0;
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    program p;
    sample samples[SAMPLES];
    make_program(&p, seed);
    make_samples(&p, seed, samples);
    test_note("seed %" PRIu64, seed);
    for (size_t i = VARIABLES; i < p.count; ++i)
      for (size_t v = 0; v < VARIABLES; ++v) {
        check_growth(&p, i, v, samples);
        check_replaced(&p, i, v, (i + seed) % p.count, &samples[seed % SAMPLES]);
      }
    stow_formulas_free(p.table);
  }
  test_note(NULL);
  CHECK(tried.growths > 5000 / TEST_STEP);
  CHECK(tried.replaced > 5000 / TEST_STEP);
}

static void random_formulas_are_what_they_say(void) {
  tried.values = tried.claims = 0;
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    program p;
    sample samples[SAMPLES];
    make_program(&p, seed);
    make_samples(&p, seed, samples);
    test_note("seed %" PRIu64, seed);
    for (size_t s = 0; s < SAMPLES; ++s)
      check_values(&p, &samples[s]);
    for (size_t i = 0; i < p.count; ++i) {
      check_range(&p, i, samples);
      check_number(&p, i, &samples[0]);
      for (size_t j = 0; j < p.count; ++j)
        check_order(&p, i, j, samples);
    }
    stow_formulas_free(p.table);
  }
  test_note(NULL);
  CHECK(tried.values > 400000 / TEST_STEP);
  CHECK(tried.claims > 100000 / TEST_STEP);
}

//===----------------------------------------------------------------------===//
// Equal formulas
//===----------------------------------------------------------------------===//

static stow_formula largest_of(stow_formulas *t, stow_formula a, stow_formula b) {
  return stow_formula_largest(t, (const stow_formula[]){a, b}, 2);
}

static stow_formula smallest_of(stow_formulas *t, stow_formula a, stow_formula b) {
  return stow_formula_smallest(t, (const stow_formula[]){a, b}, 2);
}

// What is made of either order, or by other ways to the same polynomial.
static void check_laws(stow_formulas *t, stow_formula a, stow_formula b, stow_formula c) {
  const stow_formula ab = stow_formula_sum(t, a, b);
  CHECK_EQ(stow_formula_sum(t, b, a), ab);
  CHECK_EQ(stow_formula_product(t, b, a), stow_formula_product(t, a, b));
  CHECK_EQ(largest_of(t, a, b), largest_of(t, b, a));
  CHECK_EQ(smallest_of(t, a, b), smallest_of(t, b, a));
  CHECK_EQ(largest_of(t, a, a), a);
  CHECK_EQ(stow_formula_sum(t, ab, c), stow_formula_sum(t, a, stow_formula_sum(t, b, c)));
  CHECK_EQ(stow_formula_product(t, ab, c),
           stow_formula_sum(t, stow_formula_product(t, a, c), stow_formula_product(t, b, c)));
  CHECK_EQ(stow_formula_sum(t, ab, stow_formula_scaled(t, b, -1)), a);
  CHECK_EQ(stow_formula_sum(t, a, a), stow_formula_scaled(t, a, 2));
  CHECK_EQ(stow_formula_scaled(t, stow_formula_scaled(t, a, 3), 5), stow_formula_scaled(t, a, 15));
  const stow_formula more =
      stow_formula_sum(t, stow_formula_scaled(t, a, 8), stow_formula_number(t, -3));
  CHECK_EQ(stow_formula_quotient(t, more, 8), stow_formula_sum(t, a, stow_formula_number(t, -1)));
  CHECK(stow_formula_at_most(t, a, a));
  CHECK(stow_formula_at_most(t, a, largest_of(t, a, b)));
  CHECK(stow_formula_at_most(t, smallest_of(t, a, b), a));
}

// A sum of at most three terms, over atoms of every kind.
static stow_formula random_small(stow_formulas *t, test_random *random, stow_formula *known,
                                 size_t count) {
  stow_formula sum = stow_formula_number(t, random_between(random, -20, 20));
  for (int i = 0; i < 2; ++i)
    sum = stow_formula_sum(t, sum,
                           stow_formula_scaled(t, known[random_below(random, count)],
                                               random_between(random, -20, 20)));
  return sum;
}

static void equal_formulas_have_equal_indices(void) {
  for (uint64_t seed = 0; seed < 3000; seed += TEST_STEP) {
    test_random random = {seed};
    stow_formulas *t = stow_formulas_create();
    stow_formula known[6];
    for (size_t i = 0; i < 3; ++i)
      known[i] = stow_formula_variable(t, i ? INT64_MIN : 0, STOW_UNLIMITED);
    known[3] = stow_formula_quotient(t, known[0], 7);
    known[4] = largest_of(t, known[0], known[1]);
    known[5] = stow_formula_product(t, known[1], known[2]);
    const stow_formula a = random_small(t, &random, known, 6),
                       b = random_small(t, &random, known, 6),
                       c = random_small(t, &random, known, 6);
    test_note("seed %" PRIu64, seed);
    check_laws(t, a, b, c);
    stow_formulas_free(t);
  }
  test_note(NULL);
}

static void nested_extremes_are_one(void) {
  stow_formulas *t = stow_formulas_create();
  stow_formula v[4];
  for (size_t i = 0; i < 4; ++i)
    v[i] = stow_formula_variable(t, 0, STOW_UNLIMITED);
  const stow_formula all = stow_formula_largest(t, v, 4);
  CHECK_EQ(largest_of(t, largest_of(t, v[3], v[1]), largest_of(t, v[0], v[2])), all);
  CHECK_EQ(largest_of(t, all, smallest_of(t, v[0], v[1])), all);
  CHECK_EQ(largest_of(t, v[0], stow_formula_sum(t, v[0], v[1])), stow_formula_sum(t, v[0], v[1]));
  stow_formulas_free(t);
}

// What makes up for one negative term is not there for the next.
static void a_term_is_used_once(void) {
  stow_formulas *t = stow_formulas_create();
  const stow_formula n = stow_formula_variable(t, 0, STOW_UNLIMITED),
                     k = stow_formula_variable(t, 1, STOW_UNLIMITED),
                     v = stow_formula_variable(t, 0, 1), w = stow_formula_variable(t, 0, 1);
  const stow_formula most =
      stow_formula_sum(t, stow_formula_scaled(t, n, 2), stow_formula_product(t, n, k));
  const stow_formula three = stow_formula_scaled(t, stow_formula_product(t, n, v), 3);
  CHECK(stow_formula_at_most(t, three, most));
  CHECK(!stow_formula_at_most(t, stow_formula_sum(t, three, stow_formula_product(t, n, w)), most));
  stow_formulas_free(t);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

// The value of the last formula for given variables; false where it overflows.
static bool evaluate(const stow_formulas *t, const int64_t *variables, stow_formula formula,
                     int64_t *out) {
  int64_t *atoms = calloc(stow_atom_count(t) + 1, sizeof *atoms);
  stow_ir_evaluate_atoms(t, variables, 0, atoms);
  const bool ok = stow_ir_evaluate(t, atoms, formula, out);
  free(atoms);
  return ok;
}

static void long_sums_and_products_become_atoms(void) {
  enum { MANY = 100 };
  stow_formulas *t = stow_formulas_create();
  int64_t values[MANY], number, expected = 0;
  stow_formula sum = stow_formula_number(t, 0), product = stow_formula_number(t, 1);
  for (int64_t i = 0; i < MANY; ++i) {
    const stow_formula v = stow_formula_variable(t, 0, STOW_UNLIMITED);
    values[i] = i % 7 + 1;
    sum = stow_formula_sum(t, sum, stow_formula_scaled(t, v, i + 1));
    product = i < 15 ? stow_formula_product(t, product, v) : product;
    expected += (i + 1) * values[i];
  }
  CHECK(evaluate(t, values, sum, &number));
  CHECK_EQ(number, expected);
  CHECK(evaluate(t, values, product, &number));
  CHECK_EQ(number, 5040LL * 5040);
  const stow_formula square = stow_formula_product(t, sum, sum);
  CHECK(evaluate(t, values, square, &number));
  CHECK_EQ(number, expected * expected);
  CHECK(!stow_formula_at_most(t, stow_formula_sum(t, sum, product), sum));
  stow_formulas_free(t);
}

static void coefficients_that_overflow_become_atoms(void) {
  stow_formulas *t = stow_formulas_create();
  int64_t number;
  const stow_formula x = stow_formula_variable(t, -9, 9), most = stow_formula_number(t, INT64_MAX),
                     least = stow_formula_number(t, INT64_MIN);
  const stow_formula huge = stow_formula_scaled(t, stow_formula_scaled(t, x, INT64_MAX), INT64_MAX),
                     twice = stow_formula_sum(t, stow_formula_scaled(t, x, INT64_MAX),
                                              stow_formula_scaled(t, x, INT64_MAX)),
                     negated = stow_formula_scaled(t, least, -1);
  CHECK(!evaluate(t, (const int64_t[]){1}, twice, &number));
  CHECK(!evaluate(t, (const int64_t[]){1}, huge, &number));
  CHECK(!stow_formula_is_number(t, negated, &number));
  CHECK(!stow_formula_is_number(t, stow_formula_sum(t, most, most), &number));
  CHECK(!stow_formula_at_most(t, negated, most));
  CHECK(!stow_formula_at_most(t, x, stow_formula_scaled(t, x, 2)));
  stow_formulas_free(t);
}

// Sums that have left 64 bits for a moment, and limits that are the ends of 64 bits.
static void ranges_at_the_ends_of_64_bits(void) {
  stow_formulas *t = stow_formulas_create();
  int64_t low, high;
  const stow_formula any = stow_formula_variable(t, INT64_MIN, STOW_UNLIMITED),
                     one = stow_formula_variable(t, 1, STOW_UNLIMITED),
                     big = stow_formula_variable(t, INT64_C(1) << 62, INT64_C(1) << 62),
                     top = stow_formula_variable(t, INT64_MAX, INT64_MAX);
  stow_formula_range(t, stow_formula_sum(t, any, stow_formula_scaled(t, one, INT64_MAX)), &low,
                     &high);
  CHECK_EQ(low, INT64_MIN);
  CHECK_EQ(high, STOW_UNLIMITED);
  const stow_formula many[] = {big, big, stow_formula_scaled(t, any, -1)};
  stow_formula_range(t, stow_formula_sum(t, stow_formula_sum(t, many[0], many[1]), many[2]), &low,
                     &high);
  CHECK_EQ(low, INT64_MIN);
  CHECK_EQ(high, STOW_UNLIMITED);
  stow_formula_range(t, stow_formula_scaled(t, top, -1), &low, &high);
  CHECK_EQ(low, INT64_MIN);
  CHECK_EQ(high, -INT64_MAX);
  stow_formulas_free(t);
}

static void a_product_has_a_limit(void) {
  stow_formulas *t = stow_formulas_create();
  int64_t low, high;
  const stow_formula n = stow_formula_variable(t, 0, STOW_UNLIMITED),
                     m = stow_formula_variable(t, 0, STOW_UNLIMITED),
                     product = stow_formula_product(t, n, m);
  stow_formula_limit(t, stow_formula_scaled(t, product, 4), 1003);
  stow_formula_limit(t, stow_formula_sum(t, n, m), 1);
  stow_formula_range(t, stow_formula_scaled(t, product, 8), &low, &high);
  CHECK_EQ(low, 0);
  CHECK_EQ(high, 2000);
  stow_formula_range(t, stow_formula_scaled(t, product, -1), &low, &high);
  CHECK_EQ(low, -250);
  CHECK_EQ(high, 0);
  stow_formula_range(t, n, &low, &high);
  CHECK_EQ(low, 0);
  CHECK_EQ(high, STOW_UNLIMITED);
  stow_formula_range(t, stow_formula_product(t, product, n), &low, &high);
  CHECK_EQ(high, STOW_UNLIMITED);
  stow_formulas_free(t);
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

static void quotients_round_down(void) {
  stow_formulas *t = stow_formulas_create();
  static const int64_t divisors[] = {1, 2, 3, 7, 64, INT64_C(1) << 60},
                       offsets[] = {0, 1, -1, 5, -8, 63};
  int64_t number;
  const stow_formula x = stow_formula_variable(t, -100, 100);
  for (size_t d = 0; d < sizeof divisors / sizeof *divisors; ++d)
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; ++o) {
      const stow_formula of =
          stow_formula_sum(t, stow_formula_scaled(t, x, 3), stow_formula_number(t, offsets[o]));
      const stow_formula q = stow_formula_quotient(t, of, divisors[d]);
      for (int64_t v = -100; v <= 100; ++v) {
        CHECK(evaluate(t, &v, q, &number));
        CHECK_EQ(number, quotient(3 * v + offsets[o], divisors[d]));
      }
    }
  stow_formulas_free(t);
}

static void quotients_of_the_least_number(void) {
  stow_formulas *t = stow_formulas_create();
  int64_t number;
  const stow_formula least = stow_formula_number(t, INT64_MIN);
  CHECK(stow_formula_is_number(t, stow_formula_quotient(t, least, 3), &number));
  CHECK_EQ(number, quotient(INT64_MIN, 3));
  const stow_formula x = stow_formula_variable(t, 0, 10);
  const stow_formula q = stow_formula_quotient(t, stow_formula_sum(t, x, least), 3);
  CHECK(evaluate(t, (const int64_t[]){5}, q, &number));
  CHECK_EQ(number, quotient((wide)INT64_MIN + 5, 3));
  stow_formulas_free(t);
}

static void a_bit_is_its_own_square(void) {
  stow_formulas *t = stow_formulas_create();
  const stow_formula bit = stow_formula_variable(t, 0, 1), n = stow_formula_variable(t, 0, 2);
  const stow_formula not = stow_formula_inverted(t, bit), guarded = stow_formula_product(t, n, bit);
  CHECK_EQ(stow_formula_product(t, guarded, bit), guarded);
  CHECK_EQ(stow_formula_product(t, not, not), not);
  CHECK(stow_formula_product(t, n, n) != n);
  stow_formulas_free(t);
}

TEST_MAIN(TEST(random_formulas_are_what_they_say), TEST(equal_formulas_have_equal_indices),
          TEST(random_formulas_change_with_a_variable), TEST(nested_extremes_are_one),
          TEST(a_term_is_used_once), TEST(long_sums_and_products_become_atoms),
          TEST(coefficients_that_overflow_become_atoms), TEST(ranges_at_the_ends_of_64_bits),
          TEST(a_product_has_a_limit), TEST(quotients_round_down),
          TEST(quotients_of_the_least_number), TEST(a_bit_is_its_own_square))
