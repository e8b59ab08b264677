//===- settle.c - owners that end in one of several targets ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several owners end where targets begin, and only their addresses at run time show
// which buffer each target is. The first target that is the buffer of an owner takes it
// over; a buffer that no target takes over is freed.
//
// A target that takes none over borrows, if it is a conditional owner. If it must own,
// its clone is made then, and only then: that is how a clone is *spared*.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"

//===----------------------------------------------------------------------===//
// Bits, with what is known of them left out
//===----------------------------------------------------------------------===//

static bool same(MlirValue a, MlirValue b) { return mlirValueEqual(a, b); }

static MlirValue both(const stow_applier *a, const stow_builder *builder, MlirValue x,
                      MlirValue y) {
  if (same(x, a->bits.yes) || same(y, a->bits.no) || same(x, y))
    return y;
  return same(y, a->bits.yes) || same(x, a->bits.no)
             ? x
             : stow_make_logic(builder, STOW_ARITH_ANDI, x, y);
}

static MlirValue either(const stow_applier *a, const stow_builder *builder, MlirValue x,
                        MlirValue y) {
  return same(x, a->bits.no) ? y : stow_make_logic(builder, STOW_ARITH_ORI, x, y);
}

// `x` and not `y`, which implies it.
static MlirValue less(const stow_applier *a, const stow_builder *builder, MlirValue x,
                      MlirValue y) {
  if (same(x, y))
    return a->bits.no;
  return same(y, a->bits.no) ? x : stow_make_logic(builder, STOW_ARITH_XORI, x, y);
}

//===----------------------------------------------------------------------===//
// Who takes what
//===----------------------------------------------------------------------===//

static MlirOperation end_of(const stow_applier *a, const stow_settlement *settlement) {
  return settlement->path < 0 ? a->sites.ends[settlement->stretch]
                              : mlirBlockGetTerminator(a->detours[settlement->path]);
}

// Whether the value passed is the owner's buffer.
static MlirValue is_buffer_of(const stow_applier *a, const stow_builder *builder, int32_t h,
                              int32_t owner) {
  MlirValue handed = a->sites.values[a->domain->handovers.at[h].ref];
  MlirValue owned = a->sites.values[owner];
  if (mlirValueEqual(handed, owned))
    return a->bits.yes;
  MlirValue address = stow_make_address(builder, owned);
  return stow_make_equal(builder, address, stow_make_address(builder, handed));
}

// What the target of a handover takes of the owner; gives what then remains of it.
static MlirValue take(const stow_applier *a, const stow_builder *builder, int32_t h, int32_t owner,
                      MlirValue remains) {
  MlirValue equal = is_buffer_of(a, builder, h, owner);
  MlirValue open = less(a, builder, a->bits.yes, a->settled[h]);
  MlirValue free = both(a, builder, remains, open);
  MlirValue taken = both(a, builder, free, equal);
  a->settled[h] = either(a, builder, a->settled[h], taken);
  return less(a, builder, remains, taken);
}

static MlirValue settle_owner(stow_applier *a, const stow_settlement *settlement) {
  const stow_stretch *s = &a->domain->stretches.at[settlement->stretch];
  MlirOperation before = end_of(a, settlement);
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  int32_t owner = settlement->owner;
  MlirValue remains =
      a->owners->conditional[owner] ? stow_bit_get(&a->bits, &builder, owner) : a->bits.yes;
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h) {
    const stow_handover *handover = &a->domain->handovers.at[h];
    const stow_transfer *t = &a->owners->transfers[h];
    if ((t->settles || t->spared) && stow_path_of(a->domain, handover) == settlement->path &&
        stow_may_stand_for(a->owners, handover->ref, owner))
      remains = take(a, &builder, h, owner, remains);
  }
  return remains;
}

void stow_settle_owners(stow_applier *a) {
  for (size_t h = 0; h < a->domain->handovers.count; ++h)
    a->settled[h] = a->bits.no;
  for (size_t i = 0; i < a->releases->settlements.count; ++i)
    a->remains[i] = settle_owner(a, &a->releases->settlements.at[i]);
}

void stow_settle_deallocs(const stow_applier *a) {
  for (size_t i = 0; i < a->releases->settlements.count; ++i) {
    const stow_settlement *settlement = &a->releases->settlements.at[i];
    if (!same(a->remains[i], a->bits.no))
      stow_make_dealloc_if(a, settlement->owner, a->remains[i], end_of(a, settlement));
  }
}
