//===- decide.c - one region decided --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the control flow of a region. Computes its domain and for each ref whether it owns and,
// for each operand that is forwarded, whether ownership moves, is lent, or a clone is made. Where a
// clone cannot be made or would show, selects are split, phis own conditionally or by address, or
// buffers are left alone, and all is decided again.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "dealloc/read/domain.h"
#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

// In a region without ends (a graph region) there is no point at which to free anything.
static bool has_ends(const stow_domain *domain) {
  for (size_t s = 0; s < domain->segments.count; ++s)
    if (mlirOperationIsNull(domain->segments.at[s].last))
      return false;
  return domain->segments.count > 0;
}

static bool passes_part(const stow_owners *owners, int32_t forwarded) {
  const int32_t ref = owners->domain->forwarded.at[forwarded].ref;
  return owners->transfers[forwarded].kind == STOW_CLONE
             ? stow_ir_is_part_of_room(mlirValueGetType(owners->domain->refs.at[ref].value))
             : owners->of[ref].part;
}

static void mark_parts(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  stow_standing *of = owners->of;
  for (bool changed = true; changed;) {
    changed = false;
    STOW_EACH(const stow_jump, v, domain->views) {
      changed |= of[v->from].part && !of[v->to].part;
      of[v->to].part |= of[v->from].part;
    }
    STOW_EACH(const stow_incoming, incoming, domain->incoming) {
      const bool part = passes_part(owners, incoming->forwarded);
      changed |= part && !of[incoming->phi].part;
      of[incoming->phi].part |= part;
    }
  }
}

static bool can_clone(MlirType type) { return !mlirTypeIsNull(stow_ir_type_with_room(type)); }

static bool leaves_function(const stow_domain *domain, const stow_forwarded *f) {
  return domain->incoming.at[f->incoming].edge < 0;
}

static bool can_lend(const stow_decision *decision, const stow_forwarded *f) {
  if (stow_dealloc_transfer_of(&decision->owners, f)->unlendable ||
      leaves_function(&decision->domain, f))
    return false;
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    if (!stow_dealloc_can_lend(&decision->owners, f->ref, decision->domain.incoming.at[p].phi, -1))
      return false;
  return true;
}

// An observer is made when it is needed first.
static stow_observer *observer_of(const stow_decision *decision, stow_observer **observer) {
  if (!*observer)
    *observer = stow_observer_create(decision);
  return *observer;
}

// A function's result must be owned on all paths in the end.
static bool is_better_cloned(const stow_decision *decision, const stow_forwarded *f,
                             stow_observer **observer, bool clone_first) {
  return can_clone(mlirValueGetType(decision->domain.refs.at[f->ref].value)) &&
         (clone_first || stow_dealloc_becomes_result(observer_of(decision, observer), f)) &&
         !stow_dealloc_clone_shows(observer_of(decision, observer), f);
}

// Makes phis conditional owners, which borrow what would be cloned.
static bool lend_instead(stow_decision *decision, bool clone_first) {
  const stow_domain *domain = &decision->domain;
  stow_observer *observer = NULL;
  bool any = false;
  for (size_t i = 0; i < domain->forwarded.count; ++i) {
    const stow_forwarded *f = &domain->forwarded.at[i];
    if (!stow_dealloc_is_copied(&decision->owners, f) || !can_lend(decision, f) ||
        is_better_cloned(decision, f, &observer, clone_first))
      continue;
    decision->owners.transfers[i].lends = any = true;
    stow_owners_make_conditional(&decision->owners, domain->incoming.at[f->incoming].phi);
  }
  stow_observer_free(observer);
  return any;
}

// Why a clone cannot be made where a forwarded operand needs one; or NULL.
static const char *why_not_cloned(const stow_decision *decision, const stow_forwarded *f,
                                  stow_observer **observer) {
  if (!can_clone(mlirValueGetType(decision->domain.refs.at[f->ref].value)))
    return "it meets a memref without an owner, and their type cannot be cloned; copy that into an "
           "allocation of identity layout";
  if (!leaves_function(&decision->domain, f) &&
      stow_dealloc_clone_shows(observer_of(decision, observer), f))
    return "it is passed to a target that must free it, while it is needed or freed elsewhere and "
           "written later; pass a copy";
  return NULL;
}

// Leaves all buffers of a phi alone that needs a clone which cannot be made. True: there are some,
// so that all must be decided again.
static bool leave_instead(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_observer *observer = NULL;
  bool any = false;
  STOW_EACH(const stow_forwarded, f, domain->forwarded) {
    const char *reason = stow_dealloc_is_copied(&decision->owners, f)
                             ? why_not_cloned(decision, f, &observer)
                             : NULL;
    for (int32_t p = f->incoming; reason && p < f->incoming + f->incoming_count; ++p)
      stow_owners_escape(&decision->owners, domain->incoming.at[p].phi, STOW_ESCAPED,
                         domain->segments.at[f->segment].last, reason);
    any |= reason != NULL;
  }
  stow_observer_free(observer);
  decision->leaks |= any;
  return any;
}

static bool has_split(const stow_decision *decision, stow_own_split split) {
  for (size_t i = 0; i < decision->splits.count; ++i)
    if (mlirOperationEqual(decision->splits.at[i].before, split.before) &&
        mlirValueEqual(decision->splits.at[i].select, split.select))
      return true;
  return false;
}

// Splits selects whose results would be cloned.
static bool split_selects(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  bool any = false;
  STOW_EACH(const stow_forwarded, f, domain->forwarded) {
    MlirOperation end = domain->segments.at[f->segment].last;
    stow_own_split split = {end, domain->refs.at[f->ref].value};
    if (!stow_dealloc_is_copied(&decision->owners, f) ||
        domain->refs.at[f->ref].origin != STOW_VIEW ||
        !stow_ir_is(mlirOpResultGetOwner(split.select), STOW_ARITH_SELECT) ||
        mlirOperationGetNumSuccessors(end) > 1 || has_split(decision, split))
      continue;
    STOW_PUSH(decision->splits, split);
    any = true;
  }
  return any;
}

// The results of a choice own, so that ownership is decided in its arms.
static void force_choices(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->operands.count; ++i)
    if (domain->operands.at[i].phi >= 0)
      stow_owners_force(&decision->owners, domain->operands.at[i].phi);
}

// Frees all but the control and the splits, so that the region can be read again.
static void forget(stow_decision *decision) {
  stow_releases_free(&decision->releases);
  stow_owners_free(&decision->owners);
  stow_domain_free(&decision->domain);
}

static void read_region(MlirOperation op, const stow_domain_context *context,
                        const stow_contract *promised, stow_decision *out) {
  stow_domain_context with_splits = *context;
  with_splits.splits = out->splits.at;
  with_splits.split_count = out->splits.count;
  with_splits.promised = promised;
  stow_domain_read(op, &out->control, &with_splits, &out->domain);
  out->owners = stow_owners_create(&out->domain);
  force_choices(out);
  for (int32_t i = 0; i < out->domain.result_count; ++i)
    if (promised && promised->results[i].owned)
      stow_owners_force(&out->owners, out->domain.result + i);
}

static bool may_share(const stow_owners *owners, const stow_forwarded *a, const stow_forwarded *b) {
  return stow_ref_sets_meet(&owners->of[a->ref].set, &owners->of[b->ref].set);
}

static bool has_address(const stow_domain *domain, int32_t ref) {
  return stow_ir_is_strided(mlirValueGetType(domain->refs.at[ref].value));
}

// Whether all owners of a ref outlive the phi that it is forwarded to.
static bool outlive(const stow_decision *decision, int32_t ref, const stow_forwarded *f) {
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    if (!stow_dealloc_can_lend(&decision->owners, ref, decision->domain.incoming.at[p].phi, -1))
      return false;
  return true;
}

// Whether a forwarded operand has the base address of its owner, whichever of its owners ends
// there.
static bool has_base_of_owner(const stow_decision *decision, const stow_forwarded *f) {
  const stow_owners *owners = &decision->owners;
  stow_walk walk = stow_walk_create(decision->domain.refs.count);
  bool has = true;
  stow_walk_add(&walk, f->ref);
  for (int32_t r; has && stow_walk_next(&walk, &r);) {
    if (owners->of[r].root == r && !owners->of[r].conditional)
      continue;
    has = !decision->domain.refs.at[r].shifted || outlive(decision, r, f);
    stow_dealloc_walk_backward(&decision->domain, &walk, r, NULL, NULL);
  }
  stow_walk_free(&walk);
  return has;
}

// Whether a forwarded operand's address can be compared with those of all owners that may end
// there.
static bool can_move_on_edge(const stow_decision *decision, const stow_forwarded *f) {
  const stow_ref_set *set = &decision->owners.of[f->ref].set;
  bool can = has_address(&decision->domain, f->ref) && has_base_of_owner(decision, f);
  for (stow_ref_cursor c = {0}; can && stow_dealloc_next_ref(set, &c);)
    can = has_address(&decision->domain, c.ref);
  return can;
}

static bool moves_with(const stow_decision *decision, const stow_forwarded *f,
                       const stow_forwarded *other) {
  return stow_dealloc_transfer_of(&decision->owners, other)->kind != STOW_BORROW &&
         stow_dealloc_share_edge(&decision->domain, f, other) &&
         may_share(&decision->owners, f, other);
}

// Operands that may be one buffer and are forwarded to owning phis move together.
static bool move_with(stow_decision *decision, const stow_forwarded *f) {
  const stow_domain *domain = &decision->domain;
  const stow_passed *s = &domain->passed.at[f->segment];
  bool any = false;
  for (int32_t i = s->first; i < s->end; ++i)
    if (moves_with(decision, f, &domain->forwarded.at[i]) &&
        !can_move_on_edge(decision, &domain->forwarded.at[i]))
      return false;
  for (int32_t i = s->first; i < s->end; ++i) {
    const stow_forwarded *other = &domain->forwarded.at[i];
    stow_own_transfer *t = &decision->owners.transfers[i];
    if (t->on_edge || !moves_with(decision, f, other))
      continue;
    t->on_edge = any = true;
    stow_owners_make_conditional(&decision->owners, domain->incoming.at[other->incoming].phi);
  }
  return any;
}

// Where a clone would show and nothing else helps, the owner is found at run time.
static bool move_on_edge_instead(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_observer *observer = NULL;
  bool any = false;
  for (size_t i = 0; i < domain->forwarded.count; ++i) {
    const stow_forwarded *f = &domain->forwarded.at[i];
    bool on_edge = decision->owners.transfers[i].kind == STOW_MOVE_ON_EDGE;
    bool shows = stow_dealloc_is_copied(&decision->owners, f) && !leaves_function(domain, f) &&
                 (!can_clone(mlirValueGetType(domain->refs.at[f->ref].value)) ||
                  stow_dealloc_clone_shows(observer_of(decision, &observer), f));
    if (on_edge || shows)
      any |= move_with(decision, f);
  }
  stow_observer_free(observer);
  return any;
}

// False: a select was split, so that the region must be read again.
static bool decide_domain(stow_decision *decision, bool clone_first) {
  do {
    stow_releases_find(&decision->owners, &decision->releases);
    if (split_selects(decision))
      return false;
    stow_dealloc_speculate_on_clones(decision);
  } while (lend_instead(decision, clone_first) || move_on_edge_instead(decision) ||
           leave_instead(decision));
  return true;
}

// If it is not known where control goes from the region, nothing in it can be decided.
static void leave_all(stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t r = 0; r < domain->refs.count; ++r)
    stow_owners_escape(&decision->owners, (int32_t)r, STOW_ESCAPED, domain->op,
                       "a block around it has no terminator, or one that is not known");
  stow_owners_find(&decision->owners);
}

void stow_dealloc_decide(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                         const stow_contract *promised, const stow_preferences *prefer,
                         stow_decision *out) {
  *out = (stow_decision){0};
  stow_control_read(region, &out->control);
  read_region(op, context, promised, out);
  if (!has_ends(&out->domain)) {
    leave_all(out);
    return;
  }
  while (!decide_domain(out, prefer->clone_first)) {
    forget(out);
    read_region(op, context, promised, out);
  }
  if (prefer->free_early)
    stow_dealloc_speculate_on_frees(out);
  mark_parts(&out->owners);
  if (!prefer->clone_first)
    stow_dealloc_elide_clones(out);
  stow_dealloc_audit_releases(&out->domain, &out->owners, &out->releases);
}

void stow_decision_free(stow_decision *decision) {
  forget(decision);
  stow_region_control_free(&decision->control);
  free(decision->splits.at);
}
