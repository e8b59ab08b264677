//===- spare.c - clones that are made only where nothing can be taken ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a target must own and an owner ends where the target begins, the target's clone is
// made only if the target is not that owner's buffer: only at run time do their addresses
// show that. Until then the end of the owner is a settlement, and no release.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "mlir-c/BuiltinTypes.h"

static bool has_address(const stow_owners *owners, int32_t ref) {
  const stow_domain *domain = owners->domain;
  return mlirTypeIsAMemRef(mlirValueGetType(domain->refs.at[ref].value)) && !owners->part[ref];
}

static bool can_take(const stow_decision *decision, const stow_handover *h, int32_t path,
                     int32_t owner) {
  const stow_domain *domain = &decision->domain;
  return stow_transfer_of(&decision->owners, h)->manner == STOW_COPY &&
         stow_path_of(domain, h) == path && has_address(&decision->owners, h->ref) &&
         has_address(&decision->owners, owner) &&
         stow_may_stand_for(&decision->owners, h->ref, owner);
}

// Whether some clone that is made where an owner is freed may be of its buffer.
static bool spare_clones_at(stow_decision *decision, const stow_settlement *end) {
  const stow_stretch *s = &decision->domain.stretches.at[end->stretch];
  bool any = false;
  for (int32_t i = s->handover; i < s->handover + s->handover_count; ++i) {
    const stow_handover *h = &decision->domain.handovers.at[i];
    if (!can_take(decision, h, end->path, end->owner))
      continue;
    decision->owners.transfers[i].spared = any = true;
  }
  return any;
}

static bool ends_with_stretch(const stow_domain *domain, const stow_release *release,
                              stow_settlement *out) {
  int32_t at = (int32_t)release->at;
  bool on_path = release->spot == STOW_ON_PATH;
  if (!on_path && release->spot != STOW_BEFORE_END)
    return false;
  *out = (stow_settlement){release->owner, on_path ? domain->paths.at[at].from : at,
                           on_path ? at : -1};
  return true;
}

void stow_spare_clones(stow_decision *decision) {
  stow_releases *r = &decision->releases;
  size_t kept = 0;
  for (size_t i = 0; i < r->items.count; ++i) {
    stow_settlement end;
    if (!ends_with_stretch(&decision->domain, &r->items.at[i], &end) ||
        !spare_clones_at(decision, &end)) {
      r->items.at[kept++] = r->items.at[i];
      continue;
    }
    STOW_PUSH(r->settlements, end);
  }
  r->items.count = kept;
}
