//===- bits.c - whether a conditional owner owns, at run time -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition tells whether an owner owns if the stretch that branches on it is the
// owner's immediate dominator, and ownership is passed on all paths from one of its two
// arms, and on none from the other. A handover comes from an arm if the path into the
// arm is the only one there, and the arm dominates the handover.
//
// Wherever the owner is mentioned, the condition still has the value that was branched on:
// its definition dominates the owner's, as the owner's dominates the mention, so there is
// no path from the owner through that definition to the mention. The condition can be
// mentioned there if it can be where the owner is defined: not if it is defined in a
// region that was left in between.
//
//===----------------------------------------------------------------------===//

#include "dealloc/bits.h"

#include "dealloc/activation.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Conditions that tell
//===----------------------------------------------------------------------===//

enum { NO_ARM = -1, UNKNOWN = -1 };

static bool has_two_arms(MlirOperation end) {
  return stow_op_is(end, "scf.if") || stow_op_is(end, "cf.cond_br");
}

// Where the condition holds control takes arm 1, else arm 0.
static int arm_of_path(const stow_domain *d, int32_t p) {
  const stow_path *path = &d->paths[p];
  MlirOperation end = d->stretches[path->from].end;
  if (path->successor >= 0)
    return path->successor == 0;
  MlirBlock chosen = mlirRegionGetFirstBlock(mlirOperationGetRegion(end, 0));
  return mlirBlockEqual(d->stretches[path->to].block, chosen);
}

static int arm_of_handover(const stow_domain *d, int32_t deciding, const stow_pass *pass) {
  int32_t from = d->handovers[pass->handover].stretch;
  if (from == deciding)
    return arm_of_path(d, pass->path);
  for (int32_t p = d->leaving.first[deciding]; p < d->leaving.first[deciding + 1]; ++p) {
    int32_t path = d->leaving.items[p], arm = d->paths[path].to;
    bool only = d->entering.first[arm + 1] - d->entering.first[arm] == 1;
    if (only && stow_stretch_dominates(d, arm, from))
      return arm_of_path(d, path);
  }
  return NO_ARM;
}

static int known_bit(const stow_handover *h) {
  if (h->manner == STOW_CARRY || h->manner == STOW_SETTLE)
    return UNKNOWN;
  return h->manner != STOW_LEND;
}

// What the arms bring, or UNKNOWN where the condition does not tell.
static int bit_where_it_holds(const stow_domain *d, int32_t deciding, int32_t ref) {
  int bits[] = {UNKNOWN, UNKNOWN};
  for (int32_t i = d->handed_to.first[ref]; i < d->handed_to.first[ref + 1]; ++i) {
    const stow_pass *pass = &d->passes[d->handed_to.items[i]];
    const stow_handover *h = &d->handovers[pass->handover];
    if (!d->stretches[h->stretch].reachable)
      continue;
    int bit = known_bit(h), arm = arm_of_handover(d, deciding, pass);
    if (bit == UNKNOWN || arm == NO_ARM || bits[arm] == !bit)
      return UNKNOWN;
    bits[arm] = bit;
  }
  return bits[0] == !bits[1] ? bits[1] : UNKNOWN;
}

static MlirBlock block_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
}

// What is defined in a region is not known behind it.
static bool is_known_at(const stow_domain *d, MlirValue value, int32_t stretch) {
  int32_t defined = stow_map_get(&d->stretch_at, block_of(value).ptr);
  return defined < 0 ||
         stow_room_is_inside(d, d->stretches[stretch].room, d->stretches[defined].room);
}

static void find_told(stow_bits *bits, int32_t ref) {
  const stow_domain *d = bits->domain;
  int32_t deciding = d->stretches[d->refs[ref].stretch].dominator;
  MlirOperation end = d->stretches[deciding].end;
  if (!has_two_arms(end) || !is_known_at(d, mlirOperationGetOperand(end, 0), d->refs[ref].stretch))
    return;
  int holds = bit_where_it_holds(d, deciding, ref);
  if (holds == UNKNOWN)
    return;
  bits->told[ref] = mlirOperationGetOperand(end, 0);
  bits->told_not[ref] = !holds;
}

static bool is_conditional(const stow_bits *bits, int32_t ref) {
  const stow_owners *owners = bits->owners;
  return owners->conditional[ref] && owners->root[ref] == ref &&
         bits->domain->refs[ref].stretch >= 0;
}

stow_bits stow_bits_find(const stow_decision *decision) {
  size_t refs = decision->domain.ref_count;
  stow_bits bits = {.domain = &decision->domain,
                    .owners = &decision->owners,
                    .told = stow_allocate(refs, sizeof *bits.told),
                    .told_not = stow_allocate(refs, sizeof *bits.told_not),
                    .cell = stow_allocate(refs, sizeof *bits.cell),
                    .memory = stow_allocate(refs, sizeof *bits.memory)};
  bool any = false;
  for (size_t r = 0; r < refs; ++r) {
    bits.cell[r] = -1;
    if (!is_conditional(&bits, (int32_t)r))
      continue;
    find_told(&bits, (int32_t)r);
    if (!bits.told[r].ptr)
      bits.cell[r] = (int32_t)r, any = true;
  }
  if (any)
    stow_share_bits(&bits, &decision->releases);
  return bits;
}

void stow_bits_free(stow_bits *bits) {
  free(bits->told), free(bits->told_not), free(bits->cell), free(bits->memory);
  *bits = (stow_bits){0};
}

bool stow_bit_is_set(const stow_bits *bits, const stow_handover *h, int32_t target) {
  bool stays = h->manner == STOW_CARRY &&
               bits->cell[stow_only_owner(bits->owners, h->ref)] == bits->cell[target];
  return bits->cell[target] >= 0 && !stays;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static stow_builder at_start_of(const stow_domain *domain, int32_t room) {
  MlirOperation first = stow_activation_start(domain, room);
  return stow_builder_before(first, mlirOperationGetLocation(first));
}

static void make_constants(stow_bits *bits, bool settles) {
  bool any_set = settles, any_told_not = false;
  for (int32_t r = 0; r < (int32_t)bits->domain->ref_count; ++r) {
    any_set |= bits->cell[r] >= 0;
    any_told_not |= bits->told_not[r];
  }
  if (!any_set && !any_told_not)
    return;
  stow_builder builder = at_start_of(bits->domain, 0);
  if (any_set)
    bits->no = stow_make_constant(&builder, false);
  bits->yes = stow_make_constant(&builder, true);
}

void stow_bits_make(stow_bits *bits, bool settles) {
  const stow_domain *domain = bits->domain;
  make_constants(bits, settles);
  for (int32_t r = 0; r < (int32_t)domain->ref_count; ++r) {
    if (bits->cell[r] != r)
      continue;
    int32_t room = stow_activation_of(domain, r);
    stow_builder builder = at_start_of(domain, room);
    bits->memory[r] = stow_make_bit(&builder, stow_activation_has_stack(domain, room));
  }
}

static void free_at_ends(MlirRegion region, MlirValue memory) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (mlirBlockGetNumSuccessors(block) > 0)
      continue;
    stow_builder builder = stow_builder_before(end, mlirOperationGetLocation(end));
    stow_build_dealloc(&builder, memory);
  }
}

void stow_bits_end(const stow_bits *bits) {
  const stow_domain *domain = bits->domain;
  for (int32_t r = 0; r < (int32_t)domain->ref_count; ++r) {
    int32_t room = bits->cell[r] == r ? stow_activation_of(domain, r) : -1;
    if (room >= 0 && !stow_activation_has_stack(domain, room))
      free_at_ends(domain->rooms[room].region, bits->memory[r]);
  }
}

MlirValue stow_bit_get(const stow_bits *bits, const stow_builder *builder, int32_t ref) {
  if (!bits->told[ref].ptr)
    return stow_make_get(builder, bits->memory[bits->cell[ref]]);
  if (bits->told_not[ref])
    return stow_make_logic(builder, "arith.xori", bits->told[ref], bits->yes);
  return bits->told[ref];
}

void stow_bit_set(const stow_bits *bits, const stow_builder *builder, int32_t ref, MlirValue bit) {
  stow_make_set(builder, bits->memory[bits->cell[ref]], bit);
}
