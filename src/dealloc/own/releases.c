//===- releases.c - where ownership ends ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on one owner at a time, whose live range is known (owner_liveness.h).
//
// If an owner is live on one edge from a segment and dead on another, the other edge
// needs a dealloc of its own. Where no code can be placed on that edge (a critical edge
// that cannot be split), the owner is *held*: it stays live up to the segment to which
// the edge leads.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"
#include "dealloc/own/owner_liveness.h"
#include "ir/build.h"

#include <assert.h>
#include <stdlib.h>

typedef struct decider {
  const stow_domain *domain;
  stow_owners *owners;
  stow_releases *releases;
  stow_owner_liveness needs;
  int32_t *moved_on; // per edge: the last attempt that moved its owner on it
  STOW_ARRAY(int32_t) held;
  bool again, failed, forced;
} decider;

static int32_t owner_segment(const decider *d) {
  return d->domain->refs.at[d->needs.owner].segment;
}

//===----------------------------------------------------------------------===//
// Frees of the program
//===----------------------------------------------------------------------===//

static bool is_freed_in(const stow_live_segment *need) { return need->frees > 0; }

static void give_up(decider *d, int32_t ref, MlirOperation op) {
  d->failed = true;
  if (d->forced)
    return;
  stow_owners_escape(d->owners, ref, STOW_MANAGED, op,
                     "it is freed in a way that shows no single owner on every path");
}

static bool is_needed_after_free(const stow_live_segment *need) {
  return need->frees > 1 || need->last > need->freed_at || need->out;
}

// A free must end the ownership of one owner that is needed no longer.
static void check_free(decider *d, const stow_own_mention *mention) {
  int32_t owner = d->needs.owner;
  bool known = stow_dealloc_only_owner(d->owners, mention->ref) == owner &&
               !d->owners->of[owner].conditional;
  bool late = is_needed_after_free(stow_live_segment_of(&d->needs, mention->segment));
  if (late)
    d->forced |= stow_dealloc_force_after_free(d->owners, owner, mention);
  if (late || !known)
    give_up(d, mention->ref, mention->op);
}

static void check_frees(decider *d) {
  const stow_index *behind = &d->owners->behind;
  STOW_EACH_OF(r, *behind, d->needs.owner)
    STOW_EACH_OF(f, d->domain->frees_of, r) {
      const stow_own_mention *mention = &d->domain->frees.at[f];
      check_free(d, mention);
    }
}

// A call may return what it took over. If that is no owner's of this region, the owner of the
// result is unknown.
static bool leave_results_of_calls(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  bool any = false;
  STOW_EACH(const stow_jump, taken, domain->takeovers) {
    int32_t owner = stow_dealloc_only_owner(owners, taken->from);
    bool lent = owners->of[taken->from].mixed || (owner >= 0 && owners->of[owner].conditional);
    if (!lent || owners->of[taken->to].escape >= 0)
      continue;
    stow_owners_escape(owners, taken->to, STOW_MANAGED,
                       mlirOpResultGetOwner(domain->refs.at[taken->to].value),
                       "it may be what the call was given, which was not the caller's to give");
    any = true;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static stow_own_transfer *transfer_of(const decider *d, const stow_forwarded *f) {
  return &d->owners->transfers[f - d->domain->forwarded.at];
}

static bool is_needed_after(const decider *d, int32_t edge) {
  return edge >= 0 && stow_dealloc_is_live_on(&d->needs, edge);
}

static bool can_move(decider *d, const stow_forwarded *f) {
  if (transfer_of(d, f)->immovable ||
      stow_dealloc_only_owner(d->owners, f->ref) != d->needs.owner ||
      is_freed_in(stow_live_segment_of(&d->needs, f->segment)))
    return false;
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p) {
    int32_t edge = d->domain->incoming.at[p].edge;
    if (is_needed_after(d, edge) || (edge >= 0 && d->moved_on[edge] == d->needs.attempt) ||
        (edge < 0 && stow_live_segment_of(&d->needs, f->segment)->moves))
      return false;
  }
  return true;
}

static bool wants_to_own(const stow_owners *owners, const stow_forwarded *f) {
  if (f->incoming_count == 0)
    return false;
  int32_t phi = owners->domain->incoming.at[f->incoming].phi;
  return owners->of[phi].owns && owners->of[phi].escape < 0;
}

static void move(decider *d, const stow_forwarded *f, stow_transfer_kind kind) {
  transfer_of(d, f)->kind = kind;
  stow_live_segment_of(&d->needs, f->segment)->moves = true;
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    if (d->domain->incoming.at[p].edge >= 0)
      d->moved_on[d->domain->incoming.at[p].edge] = d->needs.attempt;
}

// Whether the owner at hand only lends what another one, which is conditional, forwards: that
// decides on its transfer.
static bool is_lent(const decider *d, const stow_forwarded *f) {
  int32_t owner = stow_dealloc_only_owner(d->owners, f->ref);
  return owner >= 0 && owner != d->needs.owner;
}

static void copy(decider *d, const stow_forwarded *f) {
  if (!is_lent(d, f))
    transfer_of(d, f)->kind = STOW_CLONE;
  if (stow_dealloc_edge_of(d->domain, f) >= 0) // its clone stands on the edge
    stow_live_segment_of(&d->needs, f->segment)->moves = true;
}

static int32_t phi_of(const decider *d, const stow_forwarded *f) {
  return d->domain->incoming.at[f->incoming].phi;
}

// A phi to which a conditional owner moves is conditional, too. The results of a function cannot
// be.
static bool can_carry(decider *d, const stow_forwarded *f) {
  int32_t phi = phi_of(d, f);
  return d->domain->refs.at[phi].segment >= 0 &&
         stow_dealloc_can_lend(d->owners, f->ref, phi, d->needs.owner);
}

static void carry(decider *d, const stow_forwarded *f) {
  move(d, f, STOW_MOVE_OWNED);
  if (d->owners->of[phi_of(d, f)].conditional)
    return;
  stow_owners_make_conditional(d->owners, phi_of(d, f));
  d->failed = true;
}

int32_t stow_dealloc_edge_of(const stow_domain *domain, const stow_forwarded *f) {
  int32_t edge = domain->incoming.at[f->incoming].edge;
  int32_t leaving = domain->leaving.first[f->segment + 1] - domain->leaving.first[f->segment];
  return edge >= 0 && leaving > 1 && domain->exits.at[edge].successor >= 0 ? edge : -1;
}

static bool has_ended_on(const decider *d, const stow_forwarded *f) {
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    if (is_needed_after(d, d->domain->incoming.at[p].edge) ||
        d->moved_on[d->domain->incoming.at[p].edge] == d->needs.attempt)
      return true;
  return false;
}

// The owner ends here, or lives on and lends.
static void add_edge_move(decider *d, const stow_forwarded *f) {
  stow_releases *r = d->releases;
  transfer_of(d, f)->kind = STOW_MOVE_ON_EDGE;
  if (has_ended_on(d, f) || is_freed_in(stow_live_segment_of(&d->needs, f->segment)))
    return;
  move(d, f, STOW_MOVE_ON_EDGE);
  STOW_PUSH(r->edge_moves,
            (stow_edge_move){d->needs.owner, f->segment, stow_dealloc_edge_of(d->domain, f)});
}

static void decide_transfer(decider *d, const stow_forwarded *f) {
  if (transfer_of(d, f)->on_edge) {
    add_edge_move(d, f);
    return;
  }
  if (!can_move(d, f))
    copy(d, f);
  else if (!d->owners->of[d->needs.owner].conditional)
    move(d, f, STOW_MOVE);
  else if (can_carry(d, f))
    carry(d, f);
  else
    copy(d, f);
}

// What costs most to clone moves first, as the others are cloned then. A part has no more cells.
typedef enum clone_cost { NO_CLONE, OF_ALL, OF_PART, CLONE_COSTS } clone_cost;

static clone_cost cost_of_clone(const decider *d, int32_t ref) {
  const stow_ref *r = &d->domain->refs.at[ref];
  if (mlirTypeIsNull(stow_ir_type_with_room(mlirValueGetType(r->value))))
    return NO_CLONE;
  return r->part ? OF_PART : OF_ALL;
}

static void decide_transfers_of(decider *d, int32_t ref, clone_cost cost) {
  const stow_index *forwarded_of = &d->domain->forwarded_of;
  if (forwarded_of->first[ref] == forwarded_of->first[ref + 1] || cost_of_clone(d, ref) != cost)
    return;
  const stow_domain *domain = d->domain;
  STOW_EACH_OF(i, domain->forwarded_of, ref) {
    const stow_forwarded *f = &domain->forwarded.at[i];
    if (wants_to_own(d->owners, f) && !transfer_of(d, f)->lends)
      decide_transfer(d, f);
  }
}

static void decide_transfers(decider *d) {
  const stow_index *behind = &d->owners->behind;
  for (clone_cost cost = NO_CLONE; cost < CLONE_COSTS; ++cost)
    STOW_EACH_OF(i, *behind, d->needs.owner)
      decide_transfers_of(d, i, cost);
}

// What the op at the end uses itself must be freed behind it: on the edges from there.
static void use_by_ends(decider *d) {
  for (size_t i = 0; i < d->needs.touched_count; ++i) {
    stow_live_segment *need = &d->needs.of[d->needs.touched[i]];
    need->moves |= need->last > stow_dealloc_end_of(d->domain, d->needs.touched[i]);
  }
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static void release(decider *d, int32_t segment, stow_spot spot, int64_t at) {
  stow_releases *r = d->releases;
  STOW_PUSH(r->items, (stow_release){d->needs.owner, segment, spot, at});
}

static bool holds_at_end(decider *d, int32_t segment) {
  const stow_live_segment *need = &d->needs.of[segment];
  return need->attempt == d->needs.attempt && !is_freed_in(need) && (need->out || need->moves) &&
         (need->in || segment == owner_segment(d));
}

static bool dies_on(decider *d, int32_t edge) {
  return holds_at_end(d, d->domain->edges.at[edge].from) && !is_needed_after(d, edge) &&
         d->moved_on[edge] != d->needs.attempt;
}

static bool dies_on_all_edges_to(decider *d, int32_t segment) {
  const stow_domain *domain = d->domain;
  STOW_EACH_OF(p, domain->entering, segment)
    if (!dies_on(d, p))
      return false;
  return true;
}

// Frees the owner where a segment begins, if it dies on all edges to there. Asked on each of them,
// found out once.
static bool release_at_start(decider *d, int32_t segment) {
  stow_live_segment *need = stow_live_segment_of(&d->needs, segment);
  if (need->dies || need->lives)
    return need->dies;
  need->dies = dies_on_all_edges_to(d, segment);
  need->lives = !need->dies;
  if (need->dies)
    release(d, segment, STOW_AT_START, segment);
  return need->dies;
}

// Whether there was a move to forbid.
static bool forbid_moves(decider *d, int32_t segment) {
  const stow_passed *s = &d->domain->passed.at[segment];
  bool forbidden = false;
  for (int32_t f = s->first; f < s->end; ++f) {
    stow_own_transfer *t = &d->owners->transfers[f];
    if (stow_dealloc_only_owner(d->owners, d->domain->forwarded.at[f].ref) != d->needs.owner ||
        t->immovable)
      continue;
    t->immovable = true;
    forbidden = true;
  }
  return forbidden;
}

// The op at the end needs the owner, as the region of an scf.reduce may, and nothing can be placed
// behind it: on the edges from there the owner is not known.
static void leave_to_end(decider *d, int32_t segment) {
  const MlirOperation last = d->domain->segments.at[segment].last;
  d->failed = true;
  stow_owners_escape(d->owners, d->needs.owner, STOW_ESCAPED,
                     mlirOperationIsNull(last) ? d->domain->op : last,
                     "the op at the end of its block uses it, and no place is behind that; read "
                     "what is needed in front of that op");
}

static void hold(decider *d, int32_t segment) {
  STOW_PUSH(d->held, segment);
  d->again = true;
}

static void release_on(decider *d, int32_t p) {
  const stow_jump *edge = &d->domain->edges.at[p];
  const stow_exit *how = &d->domain->exits.at[p];
  bool visible = stow_dealloc_reaches_start(d->domain, d->needs.owner, edge->to);
  if (visible && release_at_start(d, edge->to))
    return;
  if (how->successor >= 0 || how->empty_region >= 0) {
    release(d, edge->from, STOW_ON_EDGE, p);
  } else if (visible) {
    hold(d, edge->to);
  } else if (forbid_moves(d, edge->from)) {
    d->again = true;
  } else {
    leave_to_end(d, edge->from);
  }
}

static void release_inside(decider *d, int32_t segment, const stow_live_segment *need) {
  if (need->last == STOW_START)
    release(d, segment, STOW_AT_START, segment);
  else if (need->last >= stow_dealloc_end_of(d->domain, segment))
    release(d, segment, STOW_BEFORE_END, segment);
  else
    release(d, segment, STOW_AFTER_OP, need->last / 2);
}

static void release_from(decider *d, int32_t segment) {
  const stow_domain *domain = d->domain;
  stow_live_segment *need = &d->needs.of[segment];
  if (is_freed_in(need) || (!need->in && segment != owner_segment(d)))
    return;
  if (!need->out && !need->moves) {
    release_inside(d, segment, need);
    return;
  }
  STOW_EACH_OF(p, domain->leaving, segment)
    if (dies_on(d, p))
      release_on(d, p);
}

static void place_releases(decider *d) {
  size_t touched = d->needs.touched_count;
  for (size_t i = 0; i < touched && !d->again && !d->failed; ++i)
    release_from(d, d->needs.touched[i]);
}

//===----------------------------------------------------------------------===//
// One owner after another
//===----------------------------------------------------------------------===//

static void try_owner(decider *d, int32_t owner) {
  stow_owner_liveness_find(&d->needs, owner, d->held.at, d->held.count);
  check_frees(d);
  decide_transfers(d);
  use_by_ends(d);
  if (!d->failed)
    place_releases(d);
}

// Each attempt that fails adds a hold or forbids a move.
static void decide_owner(decider *d, int32_t owner) {
  size_t released = d->releases->items.count, moved = d->releases->edge_moves.count;
  d->needs.owner = owner;
  d->held.count = 0;
  do {
    d->again = false;
    d->releases->items.count = released;
    d->releases->edge_moves.count = moved;
    try_owner(d, owner);
  } while (d->again && !d->failed);
}

// What no owner of this region reaches stays so.
static void start_transfers(decider *d) {
  for (size_t i = 0; i < d->domain->forwarded.count; ++i) {
    stow_own_transfer *t = &d->owners->transfers[i];
    bool owns = wants_to_own(d->owners, &d->domain->forwarded.at[i]) && !t->lends;
    t->kind = !owns ? STOW_BORROW : t->on_edge ? STOW_MOVE_ON_EDGE : STOW_CLONE;
  }
}

// False: the owners must be found again. A free of the program that cannot be understood has become
// an escape, so that what it may free is left alone; or a phi has become a conditional owner.
static bool find(stow_owners *owners, stow_releases *out_releases) {
  const stow_domain *domain = owners->domain;
  if (stow_dealloc_force_freed(owners) || leave_results_of_calls(owners))
    return false;
  decider d = {.domain = domain,
               .owners = owners,
               .releases = out_releases,
               .needs = stow_owner_liveness_create(owners),
               .moved_on = stow_ir_allocate(domain->edges.count, sizeof *d.moved_on)};
  out_releases->items.count = out_releases->edge_moves.count = 0;
  start_transfers(&d);
  for (size_t r = 0; r < domain->refs.count; ++r)
    if (owners->of[r].root == (int32_t)r && domain->refs.at[r].segment >= 0)
      decide_owner(&d, (int32_t)r);
  stow_owner_liveness_free(&d.needs);
  free(d.moved_on);
  free(d.held.at);
  return !d.failed;
}

void stow_releases_find(stow_owners *owners, stow_releases *out_releases) {
  do
    stow_owners_find(owners);
  while (!find(owners, out_releases));
}

void stow_releases_free(stow_releases *releases) {
  free(releases->items.at);
  free(releases->edge_moves.at);
  *releases = (stow_releases){0};
}
