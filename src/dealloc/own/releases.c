//===- releases.c - where ownership ends ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on one owner at a time, whose live range is known (needs.h).
//
// If an owner is live on one path from a stretch and dead on another, the other path
// needs a dealloc of its own. Where no code can be placed on that path (a critical edge
// that cannot be split), the owner is *held*: it stays live up to the stretch that the
// path leads to.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/releases.h"
#include "dealloc/own/claims.h"
#include "dealloc/own/needs.h"

#include <assert.h>
#include <stdlib.h>

typedef struct decider {
  const stow_domain *domain;
  stow_owners *owners;
  stow_releases *releases;
  stow_needs needs;
  int32_t *moved_on; // per path: the last attempt that moved its owner on it
  STOW_ARRAY(int32_t) held;
  bool again, failed, claimed;
} decider;

static int32_t owner_stretch(const decider *d) {
  return d->domain->refs.at[d->needs.owner].stretch;
}

//===----------------------------------------------------------------------===//
// Frees of the program
//===----------------------------------------------------------------------===//

static bool is_freed_in(const stow_need *need) { return need->frees > 0; }

static void give_up(decider *d, int32_t ref, MlirOperation op) {
  d->failed = true;
  if (d->claimed)
    return;
  stow_owners_leave(d->owners, ref, STOW_MANAGED, op,
                    "it is freed in a way that shows no single owner on every path");
}

static bool is_needed_after_free(const stow_need *need) {
  return need->frees > 1 || need->last > need->freed_at || need->out;
}

// A free must end the ownership of one owner that is needed no longer.
static void check_free(decider *d, const stow_mention *mention) {
  int32_t owner = d->needs.owner;
  bool known = stow_only_owner(d->owners, mention->ref) == owner && !d->owners->conditional[owner];
  bool late = is_needed_after_free(stow_need_in(&d->needs, mention->stretch));
  if (late)
    d->claimed |= stow_claim_after_free(d->domain, d->owners, owner, mention);
  if (late || !known)
    give_up(d, mention->ref, mention->op);
}

static void check_frees(decider *d) {
  const stow_index *behind = &d->owners->behind;
  for (int32_t i = behind->first[d->needs.owner]; i < behind->first[d->needs.owner + 1]; ++i) {
    int32_t r = behind->items[i];
    for (int32_t f = d->needs.frees.first[r]; f < d->needs.frees.first[r + 1]; ++f) {
      const stow_mention *mention = &d->domain->frees.at[d->needs.frees.items[f]];
      if (d->domain->stretches.at[mention->stretch].reachable)
        check_free(d, mention);
    }
  }
}

// A call that takes over what no owner here can give away may return the same: then the owner of
// the result is unknown.
static bool leave_results_of_calls(const stow_domain *domain, stow_owners *owners) {
  bool any = false;
  for (size_t i = 0; i < domain->takeovers.count; ++i) {
    const stow_view *taken = &domain->takeovers.at[i];
    int32_t owner = stow_only_owner(owners, taken->from);
    bool lent = owners->mixed[taken->from] || (owner >= 0 && owners->conditional[owner]);
    if (!lent || owners->left[taken->to] >= 0)
      continue;
    stow_owners_leave(owners, taken->to, STOW_MANAGED,
                      mlirOpResultGetOwner(domain->refs.at[taken->to].value),
                      "it may be what the call was given, which was not the caller's to give");
    any = true;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Handovers
//===----------------------------------------------------------------------===//

static stow_transfer *transfer_of(const decider *d, const stow_handover *h) {
  return &d->owners->transfers[h - d->domain->handovers.at];
}

static bool is_needed_after(const decider *d, int32_t path) {
  return path >= 0 && stow_is_needed_on(&d->needs, path);
}

static bool can_move(decider *d, const stow_handover *h) {
  if (transfer_of(d, h)->immovable || stow_only_owner(d->owners, h->ref) != d->needs.owner ||
      is_freed_in(stow_need_in(&d->needs, h->stretch)))
    return false;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p) {
    int32_t path = d->domain->passes.at[p].path;
    if (is_needed_after(d, path) || (path >= 0 && d->moved_on[path] == d->needs.attempt) ||
        (path < 0 && stow_need_in(&d->needs, h->stretch)->leaves))
      return false;
  }
  return true;
}

static bool wants_to_own(const stow_owners *owners, const stow_handover *h) {
  if (h->pass_count == 0)
    return false;
  int32_t target = owners->domain->passes.at[h->pass].target;
  return owners->owns[target] && owners->left[target] < 0;
}

static void move(decider *d, const stow_handover *h, stow_manner manner) {
  transfer_of(d, h)->manner = manner;
  stow_need_in(&d->needs, h->stretch)->leaves = true;
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    if (d->domain->passes.at[p].path >= 0)
      d->moved_on[d->domain->passes.at[p].path] = d->needs.attempt;
}

static void copy(decider *d, const stow_handover *h) {
  transfer_of(d, h)->manner = STOW_COPY;
  if (stow_path_of(d->domain, h) >= 0) // its clone stands on the path
    stow_need_in(&d->needs, h->stretch)->leaves = true;
}

static int32_t target_of(const decider *d, const stow_handover *h) {
  return d->domain->passes.at[h->pass].target;
}

// What a conditional owner gives away it gives on some paths only, so what takes it is conditional,
// too. The results of a function cannot be.
static bool can_carry(decider *d, const stow_handover *h) {
  int32_t target = target_of(d, h);
  return d->domain->refs.at[target].stretch >= 0 &&
         stow_can_lend(d->owners, h->ref, target, d->needs.owner);
}

static void carry(decider *d, const stow_handover *h) {
  move(d, h, STOW_CARRY);
  if (d->owners->conditional[target_of(d, h)])
    return;
  stow_owners_make_conditional(d->owners, target_of(d, h));
  d->failed = true;
}

int32_t stow_path_of(const stow_domain *domain, const stow_handover *h) {
  int32_t path = domain->passes.at[h->pass].path;
  int32_t leaving = domain->leaving.first[h->stretch + 1] - domain->leaving.first[h->stretch];
  return path >= 0 && leaving > 1 && domain->paths.at[path].successor >= 0 ? path : -1;
}

static bool has_ended_on(const decider *d, const stow_handover *h) {
  for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
    if (is_needed_after(d, d->domain->passes.at[p].path) ||
        d->moved_on[d->domain->passes.at[p].path] == d->needs.attempt)
      return true;
  return false;
}

// The owner ends here, or goes on and lends.
static void settle(decider *d, const stow_handover *h) {
  stow_releases *r = d->releases;
  transfer_of(d, h)->manner = STOW_SETTLE;
  if (has_ended_on(d, h) || is_freed_in(stow_need_in(&d->needs, h->stretch)))
    return;
  move(d, h, STOW_SETTLE);
  STOW_PUSH(r->settlements,
            (stow_settlement){d->needs.owner, h->stretch, stow_path_of(d->domain, h)});
}

static void decide_handover(decider *d, const stow_handover *h) {
  if (transfer_of(d, h)->settles) {
    settle(d, h);
    return;
  }
  if (!can_move(d, h))
    copy(d, h);
  else if (!d->owners->conditional[d->needs.owner])
    move(d, h, STOW_MOVE);
  else if (can_carry(d, h))
    carry(d, h);
  else
    copy(d, h);
}

static void decide_handovers_of(decider *d, int32_t ref) {
  const stow_domain *domain = d->domain;
  for (int32_t i = domain->handed.first[ref]; i < domain->handed.first[ref + 1]; ++i) {
    const stow_handover *h = &domain->handovers.at[domain->handed.items[i]];
    if (domain->stretches.at[h->stretch].reachable && wants_to_own(d->owners, h) &&
        !transfer_of(d, h)->lends)
      decide_handover(d, h);
  }
}

static void decide_handovers(decider *d) {
  const stow_index *behind = &d->owners->behind;
  for (int32_t i = behind->first[d->needs.owner]; i < behind->first[d->needs.owner + 1]; ++i)
    decide_handovers_of(d, behind->items[i]);
}

// What the op at the end itself uses outlasts it, so that it must be freed on the paths from there.
static void use_by_ends(decider *d) {
  for (size_t i = 0; i < d->needs.touched_count; ++i) {
    stow_need *need = &d->needs.of[d->needs.touched[i]];
    need->leaves |= need->last > stow_end_of(d->domain, d->needs.touched[i]);
  }
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static void release(decider *d, int32_t stretch, stow_spot spot, int64_t at) {
  stow_releases *r = d->releases;
  STOW_PUSH(r->items, (stow_release){d->needs.owner, stretch, spot, at});
}

static bool holds_at_end(decider *d, int32_t stretch) {
  const stow_need *need = &d->needs.of[stretch];
  return need->attempt == d->needs.attempt && !is_freed_in(need) && (need->out || need->leaves) &&
         (need->in || stretch == owner_stretch(d));
}

static bool dies_on(decider *d, int32_t path) {
  return holds_at_end(d, d->domain->paths.at[path].from) && !is_needed_after(d, path) &&
         d->moved_on[path] != d->needs.attempt;
}

static bool dies_on_all_paths_to(decider *d, int32_t stretch) {
  const stow_domain *domain = d->domain;
  for (int32_t p = domain->entering.first[stretch]; p < domain->entering.first[stretch + 1]; ++p) {
    int32_t path = domain->entering.items[p];
    if (domain->stretches.at[domain->paths.at[path].from].reachable && !dies_on(d, path))
      return false;
  }
  return true;
}

static void forbid_moves(decider *d, int32_t stretch) {
  const stow_stretch *s = &d->domain->stretches.at[stretch];
  bool forbidden = false;
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h) {
    stow_transfer *t = &d->owners->transfers[h];
    if (stow_only_owner(d->owners, d->domain->handovers.at[h].ref) != d->needs.owner ||
        t->immovable)
      continue;
    t->immovable = true;
    forbidden = true;
  }
  assert(forbidden && "an owner is needed on a path that it does not reach");
  d->again = forbidden;
}

static void hold(decider *d, int32_t stretch) {
  STOW_PUSH(d->held, stretch);
  d->again = true;
}

static void release_on(decider *d, int32_t p) {
  const stow_path *path = &d->domain->paths.at[p];
  bool visible = stow_reaches_start(d->domain, d->needs.owner, path->to);
  if (visible && dies_on_all_paths_to(d, path->to)) {
    stow_need *to = stow_need_in(&d->needs, path->to);
    if (!to->placed)
      release(d, path->to, STOW_AT_START, path->to);
    to->placed = true;
  } else if (path->successor >= 0 || path->empty_region >= 0) {
    release(d, path->from, STOW_ON_PATH, p);
  } else if (visible) {
    hold(d, path->to);
  } else {
    forbid_moves(d, path->from);
  }
}

static void release_inside(decider *d, int32_t stretch, const stow_need *need) {
  if (need->last == STOW_START)
    release(d, stretch, STOW_AT_START, stretch);
  else if (need->last >= stow_end_of(d->domain, stretch))
    release(d, stretch, STOW_BEFORE_END, stretch);
  else
    release(d, stretch, STOW_AFTER_OP, need->last / 2);
}

static void release_from(decider *d, int32_t stretch) {
  const stow_domain *domain = d->domain;
  stow_need *need = &d->needs.of[stretch];
  if (is_freed_in(need) || (!need->in && stretch != owner_stretch(d)))
    return;
  if (!need->out && !need->leaves) {
    release_inside(d, stretch, need);
    return;
  }
  for (int32_t p = domain->leaving.first[stretch]; p < domain->leaving.first[stretch + 1]; ++p)
    if (dies_on(d, domain->leaving.items[p]))
      release_on(d, domain->leaving.items[p]);
}

static void place_releases(decider *d) {
  size_t touched = d->needs.touched_count;
  for (size_t i = 0; i < touched && !d->again; ++i)
    release_from(d, d->needs.touched[i]);
}

//===----------------------------------------------------------------------===//
// One owner after another
//===----------------------------------------------------------------------===//

static void try_owner(decider *d, int32_t owner) {
  stow_needs_find(&d->needs, owner, d->held.at, d->held.count);
  check_frees(d);
  decide_handovers(d);
  use_by_ends(d);
  if (!d->failed)
    place_releases(d);
}

// Each try that does not succeed adds a hold or forbids a move.
static void decide_owner(decider *d, int32_t owner) {
  size_t released = d->releases->items.count, settled = d->releases->settlements.count;
  d->needs.owner = owner;
  d->held.count = 0;
  do {
    d->again = false;
    d->releases->items.count = released;
    d->releases->settlements.count = settled;
    try_owner(d, owner);
  } while (d->again && !d->failed);
}

// Handovers of what nobody here owns stay as they are here.
static void start_handovers(decider *d) {
  for (size_t i = 0; i < d->domain->handovers.count; ++i) {
    stow_transfer *t = &d->owners->transfers[i];
    bool owns = wants_to_own(d->owners, &d->domain->handovers.at[i]) && !t->lends;
    t->manner = !owns ? STOW_LEND : t->settles ? STOW_SETTLE : STOW_COPY;
  }
}

bool stow_releases_find(const stow_domain *domain, stow_owners *owners,
                        stow_releases *out_releases) {
  if (stow_claim_freed(domain, owners) || leave_results_of_calls(domain, owners))
    return false;
  decider d = {.domain = domain,
               .owners = owners,
               .releases = out_releases,
               .needs = stow_needs_create(domain, owners),
               .moved_on = stow_allocate(domain->paths.count, sizeof *d.moved_on)};
  out_releases->items.count = out_releases->settlements.count = 0;
  start_handovers(&d);
  for (size_t r = 0; r < domain->refs.count; ++r)
    if (owners->root[r] == (int32_t)r && domain->refs.at[r].stretch >= 0)
      decide_owner(&d, (int32_t)r);
  stow_needs_free(&d.needs);
  free(d.moved_on), free(d.held.at);
  return !d.failed;
}

void stow_releases_free(stow_releases *releases) {
  free(releases->items.at), free(releases->settlements.at);
  *releases = (stow_releases){0};
}
