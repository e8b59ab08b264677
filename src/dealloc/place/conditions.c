//===- conditions.c - conditions that say whether an owner owns -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition is an owner's bit if the segment that branches on it is the owner's immediate
// dominator, and ownership moves on all edges from one of its two arms, and on none from
// the other. An operand is forwarded from an arm if the edge into the arm is the only one
// there, and the arm dominates the operand's segment.
//
// Wherever the owner is mentioned, the condition still has the value that was branched on:
// its definition dominates the owner's, as the owner's dominates the mention, so there is
// no path from the owner through that definition to the mention. The condition can be
// mentioned there if it can be where the owner is defined: not if it is defined in a
// region that control has left.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/bits.h"

enum { NO_ARM = -1, UNKNOWN = -1 };

static bool has_two_arms(MlirOperation end) {
  return stow_ir_is(end, STOW_SCF_IF) || stow_ir_is(end, STOW_CF_COND_BR);
}

// Control takes arm 1 if the condition holds, else arm 0.
static int arm_of_edge(const stow_sites *sites, int32_t p) {
  const stow_domain *d = sites->domain;
  const stow_jump *edge = &d->edges.at[p];
  MlirOperation end = sites->ends[edge->from];
  if (d->exits.at[p].successor >= 0)
    return d->exits.at[p].successor == 0;
  MlirBlock chosen = mlirRegionGetFirstBlock(mlirOperationGetRegion(end, 0));
  return mlirBlockEqual(sites->blocks[edge->to], chosen);
}

static int arm_of_forwarded(const stow_sites *sites, int32_t deciding,
                            const stow_incoming *incoming) {
  const stow_domain *d = sites->domain;
  int32_t from = d->forwarded.at[incoming->forwarded].segment;
  if (from == deciding)
    return arm_of_edge(sites, incoming->edge);
  STOW_EACH_OF(edge, d->leaving, deciding) {
    int32_t arm = d->edges.at[edge].to;
    bool only = d->entering.first[arm + 1] - d->entering.first[arm] == 1;
    if (only && stow_dealloc_segment_dominates(d, arm, from))
      return arm_of_edge(sites, edge);
  }
  return NO_ARM;
}

static int known_bit(const stow_own_transfer *t) {
  if (t->kind == STOW_MOVE_OWNED || t->kind == STOW_MOVE_ON_EDGE)
    return UNKNOWN;
  return t->kind != STOW_BORROW;
}

// Whether the owner owns if the condition holds, or UNKNOWN.
static int bit_where_it_holds(const stow_sites *sites, const stow_owners *owners, int32_t deciding,
                              int32_t ref) {
  const stow_domain *d = sites->domain;
  int bits[] = {UNKNOWN, UNKNOWN};
  STOW_EACH_OF(i, d->incoming_of, ref) {
    const stow_incoming *incoming = &d->incoming.at[i];
    const stow_forwarded *f = &d->forwarded.at[incoming->forwarded];
    int bit = known_bit(stow_dealloc_transfer_of(owners, f)),
        arm = arm_of_forwarded(sites, deciding, incoming);
    if (bit == UNKNOWN || arm == NO_ARM || bits[arm] == !bit)
      return UNKNOWN;
    bits[arm] = bit;
  }
  return bits[0] == !bits[1] ? bits[1] : UNKNOWN;
}

// A value can be mentioned in its own region and those inside.
static bool is_known_at(const stow_domain *d, MlirValue value, int32_t segment) {
  int32_t defined = stow_map_get(&d->control->flow.starts, stow_block_of(value).ptr);
  return defined < 0 || stow_dealloc_region_is_inside(d, d->segments.at[segment].region,
                                                      d->segments.at[defined].region);
}

bool stow_condition_find(const stow_sites *sites, const stow_owners *owners, int32_t ref,
                         stow_condition *out_condition) {
  const stow_domain *d = sites->domain;
  int32_t deciding = d->dominance[d->refs.at[ref].segment].immediate;
  MlirOperation end = sites->ends[deciding];
  if (!has_two_arms(end) ||
      !is_known_at(d, mlirOperationGetOperand(end, 0), d->refs.at[ref].segment))
    return false;
  int holds = bit_where_it_holds(sites, owners, deciding, ref);
  *out_condition = (stow_condition){mlirOperationGetOperand(end, 0), holds == false};
  return holds != UNKNOWN;
}
