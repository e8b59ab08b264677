//===- apply.c - making the clones and the deallocs -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op before which each release is made is found before the first op is made. At the
// end of a segment the order is: deallocs of owners that are needed no longer, clones,
// deallocs of owners that move to no phi (move_on_edge.c), clones that may be elided, deallocs
// of what was cloned, bits of the conditional owners that begin.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/applier.h"
#include "dealloc/place/place.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static MlirOperation first_op_of(const stow_sites *sites, int64_t segment) {
  MlirOperation after = sites->after[segment];
  return mlirOperationIsNull(after) ? mlirBlockGetFirstOperation(sites->blocks[segment])
                                    : mlirOperationGetNextInBlock(after);
}

static MlirOperation place_of(const stow_sites *sites, const stow_release *release) {
  switch (release->spot) {
  case STOW_AFTER_OP:
    return mlirOperationGetNextInBlock(sites->domain->control->ops.at[release->at]);
  case STOW_AT_START:
    return first_op_of(sites, release->at);
  case STOW_BEFORE_END:
    return sites->ends[release->at];
  case STOW_ON_EDGE:
    break;
  }
  return (MlirOperation){NULL};
}

static void insert_after(MlirBlock block, MlirBlock reference) {
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(reference), reference, block);
}

static void put_detour(stow_applier *a, int32_t edge) {
  if (!mlirBlockIsNull(a->detours[edge]))
    return;
  const stow_jump *p = &a->domain->edges.at[edge];
  const stow_exit *how = &a->domain->exits.at[edge];
  MlirOperation end = a->sites.ends[p->from];
  MlirLocation location = mlirOperationGetLocation(end);
  if (how->empty_region >= 0) {
    const stow_op_kind yield = stow_ir_is(end, STOW_SCF_IF) ? STOW_SCF_YIELD : STOW_AFFINE_YIELD;
    a->detours[edge] = stow_dealloc_make_block_with(location, yield);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(end, how->empty_region), a->detours[edge]);
    return;
  }
  a->detours[edge] = stow_dealloc_make_detour(location, a->sites.blocks[p->to]);
  insert_after(a->detours[edge], a->sites.blocks[p->from]);
  mlirOperationSetSuccessor(end, how->successor, a->detours[edge]);
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

// Whether the bits of some phis must be set.
static bool sets_bits(const stow_applier *a, const stow_forwarded *f) {
  bool any = false;
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    any |= stow_dealloc_bit_is_set(&a->bits, f, a->domain->incoming.at[p].phi);
  return any;
}

// It is no bufferization.clone, which other passes may replace by its source: here the one may be
// written while the other is alive, and be freed by a phi.
static MlirValue build_clone(const stow_builder *builder, MlirValue source, uint64_t alignment) {
  return stow_ir_build_clone(builder, source, mlirValueGetType(source), alignment);
}

// The source if its owner moves to the phi, else a clone.
static MlirValue make_elidable_clone(const stow_builder *builder, MlirValue taken, MlirValue source,
                                     uint64_t alignment) {
  MlirOperation made = stow_dealloc_make_choice(builder, taken, &source, &source, 1);
  MlirBlock otherwise = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, 1));
  MlirOperation yield = mlirBlockGetTerminator(otherwise);
  stow_builder inside = stow_builder_before(yield, builder->location);
  mlirOperationSetOperand(yield, 0, build_clone(&inside, source, alignment));
  stow_dealloc_mark_by_bit(made);
  return mlirOperationGetResult(made, 0);
}

static void clone_operand(stow_applier *a, const stow_forwarded *f, MlirOperation op,
                          intptr_t operand) {
  stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  MlirValue source = mlirOperationGetOperand(op, operand);
  MlirValue taken = a->moved[f - a->domain->forwarded.at];
  uint64_t alignment = stow_dealloc_clone_alignment(&a->promises, f);
  MlirValue clone = stow_dealloc_transfer_of(a->owners, f)->elidable
                        ? make_elidable_clone(&builder, taken, source, alignment)
                        : build_clone(&builder, source, alignment);
  mlirOperationSetOperand(op, operand, clone);
}

static intptr_t argument_number(const stow_domain *domain, int32_t ref) {
  return mlirBlockArgumentGetArgNumber(domain->refs.at[ref].value);
}

static void make_clone(stow_applier *a, const stow_forwarded *f) {
  int32_t edge = stow_dealloc_edge_of(a->domain, f);
  if (edge < 0)
    clone_operand(a, f, a->sites.ends[f->segment], f->operand);
  else
    clone_operand(a, f, mlirBlockGetTerminator(a->detours[edge]),
                  argument_number(a->domain, a->domain->incoming.at[f->incoming].phi));
}

static void make_clones(stow_applier *a, bool elidable) {
  for (size_t i = 0; i < a->domain->forwarded.count; ++i) {
    const stow_forwarded *f = &a->domain->forwarded.at[i];
    if (stow_dealloc_is_copied(a->owners, f) && a->owners->transfers[i].elidable == elidable)
      make_clone(a, f);
  }
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static void make_deallocs(const stow_applier *a, bool after_clones) {
  for (size_t i = 0; i < a->releases->items.count; ++i) {
    const stow_release *release = &a->releases->items.at[i];
    bool tied = release->spot == STOW_BEFORE_END || release->spot == STOW_ON_EDGE;
    if (tied != after_clones)
      continue;
    bool on_edge = release->spot == STOW_ON_EDGE;
    stow_dealloc_make(a, release->owner,
                      on_edge ? mlirBlockGetTerminator(a->detours[release->at]) : a->before[i]);
  }
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static stow_builder where_bits_are_set(const stow_applier *a, const stow_forwarded *f) {
  int32_t edge = stow_dealloc_edge_of(a->domain, f);
  MlirOperation end =
      edge < 0 ? a->sites.ends[f->segment] : mlirBlockGetTerminator(a->detours[edge]);
  return stow_builder_before(end, mlirOperationGetLocation(end));
}

static MlirValue bit_of(const stow_applier *a, const stow_forwarded *f) {
  stow_transfer_kind kind = stow_dealloc_transfer_of(a->owners, f)->kind;
  if (kind == STOW_MOVE_ON_EDGE)
    return a->moved[f - a->domain->forwarded.at];
  if (kind == STOW_MOVE_OWNED) {
    stow_builder builder = where_bits_are_set(a, f);
    return stow_dealloc_bit_get(&a->bits, &builder, stow_dealloc_only_owner(a->owners, f->ref));
  }
  return kind == STOW_BORROW ? a->bits.no : a->bits.yes;
}

static bool is_set_before(const stow_applier *a, const stow_forwarded *f, int32_t incoming) {
  const int32_t *cell = a->bits.cell;
  for (int32_t p = f->incoming; p < incoming; ++p)
    if (cell[a->domain->incoming.at[p].phi] == cell[a->domain->incoming.at[incoming].phi])
      return true;
  return false;
}

static void set_bits_of(const stow_applier *a, const stow_forwarded *f, MlirValue value) {
  stow_builder builder = where_bits_are_set(a, f);
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p) {
    int32_t phi = a->domain->incoming.at[p].phi;
    if (stow_dealloc_bit_is_set(&a->bits, f, phi) && !is_set_before(a, f, p))
      stow_dealloc_bit_set(&a->bits, &builder, phi, value);
  }
}

// At the end of a segment all bits are read before any is set.
static void set_bits_at(const stow_applier *a, const stow_passed *passed, MlirValue *values) {
  const stow_forwarded *forwarded = a->domain->forwarded.at;
  for (int32_t f = passed->first; f < passed->end; ++f)
    if (sets_bits(a, &forwarded[f]))
      values[f] = bit_of(a, &forwarded[f]);
  for (int32_t f = passed->first; f < passed->end; ++f)
    if (sets_bits(a, &forwarded[f]))
      set_bits_of(a, &forwarded[f], values[f]);
}

static void set_bits(const stow_applier *a) {
  MlirValue *values = stow_ir_allocate(a->domain->forwarded.count, sizeof *values);
  for (size_t s = 0; s < a->domain->segments.count; ++s)
    set_bits_at(a, &a->domain->passed.at[s], values);
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
    if (a->releases->items.at[i].spot == STOW_ON_EDGE)
      put_detour(a, (int32_t)a->releases->items.at[i].at);
  STOW_EACH(const stow_forwarded, f, domain->forwarded)
    if ((stow_dealloc_is_copied(a->owners, f) || sets_bits(a, f)) &&
        stow_dealloc_edge_of(domain, f) >= 0)
      put_detour(a, stow_dealloc_edge_of(domain, f));
}

void stow_dealloc_apply_decision(const stow_decision *decision, uint64_t largest_promise) {
  const stow_domain *domain = &decision->domain;
  stow_applier a = {.domain = domain,
                    .releases = &decision->releases,
                    .owners = &decision->owners,
                    .sites = stow_sites_make(decision),
                    .promises = stow_promises_of(domain, largest_promise),
                    .moved = stow_ir_allocate(domain->forwarded.count, sizeof *a.moved),
                    .remains =
                        stow_ir_allocate(decision->releases.edge_moves.count, sizeof *a.remains),
                    .before = stow_ir_allocate(decision->releases.items.count, sizeof *a.before),
                    .detours = stow_ir_allocate(domain->edges.count, sizeof *a.detours)};
  a.bits = stow_bits_find(decision, &a.sites);
  find_places(&a);
  stow_bits_make(&a.bits, decision->releases.edge_moves.count > 0);
  make_deallocs(&a, false);
  stow_dealloc_move_on_edges(&a);
  make_clones(&a, false);
  stow_dealloc_free_what_did_not_move(&a);
  make_clones(&a, true);
  make_deallocs(&a, true);
  set_bits(&a);
  stow_bits_end(&a.bits);
  stow_dealloc_erase_dead_selects(decision);
  free(a.before);
  free(a.detours);
  free(a.moved);
  free(a.remains);
  stow_bits_free(&a.bits);
  stow_promises_free(&a.promises);
  stow_sites_free(&a.sites);
}
