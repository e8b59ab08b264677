//===- move_on_edge.c - owners that move to one of several phis -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several owners end where phis begin, and only addresses at run time show which buffer
// each phi is. An owner moves to the first phi that is its buffer; if there is none, it is
// freed. A phi to which no owner moves borrows, if it is a conditional owner. If it must
// own, it gets a clone then, and only then: that is how a clone is *elided*.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"

//===----------------------------------------------------------------------===//
// Logic of bits, with constants folded
//===----------------------------------------------------------------------===//

static bool same(MlirValue a, MlirValue b) { return mlirValueEqual(a, b); }

static MlirValue both(const stow_applier *a, const stow_builder *builder, MlirValue x,
                      MlirValue y) {
  if (same(x, a->bits.yes) || same(y, a->bits.no) || same(x, y))
    return y;
  return same(y, a->bits.yes) || same(x, a->bits.no)
             ? x
             : stow_ir_build_binary(builder, STOW_ARITH_ANDI, x, y);
}

static MlirValue either(const stow_applier *a, const stow_builder *builder, MlirValue x,
                        MlirValue y) {
  return same(x, a->bits.no) ? y : stow_ir_build_binary(builder, STOW_ARITH_ORI, x, y);
}

// `x` and not `y`, which implies it.
static MlirValue less(const stow_applier *a, const stow_builder *builder, MlirValue x,
                      MlirValue y) {
  if (same(x, y))
    return a->bits.no;
  return same(y, a->bits.no) ? x : stow_ir_build_binary(builder, STOW_ARITH_XORI, x, y);
}

//===----------------------------------------------------------------------===//
// Which owner moves to which phi
//===----------------------------------------------------------------------===//

static MlirOperation end_of(const stow_applier *a, const stow_edge_move *edge_move) {
  return edge_move->edge < 0 ? a->sites.ends[edge_move->segment]
                             : mlirBlockGetTerminator(a->detours[edge_move->edge]);
}

// Whether a forwarded operand is the owner's buffer.
static MlirValue is_buffer_of(const stow_applier *a, const stow_builder *builder, int32_t f,
                              int32_t owner) {
  MlirValue value = a->sites.values[a->domain->forwarded.at[f].ref];
  MlirValue owned = a->sites.values[owner];
  if (mlirValueEqual(value, owned))
    return a->bits.yes;
  MlirValue address = stow_dealloc_make_address(builder, owned);
  return stow_ir_build_compare(builder, STOW_EQUAL, address,
                               stow_dealloc_make_address(builder, value));
}

// Moves the owner to the phi of a forwarded operand, if it is there; gives whether it remains.
static MlirValue take(const stow_applier *a, const stow_builder *builder, int32_t f, int32_t owner,
                      MlirValue remains) {
  MlirValue equal = is_buffer_of(a, builder, f, owner);
  MlirValue open = less(a, builder, a->bits.yes, a->moved[f]);
  MlirValue free = both(a, builder, remains, open);
  MlirValue taken = both(a, builder, free, equal);
  a->moved[f] = either(a, builder, a->moved[f], taken);
  return less(a, builder, remains, taken);
}

static MlirValue move_owner(stow_applier *a, const stow_edge_move *edge_move) {
  const stow_passed *s = &a->domain->passed.at[edge_move->segment];
  MlirOperation before = end_of(a, edge_move);
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  int32_t owner = edge_move->owner;
  MlirValue remains = a->owners->of[owner].conditional
                          ? stow_dealloc_bit_get(&a->bits, &builder, owner)
                          : a->bits.yes;
  for (int32_t f = s->first; f < s->end; ++f) {
    const stow_forwarded *forwarded = &a->domain->forwarded.at[f];
    const stow_own_transfer *t = &a->owners->transfers[f];
    if ((t->on_edge || t->elidable) &&
        stow_dealloc_edge_of(a->domain, forwarded) == edge_move->edge &&
        stow_dealloc_may_stand_for(a->owners, forwarded->ref, owner))
      remains = take(a, &builder, f, owner, remains);
  }
  return remains;
}

void stow_dealloc_move_on_edges(stow_applier *a) {
  for (size_t f = 0; f < a->domain->forwarded.count; ++f)
    a->moved[f] = a->bits.no;
  for (size_t i = 0; i < a->releases->edge_moves.count; ++i)
    a->remains[i] = move_owner(a, &a->releases->edge_moves.at[i]);
}

void stow_dealloc_free_what_did_not_move(const stow_applier *a) {
  for (size_t i = 0; i < a->releases->edge_moves.count; ++i) {
    const stow_edge_move *edge_move = &a->releases->edge_moves.at[i];
    if (!same(a->remains[i], a->bits.no))
      stow_dealloc_make_if(a, edge_move->owner, a->remains[i], end_of(a, edge_move));
  }
}
