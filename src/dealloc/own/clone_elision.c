//===- clone_elision.c - clones that may prove needless at run time -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phi that must own gets a clone. Where an owner ends, and the phi may be its buffer, the
// addresses at run time show whether it is: then the owner moves to the phi, and no clone
// is made. So the owner's release becomes a edge_move.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "mlir-c/BuiltinTypes.h"

static bool has_address(const stow_owners *owners, int32_t ref) {
  const stow_domain *domain = owners->domain;
  return mlirTypeIsAMemRef(mlirValueGetType(domain->refs.at[ref].value)) && !owners->of[ref].part;
}

static bool can_take(const stow_decision *decision, const stow_forwarded *f, int32_t edge,
                     int32_t owner) {
  const stow_domain *domain = &decision->domain;
  return stow_dealloc_transfer_of(&decision->owners, f)->kind == STOW_CLONE &&
         stow_dealloc_edge_of(domain, f) == edge && has_address(&decision->owners, f->ref) &&
         has_address(&decision->owners, owner) &&
         stow_dealloc_may_stand_for(&decision->owners, f->ref, owner);
}

// Spares the clones that may be of an owner's buffer where it ends. False: there are none.
static bool elide_clones_at(stow_decision *decision, const stow_edge_move *end) {
  const stow_passed *s = &decision->domain.passed.at[end->segment];
  bool any = false;
  for (int32_t i = s->first; i < s->end; ++i) {
    const stow_forwarded *f = &decision->domain.forwarded.at[i];
    if (!can_take(decision, f, end->edge, end->owner))
      continue;
    decision->owners.transfers[i].elidable = any = true;
  }
  return any;
}

static bool ends_with_segment(const stow_domain *domain, const stow_release *release,
                              stow_edge_move *out) {
  int32_t at = (int32_t)release->at;
  bool on_edge = release->spot == STOW_ON_EDGE;
  if (!on_edge && release->spot != STOW_BEFORE_END)
    return false;
  *out =
      (stow_edge_move){release->owner, on_edge ? domain->edges.at[at].from : at, on_edge ? at : -1};
  return true;
}

void stow_dealloc_elide_clones(stow_decision *decision) {
  stow_releases *r = &decision->releases;
  size_t kept = 0;
  for (size_t i = 0; i < r->items.count; ++i) {
    stow_edge_move end;
    if (!ends_with_segment(&decision->domain, &r->items.at[i], &end) ||
        !elide_clones_at(decision, &end)) {
      r->items.at[kept++] = r->items.at[i];
      continue;
    }
    STOW_PUSH(r->edge_moves, end);
  }
  r->items.count = kept;
}
