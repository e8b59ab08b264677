//===- apply.c - making the clones and the deallocs -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All positions are fixed before the first op is made: each thing to make is told
// the op that it stands before. At the end of a stretch the order is: deallocs of
// what is needed no longer, clones, deallocs of what was cloned, bits of conditional
// owners that begin.
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "dealloc/make.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct applier {
  const stow_domain *domain;
  const stow_releases *releases;
  MlirOperation *before; // per release
  MlirBlock *detours;    // per path: the block that was put on it, or null
  const stow_owners *owners;
  MlirValue *bits;    // per ref, of conditional owners: their bits
  MlirValue yes, no;  // constants, where there are bits
  MlirValue *settled; // per handover that settles: whether its target owns
} applier;

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

static void put_detour(applier *a, int32_t path) {
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

static bool has_bit(const stow_domain *domain, const stow_owners *owners, int32_t ref) {
  return owners->conditional[ref] && owners->root[ref] == ref && domain->refs[ref].stretch >= 0;
}

static bool is_conditional(const applier *a, const stow_handover *h) {
  return h->pass_count > 0 && a->domain->stretches[h->stretch].reachable &&
         has_bit(a->domain, a->owners, a->domain->passes[h->pass].target);
}

static bool is_copied(const stow_domain *domain, const stow_handover *h) {
  return h->manner == STOW_COPY && domain->stretches[h->stretch].reachable;
}

static void clone_operand(MlirOperation op, intptr_t operand) {
  stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  mlirOperationSetOperand(op, operand,
                          stow_make_clone(&builder, mlirOperationGetOperand(op, operand)));
}

static intptr_t argument_number(const stow_domain *domain, int32_t ref) {
  return mlirBlockArgumentGetArgNumber(domain->refs[ref].value);
}

static void make_clone(applier *a, const stow_handover *h) {
  int32_t path = stow_path_of(a->domain, h);
  if (path < 0)
    clone_operand(a->domain->stretches[h->stretch].end, h->operand);
  else
    clone_operand(mlirBlockGetTerminator(a->detours[path]),
                  argument_number(a->domain, a->domain->passes[h->pass].target));
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

// Where what is done only if the owner owns must stand.
static MlirOperation make_condition(const applier *a, int32_t owner, MlirOperation before) {
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  return stow_make_if(&builder, stow_make_get(&builder, a->bits[owner]));
}

// The dealloc that stands before `yield`.
static void mark_by_bit(MlirOperation yield) {
  MlirOperation dealloc = mlirBlockGetFirstOperation(mlirOperationGetBlock(yield));
  while (!stow_op_is(dealloc, "memref.dealloc"))
    dealloc = mlirOperationGetNextInBlock(dealloc);
  mlirOperationSetDiscardableAttributeByName(dealloc, mlirStringRefCreateFromCString(STOW_BY_BIT),
                                             mlirUnitAttrGet(mlirOperationGetContext(dealloc)));
}

static void make_plain_dealloc(const applier *a, int32_t owner, MlirOperation before) {
  const stow_ref *ref = &a->domain->refs[owner];
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  bool part = ref->part && stow_is_strided(mlirValueGetType(ref->value));
  stow_build_dealloc(&builder, part ? stow_make_base(&builder, ref->value) : ref->value);
}

static void make_dealloc(const applier *a, size_t release, MlirOperation before) {
  int32_t owner = a->releases->items[release].owner;
  if (!a->owners->conditional[owner]) {
    make_plain_dealloc(a, owner, before);
    return;
  }
  MlirOperation yield = make_condition(a, owner, before);
  make_plain_dealloc(a, owner, yield);
  mark_by_bit(yield);
}

static void make_deallocs(const applier *a, bool after_clones) {
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

static MlirBlock first_block(const stow_domain *domain, int32_t room) {
  return mlirRegionGetFirstBlock(domain->rooms[room].region);
}

// Stack memory of a bit: at the start of the domain, or of the iteration where several may run at
// once.
static int32_t room_of_bit(const stow_domain *domain, int32_t ref) {
  int32_t room = domain->stretches[domain->refs[ref].stretch].room;
  while (room > 0 && !(stow_op_facts(mlirBlockGetParentOperation(first_block(domain, room))) &
                       STOW_OP_PARALLEL))
    room = domain->rooms[room].parent;
  return room;
}

static stow_builder at_start_of(const stow_domain *domain, int32_t room) {
  MlirOperation first = mlirBlockGetFirstOperation(first_block(domain, room));
  return stow_builder_before(first, mlirOperationGetLocation(first));
}

static void make_bits(applier *a) {
  const stow_domain *domain = a->domain;
  for (size_t r = 0; r < domain->ref_count; ++r) {
    if (!has_bit(domain, a->owners, (int32_t)r))
      continue;
    if (!a->yes.ptr) {
      stow_builder builder = at_start_of(domain, 0);
      a->no = stow_make_constant(&builder, false);
      a->yes = stow_make_constant(&builder, true);
    }
    stow_builder builder = at_start_of(domain, room_of_bit(domain, (int32_t)r));
    a->bits[r] = stow_make_bit(&builder);
  }
}

static stow_builder where_bits_are_set(const applier *a, const stow_handover *h) {
  int32_t path = stow_path_of(a->domain, h);
  MlirOperation end =
      path < 0 ? a->domain->stretches[h->stretch].end : mlirBlockGetTerminator(a->detours[path]);
  return stow_builder_before(end, mlirOperationGetLocation(end));
}

static MlirValue bit_of(const applier *a, const stow_handover *h) {
  if (h->manner == STOW_SETTLE)
    return a->settled[h - a->domain->handovers];
  if (h->manner == STOW_CARRY) {
    stow_builder builder = where_bits_are_set(a, h);
    return stow_make_get(&builder, a->bits[stow_only_owner(a->owners, h->ref)]);
  }
  return h->manner == STOW_LEND ? a->no : a->yes;
}

//===----------------------------------------------------------------------===//
// Settlements
//===----------------------------------------------------------------------===//
//
// Several owners end where several targets begin, and it shows at run time only which buffer became
// what: by their addresses. Each target that is the buffer of an owner takes it over, the first one
// only; what nobody takes is freed.

static bool is_candidate(const applier *a, const stow_handover *h, int32_t owner) {
  const stow_ref_set *set = &a->owners->sets[h->ref];
  for (size_t i = 0; i < set->count; ++i)
    if (set->items[i] == owner)
      return true;
  return false;
}

// What the target of a handover takes of the owner; gives what then remains of it.
static MlirValue take(const applier *a, const stow_builder *builder, int32_t h, MlirValue address,
                      MlirValue remains) {
  MlirValue handed = stow_make_address(builder, a->domain->refs[a->domain->handovers[h].ref].value);
  MlirValue equal = stow_make_equal(builder, address, handed);
  MlirValue owned = a->settled[h];
  MlirValue open = stow_make_logic(builder, "arith.xori", owned, a->yes);
  MlirValue free = stow_make_logic(builder, "arith.andi", remains, open);
  MlirValue taken = stow_make_logic(builder, "arith.andi", free, equal);
  a->settled[h] = stow_make_logic(builder, "arith.ori", owned, taken);
  return stow_make_logic(builder, "arith.xori", remains, taken);
}

static void make_settlement(const applier *a, const stow_settlement *settlement) {
  const stow_stretch *s = &a->domain->stretches[settlement->stretch];
  MlirOperation before =
      settlement->path < 0 ? s->end : mlirBlockGetTerminator(a->detours[settlement->path]);
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  int32_t owner = settlement->owner;
  MlirValue remains =
      a->owners->conditional[owner] ? stow_make_get(&builder, a->bits[owner]) : a->yes;
  MlirValue address = stow_make_address(&builder, a->domain->refs[owner].value);
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h) {
    const stow_handover *handover = &a->domain->handovers[h];
    if (handover->settles && stow_path_of(a->domain, handover) == settlement->path &&
        is_candidate(a, handover, owner))
      remains = take(a, &builder, h, address, remains);
  }
  MlirOperation yield = stow_make_if(&builder, remains);
  make_plain_dealloc(a, owner, yield);
  mark_by_bit(yield);
}

static void make_settlements(const applier *a) {
  for (size_t h = 0; h < a->domain->handover_count; ++h)
    a->settled[h] = a->no;
  for (size_t i = 0; i < a->releases->settlement_count; ++i)
    make_settlement(a, &a->releases->settlements[i]);
}

// All bits that travel on from the end of a stretch are read before any is set.
static void set_bits_at(const applier *a, const stow_stretch *stretch, MlirValue *values) {
  for (int32_t i = 0; i < stretch->handover_count; ++i)
    if (is_conditional(a, &a->domain->handovers[stretch->handover + i]))
      values[i] = bit_of(a, &a->domain->handovers[stretch->handover + i]);
  for (int32_t i = 0; i < stretch->handover_count; ++i) {
    const stow_handover *h = &a->domain->handovers[stretch->handover + i];
    if (!is_conditional(a, h))
      continue;
    stow_builder builder = where_bits_are_set(a, h);
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      stow_make_set(&builder, a->bits[a->domain->passes[p].target], values[i]);
  }
}

static void set_bits(const applier *a) {
  MlirValue *values = stow_allocate(a->domain->handover_count, sizeof *values);
  for (size_t s = 0; s < a->domain->stretch_count; ++s)
    set_bits_at(a, &a->domain->stretches[s], values);
  free(values);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void find_places(applier *a) {
  const stow_domain *domain = a->domain;
  for (size_t i = 0; i < a->releases->count; ++i)
    a->before[i] = place_of(domain, &a->releases->items[i]);
  for (size_t i = 0; i < a->releases->count; ++i)
    if (a->releases->items[i].spot == STOW_ON_PATH)
      put_detour(a, (int32_t)a->releases->items[i].at);
  for (size_t i = 0; i < domain->handover_count; ++i) {
    const stow_handover *h = &domain->handovers[i];
    if ((is_copied(domain, h) || is_conditional(a, h)) && stow_path_of(domain, h) >= 0)
      put_detour(a, stow_path_of(domain, h));
  }
}

void stow_apply_decision(stow_decision *decision) {
  stow_make_choices(&decision->domain);
  const stow_domain *domain = &decision->domain;
  applier a = {.domain = domain,
               .releases = &decision->releases,
               .owners = &decision->owners,
               .bits = stow_allocate(domain->ref_count, sizeof *a.bits),
               .settled = stow_allocate(domain->handover_count, sizeof *a.settled),
               .before = stow_allocate(decision->releases.count, sizeof *a.before),
               .detours = stow_allocate(domain->path_count, sizeof *a.detours)};
  find_places(&a);
  make_bits(&a);
  make_deallocs(&a, false);
  for (size_t i = 0; i < domain->handover_count; ++i)
    if (is_copied(domain, &domain->handovers[i]))
      make_clone(&a, &domain->handovers[i]);
  make_deallocs(&a, true);
  make_settlements(&a);
  set_bits(&a);
  stow_erase_dead_selects(decision);
  free(a.before), free(a.detours), free(a.bits), free(a.settled);
}
