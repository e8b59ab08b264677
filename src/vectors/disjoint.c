//===- disjoint.c - memrefs that share no byte ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vectors/disjoint.h"

#include "ir/alias.h"
#include "ir/op.h"
#include "ir/parts.h"
#include "mlir-c/BuiltinTypes.h"

enum {
  MOST_VIEWS = 32,  // from a buffer to its arena
  MOST_SELECTS = 8, // stackings that a proof goes through
  MOST_DEPTH = 8,   // of ops that compute a value
};

//===----------------------------------------------------------------------===//
// Bytes that are disjoint
//===----------------------------------------------------------------------===//

// Of a memref.view, [begin, begin + size).
typedef struct bytes {
  MlirValue begin;
  stow_formula size;
} bytes;

// A formula that is no larger, without some of the quotients: c * floor(x / d) is at least
// c / d * (x - d + 1), where d divides c.
static stow_formula without_quotients(stow_formulas *f, stow_formula number) {
  const stow_polynomial p = stow_formula_terms(f, number);
  for (size_t t = 0; t < p.count; ++t) {
    const stow_term *term = &p.terms[t];
    if (term->count != 1 || term->coefficient <= 0)
      continue;
    const stow_atom atom = stow_atom_of(f, term->atoms[0]);
    if (atom.kind != STOW_ATOM_QUOTIENT || term->coefficient % atom.divisor != 0)
      continue;
    const stow_formula x = stow_atom_operand(f, &atom, 0),
                       quotient = stow_formula_quotient(f, x, atom.divisor),
                       least = stow_formula_sum(f, x, stow_formula_number(f, 1 - atom.divisor));
    number = stow_formula_sum(f, number, stow_formula_scaled(f, quotient, -term->coefficient));
    number = stow_formula_sum(f, number,
                              stow_formula_scaled(f, least, term->coefficient / atom.divisor));
  }
  return number;
}

// Offsets are their formulas modulo 2^64, and both are in one buffer: they are as far from each
// other as the formulas are where that is less than half of what is addressed.
static bool is_distance(const stow_extents *e, stow_formula between, stow_formula size) {
  const uint64_t bits = e->exact->index_bits;
  const int64_t most = bits < 64 ? (INT64_C(1) << bits) / 2 - 1 : INT64_MAX;
  int64_t low, high, least, largest, distance;
  stow_formula_range(e->formulas, between, &low, &high);
  stow_formula_range(e->formulas, size, &least, &largest);
  return !__builtin_add_overflow(high, largest, &distance) && distance < most;
}

static bool ends_before(const stow_extents *e, stow_formula begin, stow_formula size,
                        stow_formula other) {
  stow_formulas *f = e->formulas;
  const stow_formula end = stow_formula_sum(f, begin, size), zero = stow_formula_number(f, 0);
  const stow_formula between = stow_formula_sum(f, other, stow_formula_scaled(f, end, -1));
  return is_distance(e, between, size) &&
         (stow_formula_at_most(f, end, other) ||
          stow_formula_at_most(f, zero, without_quotients(f, between)));
}

static MlirValue side_of(MlirValue selected, intptr_t side) {
  return mlirOperationGetOperand(mlirOpResultGetOwner(selected), 1 + side);
}

// The side of `other`, too, where the same bit decides.
static MlirValue same_side(MlirValue selected, MlirValue other, intptr_t side) {
  const bool same = stow_ir_is_result_of(other, STOW_ARITH_SELECT) &&
                    mlirValueEqual(mlirOperationGetOperand(mlirOpResultGetOwner(selected), 0),
                                   mlirOperationGetOperand(mlirOpResultGetOwner(other), 0));
  return same ? side_of(other, side) : other;
}

// Whichever stacking is taken. `depth`: selects that are left to look through.
static bool bytes_are_disjoint(stow_extents *e, bytes a, bytes b, unsigned depth) {
  if (!stow_ir_is_result_of(a.begin, STOW_ARITH_SELECT)) {
    const bytes c = a;
    a = b;
    b = c;
  }
  if (stow_ir_is_result_of(a.begin, STOW_ARITH_SELECT) && depth > 0) {
    for (intptr_t side = 0; side < 2; ++side)
      if (!bytes_are_disjoint(e, (bytes){side_of(a.begin, side), a.size},
                              (bytes){same_side(a.begin, b.begin, side), b.size}, depth - 1))
        return false;
    return true;
  }
  const stow_formula from_a = stow_ir_read_number(e, a.begin),
                     from_b = stow_ir_read_number(e, b.begin);
  return ends_before(e, from_a, a.size, from_b) || ends_before(e, from_b, b.size, from_a);
}

static bytes bytes_of(stow_extents *e, MlirValue view) {
  return (bytes){mlirOperationGetOperand(mlirOpResultGetOwner(view), 1),
                 stow_ir_read_existing(e, view)};
}

// Both exist where a promise is made of them, and may elsewhere not.
static bool views_are_disjoint(const stow_disjointness *in, MlirValue a, MlirValue b) {
  stow_extents *e = stow_extents_create(in->function, &in->layout, false);
  e->exact = &in->layout;
  const bytes of_a = bytes_of(e, a), of_b = bytes_of(e, b);
  const bool disjoint = of_a.size != STOW_NO_FORMULA && of_b.size != STOW_NO_FORMULA &&
                        bytes_are_disjoint(e, of_a, of_b, MOST_SELECTS);
  stow_extents_free(e);
  return disjoint;
}

//===----------------------------------------------------------------------===//
// Values that are one
//===----------------------------------------------------------------------===//

static bool same_attributes(MlirOperation a, MlirOperation b) {
  const intptr_t count = mlirOperationGetNumAttributes(a);
  if (count != mlirOperationGetNumAttributes(b))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirAttributeEqual(mlirOperationGetAttribute(a, i).attribute,
                            mlirOperationGetAttribute(b, i).attribute))
      return false;
  return true;
}

static bool is_same(MlirValue a, MlirValue b, unsigned depth) {
  if (mlirValueEqual(a, b))
    return true;
  if (depth == 0 || !mlirValueIsAOpResult(a) || !mlirValueIsAOpResult(b) ||
      !mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)))
    return false;
  const MlirOperation one = mlirOpResultGetOwner(a), other = mlirOpResultGetOwner(b);
  const intptr_t count = mlirOperationGetNumOperands(one);
  if (!mlirIdentifierEqual(mlirOperationGetName(one), mlirOperationGetName(other)) ||
      mlirOpResultGetResultNumber(a) != mlirOpResultGetResultNumber(b) ||
      count != mlirOperationGetNumOperands(other) || mlirOperationGetNumRegions(one) > 0 ||
      !stow_bridge_op_is_pure(one) || !same_attributes(one, other))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!is_same(mlirOperationGetOperand(one, i), mlirOperationGetOperand(other, i), depth - 1))
      return false;
  return true;
}

bool stow_vectors_is_same(MlirValue a, MlirValue b) { return is_same(a, b, MOST_DEPTH); }

//===----------------------------------------------------------------------===//
// Buffers that are disjoint
//===----------------------------------------------------------------------===//

// From the arena, which is the first, to a buffer; none of them reaches beyond the one before it.
typedef struct chain {
  MlirValue at[MOST_VIEWS];
  size_t count;
} chain;

static bool chain_of(MlirValue buffer, chain *out) {
  out->count = 0;
  for (; out->count < MOST_VIEWS;
       buffer = mlirOperationGetOperand(mlirOpResultGetOwner(buffer), 0)) {
    out->at[out->count++] = buffer;
    if (!stow_ir_is_view(buffer))
      break;
    if (stow_ir_is_result_of(buffer, STOW_MEMREF_REINTERPRET_CAST))
      return false;
  }
  for (size_t i = 0; 2 * i + 1 < out->count; ++i) {
    const MlirValue last = out->at[out->count - 1 - i];
    out->at[out->count - 1 - i] = out->at[i];
    out->at[i] = last;
  }
  return !stow_ir_is_view(out->at[0]);
}

bool stow_vectors_are_disjoint(const stow_disjointness *in, MlirValue a, MlirValue b) {
  chain to_a, to_b;
  if (!chain_of(a, &to_a) || !chain_of(b, &to_b))
    return false;
  if (!mlirValueEqual(to_a.at[0], to_b.at[0]))
    return !stow_ir_may_alias(to_a.at[0], to_b.at[0], false);
  size_t i = 1;
  while (i < to_a.count && i < to_b.count && mlirValueEqual(to_a.at[i], to_b.at[i]))
    ++i;
  if (i == to_a.count || i == to_b.count)
    return false; // one is a part of the other
  if (!stow_ir_is_result_of(to_a.at[i], STOW_MEMREF_VIEW) ||
      !stow_ir_is_result_of(to_b.at[i], STOW_MEMREF_VIEW))
    return stow_ir_are_disjoint(a, b);
  return views_are_disjoint(in, to_a.at[i], to_b.at[i]);
}
