//===- apply.c - making the clones and the deallocs -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All positions are fixed before the first op is made: each thing to make is told
// the op that it stands before. At the end of a stretch the order is: deallocs of
// what is needed no longer, clones, deallocs of what nobody took (settle.c), clones
// that are only made where nothing was taken, deallocs of what was cloned, bits of
// conditional owners that begin.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"
#include "dealloc/place/place.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static MlirOperation first_op_of(const stow_sites *sites, int64_t stretch) {
  MlirOperation after = sites->after[stretch];
  return mlirOperationIsNull(after) ? mlirBlockGetFirstOperation(sites->blocks[stretch])
                                    : mlirOperationGetNextInBlock(after);
}

static MlirOperation place_of(const stow_sites *sites, const stow_release *release) {
  switch (release->spot) {
  case STOW_AFTER_OP:
    return mlirOperationGetNextInBlock(sites->domain->op_at.at[release->at]);
  case STOW_AT_START:
    return first_op_of(sites, release->at);
  case STOW_BEFORE_END:
    return sites->ends[release->at];
  case STOW_ON_PATH:
    break;
  }
  return (MlirOperation){NULL};
}

static void insert_after(MlirBlock block, MlirBlock reference) {
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(reference), reference, block);
}

static void put_detour(stow_applier *a, int32_t path) {
  if (!mlirBlockIsNull(a->detours[path]))
    return;
  const stow_path *p = &a->domain->paths.at[path];
  MlirOperation end = a->sites.ends[p->from];
  MlirLocation location = mlirOperationGetLocation(end);
  if (p->empty_region >= 0) {
    const stow_op_kind yield = stow_is(end, STOW_SCF_IF) ? STOW_SCF_YIELD : STOW_AFFINE_YIELD;
    a->detours[path] = stow_make_block_with(location, yield);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(end, p->empty_region), a->detours[path]);
    return;
  }
  a->detours[path] = stow_make_detour(location, a->sites.blocks[p->to]);
  insert_after(a->detours[path], a->sites.blocks[p->from]);
  mlirOperationSetSuccessor(end, p->successor, a->detours[path]);
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

// Whether the bits of some targets must be set.
static bool sets_bits(const stow_applier *a, const stow_handover *h) {
  bool any = false;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    any |= stow_bit_is_set(&a->bits, h, a->domain->passes.at[p].target);
  return any && a->domain->stretches.at[h->stretch].reachable;
}

// The source where that took an owner, and a clone otherwise.
static MlirValue make_spared_clone(const stow_builder *builder, MlirValue taken, MlirValue source,
                                   uint64_t alignment) {
  MlirOperation made = stow_make_choice(builder, taken, &source, &source, 1);
  MlirBlock otherwise = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, 1));
  MlirOperation yield = mlirBlockGetTerminator(otherwise);
  stow_builder inside = stow_builder_before(yield, builder->location);
  mlirOperationSetOperand(yield, 0, stow_make_clone(&inside, source, alignment));
  stow_mark_by_bit(made);
  return mlirOperationGetResult(made, 0);
}

static void clone_operand(stow_applier *a, const stow_handover *h, MlirOperation op,
                          intptr_t operand) {
  stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  MlirValue source = mlirOperationGetOperand(op, operand);
  MlirValue taken = a->settled[h - a->domain->handovers.at];
  uint64_t alignment = stow_clone_alignment(&a->promises, h);
  MlirValue clone = stow_transfer_of(a->owners, h)->spared
                        ? make_spared_clone(&builder, taken, source, alignment)
                        : stow_make_clone(&builder, source, alignment);
  mlirOperationSetOperand(op, operand, clone);
}

static intptr_t argument_number(const stow_domain *domain, int32_t ref) {
  return mlirBlockArgumentGetArgNumber(domain->refs.at[ref].value);
}

static void make_clone(stow_applier *a, const stow_handover *h) {
  int32_t path = stow_path_of(a->domain, h);
  if (path < 0)
    clone_operand(a, h, a->sites.ends[h->stretch], h->operand);
  else
    clone_operand(a, h, mlirBlockGetTerminator(a->detours[path]),
                  argument_number(a->domain, a->domain->passes.at[h->pass].target));
}

static void make_clones(stow_applier *a, bool spared) {
  for (size_t i = 0; i < a->domain->handovers.count; ++i) {
    const stow_handover *h = &a->domain->handovers.at[i];
    if (stow_is_copied(a->owners, h) && a->owners->transfers[i].spared == spared)
      make_clone(a, h);
  }
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static void make_deallocs(const stow_applier *a, bool after_clones) {
  for (size_t i = 0; i < a->releases->items.count; ++i) {
    const stow_release *release = &a->releases->items.at[i];
    bool tied = release->spot == STOW_BEFORE_END || release->spot == STOW_ON_PATH;
    if (tied != after_clones)
      continue;
    bool on_path = release->spot == STOW_ON_PATH;
    stow_make_dealloc(a, release->owner,
                      on_path ? mlirBlockGetTerminator(a->detours[release->at]) : a->before[i]);
  }
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static stow_builder where_bits_are_set(const stow_applier *a, const stow_handover *h) {
  int32_t path = stow_path_of(a->domain, h);
  MlirOperation end =
      path < 0 ? a->sites.ends[h->stretch] : mlirBlockGetTerminator(a->detours[path]);
  return stow_builder_before(end, mlirOperationGetLocation(end));
}

static MlirValue bit_of(const stow_applier *a, const stow_handover *h) {
  stow_manner manner = stow_transfer_of(a->owners, h)->manner;
  if (manner == STOW_SETTLE)
    return a->settled[h - a->domain->handovers.at];
  if (manner == STOW_CARRY) {
    stow_builder builder = where_bits_are_set(a, h);
    return stow_bit_get(&a->bits, &builder, stow_only_owner(a->owners, h->ref));
  }
  return manner == STOW_LEND ? a->bits.no : a->bits.yes;
}

static bool is_set_before(const stow_applier *a, const stow_handover *h, int32_t pass) {
  const int32_t *cell = a->bits.cell;
  for (int32_t p = h->pass; p < pass; ++p)
    if (cell[a->domain->passes.at[p].target] == cell[a->domain->passes.at[pass].target])
      return true;
  return false;
}

static void set_bits_of(const stow_applier *a, const stow_handover *h, MlirValue value) {
  stow_builder builder = where_bits_are_set(a, h);
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p) {
    int32_t target = a->domain->passes.at[p].target;
    if (stow_bit_is_set(&a->bits, h, target) && !is_set_before(a, h, p))
      stow_bit_set(&a->bits, &builder, target, value);
  }
}

// All bits that travel on from the end of a stretch are read before any is set.
static void set_bits_at(const stow_applier *a, const stow_stretch *stretch, MlirValue *values) {
  for (int32_t i = 0; i < stretch->handover_count; ++i)
    if (sets_bits(a, &a->domain->handovers.at[stretch->handover + i]))
      values[i] = bit_of(a, &a->domain->handovers.at[stretch->handover + i]);
  for (int32_t i = 0; i < stretch->handover_count; ++i)
    if (sets_bits(a, &a->domain->handovers.at[stretch->handover + i]))
      set_bits_of(a, &a->domain->handovers.at[stretch->handover + i], values[i]);
}

static void set_bits(const stow_applier *a) {
  MlirValue *values = stow_allocate(a->domain->handovers.count, sizeof *values);
  for (size_t s = 0; s < a->domain->stretches.count; ++s)
    set_bits_at(a, &a->domain->stretches.at[s], values);
  free(values);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void find_places(stow_applier *a) {
  const stow_domain *domain = a->domain;
  for (size_t i = 0; i < a->releases->items.count; ++i)
    a->before[i] = place_of(&a->sites, &a->releases->items.at[i]);
  for (size_t i = 0; i < a->releases->items.count; ++i)
    if (a->releases->items.at[i].spot == STOW_ON_PATH)
      put_detour(a, (int32_t)a->releases->items.at[i].at);
  for (size_t i = 0; i < domain->handovers.count; ++i) {
    const stow_handover *h = &domain->handovers.at[i];
    if ((stow_is_copied(a->owners, h) || sets_bits(a, h)) && stow_path_of(domain, h) >= 0)
      put_detour(a, stow_path_of(domain, h));
  }
}

void stow_apply_decision(const stow_decision *decision, uint64_t largest_promise) {
  const stow_domain *domain = &decision->domain;
  stow_applier a = {.domain = domain,
                    .releases = &decision->releases,
                    .owners = &decision->owners,
                    .sites = stow_sites_make(decision),
                    .promises = stow_promises_of(domain, largest_promise),
                    .settled = stow_allocate(domain->handovers.count, sizeof *a.settled),
                    .remains =
                        stow_allocate(decision->releases.settlements.count, sizeof *a.remains),
                    .before = stow_allocate(decision->releases.items.count, sizeof *a.before),
                    .detours = stow_allocate(domain->paths.count, sizeof *a.detours)};
  a.bits = stow_bits_find(decision, &a.sites);
  find_places(&a);
  stow_bits_make(&a.bits, decision->releases.settlements.count > 0);
  make_deallocs(&a, false);
  stow_settle_owners(&a);
  make_clones(&a, false);
  stow_settle_deallocs(&a);
  make_clones(&a, true);
  make_deallocs(&a, true);
  set_bits(&a);
  stow_bits_end(&a.bits);
  stow_erase_dead_selects(decision);
  free(a.before), free(a.detours), free(a.settled), free(a.remains);
  stow_bits_free(&a.bits), stow_promises_free(&a.promises), stow_sites_free(&a.sites);
}
