//===- conditions.c - conditions that say whether an owner owns ----------===//
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

#include "dealloc/place/bits.h"

enum { NO_ARM = -1, UNKNOWN = -1 };

static bool has_two_arms(MlirOperation end) {
  return stow_is(end, STOW_SCF_IF) || stow_is(end, STOW_CF_COND_BR);
}

// Where the condition holds control takes arm 1, else arm 0.
static int arm_of_path(const stow_sites *sites, int32_t p) {
  const stow_domain *d = sites->domain;
  const stow_path *path = &d->paths.at[p];
  MlirOperation end = sites->ends[path->from];
  if (path->successor >= 0)
    return path->successor == 0;
  MlirBlock chosen = mlirRegionGetFirstBlock(mlirOperationGetRegion(end, 0));
  return mlirBlockEqual(sites->blocks[path->to], chosen);
}

static int arm_of_handover(const stow_sites *sites, int32_t deciding, const stow_pass *pass) {
  const stow_domain *d = sites->domain;
  int32_t from = d->handovers.at[pass->handover].stretch;
  if (from == deciding)
    return arm_of_path(sites, pass->path);
  for (int32_t p = d->leaving.first[deciding]; p < d->leaving.first[deciding + 1]; ++p) {
    int32_t path = d->leaving.items[p], arm = d->paths.at[path].to;
    bool only = d->entering.first[arm + 1] - d->entering.first[arm] == 1;
    if (only && stow_stretch_dominates(d, arm, from))
      return arm_of_path(sites, path);
  }
  return NO_ARM;
}

static int known_bit(const stow_transfer *t) {
  if (t->manner == STOW_CARRY || t->manner == STOW_SETTLE)
    return UNKNOWN;
  return t->manner != STOW_LEND;
}

// What the arms bring, or UNKNOWN where the condition does not tell.
static int bit_where_it_holds(const stow_sites *sites, const stow_owners *owners, int32_t deciding,
                              int32_t ref) {
  const stow_domain *d = sites->domain;
  int bits[] = {UNKNOWN, UNKNOWN};
  for (int32_t i = d->handed_to.first[ref]; i < d->handed_to.first[ref + 1]; ++i) {
    const stow_pass *pass = &d->passes.at[d->handed_to.items[i]];
    const stow_handover *h = &d->handovers.at[pass->handover];
    if (!d->stretches.at[h->stretch].reachable)
      continue;
    int bit = known_bit(stow_transfer_of(owners, h)), arm = arm_of_handover(sites, deciding, pass);
    if (bit == UNKNOWN || arm == NO_ARM || bits[arm] == !bit)
      return UNKNOWN;
    bits[arm] = bit;
  }
  return bits[0] == !bits[1] ? bits[1] : UNKNOWN;
}

// What is defined in a region is not known behind it.
static bool is_known_at(const stow_domain *d, MlirValue value, int32_t stretch) {
  int32_t defined = stow_map_get(&d->stretch_at, stow_block_of(value).ptr);
  return defined < 0 ||
         stow_room_is_inside(d, d->stretches.at[stretch].room, d->stretches.at[defined].room);
}

bool stow_condition_find(const stow_sites *sites, const stow_owners *owners, int32_t ref,
                         stow_condition *out_condition) {
  const stow_domain *d = sites->domain;
  int32_t deciding = d->stretches.at[d->refs.at[ref].stretch].dominator;
  MlirOperation end = sites->ends[deciding];
  if (!has_two_arms(end) ||
      !is_known_at(d, mlirOperationGetOperand(end, 0), d->refs.at[ref].stretch))
    return false;
  int holds = bit_where_it_holds(sites, owners, deciding, ref);
  *out_condition = (stow_condition){mlirOperationGetOperand(end, 0), holds == false};
  return holds != UNKNOWN;
}
