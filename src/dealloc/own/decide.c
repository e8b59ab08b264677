//===- decide.c - one region decided --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "dealloc/read/domain.h"
#include "dealloc/read/ref_walk.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

// A domain whose regions have no ends (a graph region) has no moment to free anything at.
static bool has_ends(const stow_domain *domain) {
  for (size_t s = 0; s < domain->stretches.count; ++s)
    if (mlirOperationIsNull(domain->stretches.at[s].end))
      return false;
  return domain->stretches.count > 0;
}

static void mark_parts(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  bool *part = owners->part;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < domain->views.count; ++i) {
      const stow_view *v = &domain->views.at[i];
      changed |= part[v->from] && !part[v->to];
      part[v->to] |= part[v->from];
    }
    for (size_t i = 0; i < domain->passes.count; ++i) {
      const stow_pass *pass = &domain->passes.at[i];
      bool passes_part = owners->transfers[pass->handover].manner != STOW_COPY &&
                         part[domain->handovers.at[pass->handover].ref];
      changed |= passes_part && !part[pass->target];
      part[pass->target] |= passes_part;
    }
  }
}

// bufferization.clone makes memory of a ranked memref with identity layout.
static bool can_clone(MlirType type) {
  return mlirTypeIsAMemRef(type) && stow_memref_has_identity_layout(type);
}

static bool leaves_function(const stow_domain *domain, const stow_handover *h) {
  return domain->passes.at[h->pass].path < 0;
}

static bool can_lend(const stow_decision *decision, const stow_handover *h) {
  if (stow_transfer_of(&decision->owners, h)->unlendable || leaves_function(&decision->domain, h))
    return false;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    if (!stow_can_lend(&decision->owners, h->ref, decision->domain.passes.at[p].target, -1))
      return false;
  return true;
}

// An observer is made where it is asked for first.
static stow_observer *observer_of(const stow_decision *decision, stow_observer **observer) {
  if (!*observer)
    *observer = stow_observer_create(decision);
  return *observer;
}

// A function's result must be owned on all paths in the end.
static bool is_better_cloned(const stow_decision *decision, const stow_handover *h,
                             stow_observer **observer, bool clone_first) {
  return can_clone(mlirValueGetType(decision->domain.refs.at[h->ref].value)) &&
         (clone_first || stow_becomes_result(observer_of(decision, observer), h)) &&
         !stow_clone_shows(observer_of(decision, observer), h);
}

// The value passed here is borrowed, so its target owns on the other paths only.
static bool lend_instead(stow_decision *decision, bool clone_first) {
  const stow_domain *domain = &decision->domain;
  stow_observer *observer = NULL;
  bool any = false;
  for (size_t i = 0; i < domain->handovers.count; ++i) {
    const stow_handover *h = &domain->handovers.at[i];
    if (!stow_is_copied(&decision->owners, h) || !can_lend(decision, h) ||
        is_better_cloned(decision, h, &observer, clone_first))
      continue;
    decision->owners.transfers[i].lends = any = true;
    stow_owners_make_conditional(&decision->owners, domain->passes.at[h->pass].target);
  }
  stow_observer_free(observer);
  return any;
}

// Why a clone cannot be made where a handover needs one; or NULL.
static const char *why_not_cloned(const stow_decision *decision, const stow_handover *h,
                                  stow_observer **observer) {
  if (!can_clone(mlirValueGetType(decision->domain.refs.at[h->ref].value)))
    return "it meets a memref without an owner, and their type cannot be cloned; copy that into an "
           "allocation of identity layout";
  if (!leaves_function(&decision->domain, h) &&
      stow_clone_shows(observer_of(decision, observer), h))
    return "it is passed to a target that must free it, while it is needed or freed elsewhere and "
           "written later; pass a copy";
  return NULL;
}

// Leaves alone all buffers that meet where a clone is needed and cannot be made. True: there are
// some, so that all must be decided anew.
static bool leave_instead(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_observer *observer = NULL;
  bool any = false;
  for (size_t i = 0; i < domain->handovers.count; ++i) {
    const stow_handover *h = &domain->handovers.at[i];
    const char *reason =
        stow_is_copied(&decision->owners, h) ? why_not_cloned(decision, h, &observer) : NULL;
    for (int32_t p = h->pass; reason && p < h->pass + h->pass_count; ++p)
      stow_owners_leave(&decision->owners, domain->passes.at[p].target, STOW_ESCAPED,
                        domain->stretches.at[h->stretch].end, reason);
    any |= reason != NULL;
  }
  stow_observer_free(observer);
  decision->leaves |= any;
  return any;
}

static bool has_wish(const stow_decision *decision, stow_wish wish) {
  for (size_t i = 0; i < decision->wishes.count; ++i)
    if (mlirOperationEqual(decision->wishes.at[i].before, wish.before) &&
        mlirValueEqual(decision->wishes.at[i].select, wish.select))
      return true;
  return false;
}

// A clone of a select's result can be spared by turning the select into a branch.
static bool wish_for_choices(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  bool any = false;
  for (size_t i = 0; i < domain->handovers.count; ++i) {
    const stow_handover *h = &domain->handovers.at[i];
    MlirOperation end = domain->stretches.at[h->stretch].end;
    stow_wish wish = {end, domain->refs.at[h->ref].value};
    if (!stow_is_copied(&decision->owners, h) || domain->refs.at[h->ref].origin != STOW_VIEW ||
        !stow_is(mlirOpResultGetOwner(wish.select), STOW_ARITH_SELECT) ||
        mlirOperationGetNumSuccessors(end) > 1 || has_wish(decision, wish))
      continue;
    STOW_PUSH(decision->wishes, wish);
    any = true;
  }
  return any;
}

// The results of a choice own, so that ownership is settled in its arms.
static void claim_choices(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->hands.count; ++i)
    if (domain->hands.at[i].target >= 0)
      stow_owners_claim(&decision->owners, domain->hands.at[i].target);
}

static void read_region(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                        const stow_contract *promised, stow_decision *out) {
  stow_domain_context with_wishes = *context;
  with_wishes.wishes = out->wishes.at;
  with_wishes.wish_count = out->wishes.count;
  with_wishes.promised = promised;
  stow_domain_read(op, region, &with_wishes, &out->domain);
  out->owners = stow_owners_create(&out->domain);
  claim_choices(out);
  for (int32_t i = 0; i < out->domain.result_count; ++i)
    if (promised && promised->results[i].owned)
      stow_owners_claim(&out->owners, out->domain.result + i);
}

static bool may_share(const stow_owners *owners, const stow_handover *a, const stow_handover *b) {
  const stow_ref_set *x = &owners->sets[a->ref], *y = &owners->sets[b->ref];
  for (size_t i = 0, j = 0; i < x->count && j < y->count;)
    if (x->items[i] == y->items[j])
      return true;
    else if (x->items[i] < y->items[j])
      ++i;
    else
      ++j;
  return false;
}

static bool has_address(const stow_domain *domain, int32_t ref) {
  return stow_is_strided(mlirValueGetType(domain->refs.at[ref].value));
}

// Whether no owner of a ref ends where it is passed: all outlive its target.
static bool outlive(const stow_decision *decision, int32_t ref, const stow_handover *h) {
  const stow_domain *d = &decision->domain;
  const stow_ref_set *set = &decision->owners.sets[ref];
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    for (size_t i = 0; i < set->count; ++i)
      if (!stow_reaches_start(d, set->items[i], d->refs.at[d->passes.at[p].target].stretch))
        return false;
  return true;
}

// Whether the value passed has the base address of its owner, whichever ends there.
static bool has_base_of_owner(const stow_decision *decision, const stow_handover *h) {
  const stow_owners *owners = &decision->owners;
  stow_ref_walk walk = stow_ref_walk_create(&decision->domain);
  bool has = true;
  stow_ref_walk_add(&walk, h->ref);
  for (int32_t r; has && stow_ref_walk_next(&walk, &r);) {
    if (owners->root[r] == r && !owners->conditional[r])
      continue;
    has = !decision->domain.refs.at[r].shifted || outlive(decision, r, h);
    stow_walk_to_sources(&walk, r, NULL, NULL);
  }
  stow_ref_walk_free(&walk);
  return has;
}

// Whether the addresses of a handover's value and of all owners that may end there can be compared.
static bool can_settle(const stow_decision *decision, const stow_handover *h) {
  const stow_ref_set *set = &decision->owners.sets[h->ref];
  bool can = has_address(&decision->domain, h->ref) && has_base_of_owner(decision, h);
  for (size_t i = 0; i < set->count && can; ++i)
    can = has_address(&decision->domain, set->items[i]);
  return can;
}

static bool settles_with(const stow_decision *decision, const stow_handover *h,
                         const stow_handover *other) {
  return stow_transfer_of(&decision->owners, other)->manner != STOW_LEND &&
         stow_travel_together(&decision->domain, h, other) &&
         may_share(&decision->owners, h, other);
}

// Handovers to owning targets that may pass the same buffer settle together.
static bool settle_with(stow_decision *decision, const stow_handover *h) {
  const stow_domain *domain = &decision->domain;
  const stow_stretch *s = &domain->stretches.at[h->stretch];
  bool any = false;
  for (int32_t i = s->handover; i < s->handover + s->handover_count; ++i)
    if (settles_with(decision, h, &domain->handovers.at[i]) &&
        !can_settle(decision, &domain->handovers.at[i]))
      return false;
  for (int32_t i = s->handover; i < s->handover + s->handover_count; ++i) {
    const stow_handover *other = &domain->handovers.at[i];
    stow_transfer *t = &decision->owners.transfers[i];
    if (t->settles || !settles_with(decision, h, other))
      continue;
    t->settles = any = true;
    stow_owners_make_conditional(&decision->owners, domain->passes.at[other->pass].target);
  }
  return any;
}

// Where a clone could be observed and nothing else helps, who owns what is settled at run time.
static bool settle_instead(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_observer *observer = NULL;
  bool any = false;
  for (size_t i = 0; i < domain->handovers.count; ++i) {
    const stow_handover *h = &domain->handovers.at[i];
    bool settles = decision->owners.transfers[i].manner == STOW_SETTLE &&
                   domain->stretches.at[h->stretch].reachable;
    bool shows = stow_is_copied(&decision->owners, h) && !leaves_function(domain, h) &&
                 (!can_clone(mlirValueGetType(domain->refs.at[h->ref].value)) ||
                  stow_clone_shows(observer_of(decision, &observer), h));
    if (settles || shows)
      any |= settle_with(decision, h);
  }
  stow_observer_free(observer);
  return any;
}

// False if a choice is to be made, so that the region must be read again.
static bool decide_domain(stow_decision *decision, bool clone_first) {
  do {
    stow_decision_find(decision);
    if (wish_for_choices(decision))
      return false;
    stow_try_sparing_clones(decision);
  } while (lend_instead(decision, clone_first) || settle_instead(decision) ||
           leave_instead(decision));
  return true;
}

// If it is not known where control leaves the region to, nothing in it can be decided.
static void leave_all(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t r = 0; r < domain->refs.count; ++r)
    stow_owners_leave(&decision->owners, (int32_t)r, STOW_ESCAPED, domain->op,
                      "a block around it has no terminator, or one that is not known");
  stow_owners_find(&decision->owners);
}

void stow_decide(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                 const stow_contract *promised, const stow_preferences *prefer,
                 stow_decision *out) {
  *out = (stow_decision){0};
  read_region(op, region, context, promised, out);
  if (!has_ends(&out->domain)) {
    leave_all(out);
    return;
  }
  while (!decide_domain(out, prefer->clone_first)) {
    stow_decision_forget(out);
    read_region(op, region, context, promised, out);
  }
  if (prefer->free_early)
    stow_try_moving(out);
  mark_parts(&out->owners);
  if (!prefer->clone_first)
    stow_spare_clones(out);
  stow_audit_releases(&out->domain, &out->owners, &out->releases);
}
