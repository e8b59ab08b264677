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

#include "dealloc/applier.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static MlirOperation first_op_of(const stow_stretch *stretch) {
  return mlirOperationIsNull(stretch->after) ? mlirBlockGetFirstOperation(stretch->block)
                                             : mlirOperationGetNextInBlock(stretch->after);
}

static MlirOperation place_of(const stow_domain *domain, const stow_release *release) {
  switch (release->spot) {
  case STOW_AFTER_OP:
    return mlirOperationGetNextInBlock(domain->op_at[release->at]);
  case STOW_AT_START:
    return first_op_of(&domain->stretches[release->at]);
  case STOW_BEFORE_END:
    return domain->stretches[release->at].end;
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
  const stow_path *p = &a->domain->paths[path];
  const stow_stretch *from = &a->domain->stretches[p->from];
  MlirLocation location = mlirOperationGetLocation(from->end);
  if (p->empty_region >= 0) {
    const char *yield = stow_op_is(from->end, "scf.if") ? "scf.yield" : "affine.yield";
    a->detours[path] = stow_make_block_with(location, yield);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(from->end, p->empty_region),
                               a->detours[path]);
    return;
  }
  a->detours[path] = stow_make_detour(location, a->domain->stretches[p->to].block);
  insert_after(a->detours[path], from->block);
  mlirOperationSetSuccessor(from->end, p->successor, a->detours[path]);
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

// Whether the bits of some targets must be set.
static bool sets_bits(const stow_applier *a, const stow_handover *h) {
  bool any = false;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    any |= stow_bit_is_set(&a->bits, h, a->domain->passes[p].target);
  return any && a->domain->stretches[h->stretch].reachable;
}

static void mark_by_bit(MlirOperation op) {
  mlirOperationSetDiscardableAttributeByName(op, mlirStringRefCreateFromCString(STOW_BY_BIT),
                                             mlirUnitAttrGet(mlirOperationGetContext(op)));
}

// The source where that took an owner, and a clone otherwise.
static MlirValue make_spared_clone(const stow_builder *builder, MlirValue taken, MlirValue source,
                                   uint64_t alignment) {
  MlirOperation made = stow_make_choice(builder, taken, &source, &source, 1);
  MlirBlock otherwise = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, 1));
  MlirOperation yield = mlirBlockGetTerminator(otherwise);
  stow_builder inside = stow_builder_before(yield, builder->location);
  mlirOperationSetOperand(yield, 0, stow_make_clone(&inside, source, alignment));
  mark_by_bit(made);
  return mlirOperationGetResult(made, 0);
}

static void clone_operand(stow_applier *a, const stow_handover *h, MlirOperation op,
                          intptr_t operand) {
  stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  MlirValue source = mlirOperationGetOperand(op, operand);
  MlirValue taken = a->settled[h - a->domain->handovers];
  uint64_t alignment = stow_clone_alignment(&a->promises, h);
  MlirValue clone = h->spared ? make_spared_clone(&builder, taken, source, alignment)
                              : stow_make_clone(&builder, source, alignment);
  mlirOperationSetOperand(op, operand, clone);
}

static intptr_t argument_number(const stow_domain *domain, int32_t ref) {
  return mlirBlockArgumentGetArgNumber(domain->refs[ref].value);
}

static void make_clone(stow_applier *a, const stow_handover *h) {
  int32_t path = stow_path_of(a->domain, h);
  if (path < 0)
    clone_operand(a, h, a->domain->stretches[h->stretch].end, h->operand);
  else
    clone_operand(a, h, mlirBlockGetTerminator(a->detours[path]),
                  argument_number(a->domain, a->domain->passes[h->pass].target));
}

static void make_clones(stow_applier *a, bool spared) {
  for (size_t i = 0; i < a->domain->handover_count; ++i) {
    const stow_handover *h = &a->domain->handovers[i];
    if (stow_is_copied(a->domain, h) && h->spared == spared)
      make_clone(a, h);
  }
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static MlirOperation make_plain_dealloc(const stow_applier *a, int32_t owner,
                                        MlirOperation before) {
  const stow_ref *ref = &a->domain->refs[owner];
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  bool part = ref->part && stow_is_strided(mlirValueGetType(ref->value));
  return stow_build_dealloc(&builder, part ? stow_make_base(&builder, ref->value) : ref->value);
}

void stow_apply_dealloc_if(const stow_applier *a, int32_t owner, MlirValue bit,
                           MlirOperation before) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  mark_by_bit(make_plain_dealloc(a, owner, stow_make_if(&builder, bit)));
}

static void make_dealloc(const stow_applier *a, size_t release, MlirOperation before) {
  int32_t owner = a->releases->items[release].owner;
  if (!a->owners->conditional[owner]) {
    make_plain_dealloc(a, owner, before);
    return;
  }
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  stow_apply_dealloc_if(a, owner, stow_bit_get(&a->bits, &builder, owner), before);
}

static void make_deallocs(const stow_applier *a, bool after_clones) {
  for (size_t i = 0; i < a->releases->count; ++i) {
    const stow_release *release = &a->releases->items[i];
    bool tied = release->spot == STOW_BEFORE_END || release->spot == STOW_ON_PATH;
    if (tied != after_clones)
      continue;
    bool on_path = release->spot == STOW_ON_PATH;
    make_dealloc(a, i, on_path ? mlirBlockGetTerminator(a->detours[release->at]) : a->before[i]);
  }
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static stow_builder where_bits_are_set(const stow_applier *a, const stow_handover *h) {
  int32_t path = stow_path_of(a->domain, h);
  MlirOperation end =
      path < 0 ? a->domain->stretches[h->stretch].end : mlirBlockGetTerminator(a->detours[path]);
  return stow_builder_before(end, mlirOperationGetLocation(end));
}

static MlirValue bit_of(const stow_applier *a, const stow_handover *h) {
  if (h->manner == STOW_SETTLE)
    return a->settled[h - a->domain->handovers];
  if (h->manner == STOW_CARRY) {
    stow_builder builder = where_bits_are_set(a, h);
    return stow_bit_get(&a->bits, &builder, stow_only_owner(a->owners, h->ref));
  }
  return h->manner == STOW_LEND ? a->bits.no : a->bits.yes;
}

static bool is_set_before(const stow_applier *a, const stow_handover *h, int32_t pass) {
  const int32_t *cell = a->bits.cell;
  for (int32_t p = h->pass; p < pass; ++p)
    if (cell[a->domain->passes[p].target] == cell[a->domain->passes[pass].target])
      return true;
  return false;
}

static void set_bits_of(const stow_applier *a, const stow_handover *h, MlirValue value) {
  stow_builder builder = where_bits_are_set(a, h);
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p) {
    int32_t target = a->domain->passes[p].target;
    if (stow_bit_is_set(&a->bits, h, target) && !is_set_before(a, h, p))
      stow_bit_set(&a->bits, &builder, target, value);
  }
}

// All bits that travel on from the end of a stretch are read before any is set.
static void set_bits_at(const stow_applier *a, const stow_stretch *stretch, MlirValue *values) {
  for (int32_t i = 0; i < stretch->handover_count; ++i)
    if (sets_bits(a, &a->domain->handovers[stretch->handover + i]))
      values[i] = bit_of(a, &a->domain->handovers[stretch->handover + i]);
  for (int32_t i = 0; i < stretch->handover_count; ++i)
    if (sets_bits(a, &a->domain->handovers[stretch->handover + i]))
      set_bits_of(a, &a->domain->handovers[stretch->handover + i], values[i]);
}

static void set_bits(const stow_applier *a) {
  MlirValue *values = stow_allocate(a->domain->handover_count, sizeof *values);
  for (size_t s = 0; s < a->domain->stretch_count; ++s)
    set_bits_at(a, &a->domain->stretches[s], values);
  free(values);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void find_places(stow_applier *a) {
  const stow_domain *domain = a->domain;
  for (size_t i = 0; i < a->releases->count; ++i)
    a->before[i] = place_of(domain, &a->releases->items[i]);
  for (size_t i = 0; i < a->releases->count; ++i)
    if (a->releases->items[i].spot == STOW_ON_PATH)
      put_detour(a, (int32_t)a->releases->items[i].at);
  for (size_t i = 0; i < domain->handover_count; ++i) {
    const stow_handover *h = &domain->handovers[i];
    if ((stow_is_copied(domain, h) || sets_bits(a, h)) && stow_path_of(domain, h) >= 0)
      put_detour(a, stow_path_of(domain, h));
  }
}

void stow_apply_decision(stow_decision *decision, uint64_t largest_promise) {
  stow_make_choices(&decision->domain);
  const stow_domain *domain = &decision->domain;
  stow_applier a = {.domain = domain,
                    .releases = &decision->releases,
                    .owners = &decision->owners,
                    .bits = stow_bits_find(decision),
                    .promises = stow_promises_of(domain, largest_promise),
                    .settled = stow_allocate(domain->handover_count, sizeof *a.settled),
                    .remains =
                        stow_allocate(decision->releases.settlement_count, sizeof *a.remains),
                    .before = stow_allocate(decision->releases.count, sizeof *a.before),
                    .detours = stow_allocate(domain->path_count, sizeof *a.detours)};
  find_places(&a);
  stow_bits_make(&a.bits, decision->releases.settlement_count > 0);
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
  stow_bits_free(&a.bits), stow_promises_free(&a.promises);
}
