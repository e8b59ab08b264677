//===- owners.c - who owns what a value stands for ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners are propagated forward along views and edges. A phi that cannot borrow from an
// owner becomes an owner itself, and takes the place of that owner in all that follows;
// so the propagation starts again until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Webs
//===----------------------------------------------------------------------===//

static void find_webs(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  int32_t *webs = stow_ir_sets_of(domain->refs.count);
  for (size_t i = 1; i < domain->incoming.count; ++i)
    if (domain->incoming.at[i].forwarded == domain->incoming.at[i - 1].forwarded)
      stow_ir_unite(webs, domain->incoming.at[i - 1].phi, domain->incoming.at[i].phi);
  for (size_t r = 0; r < domain->refs.count; ++r)
    owners->of[r].web = stow_ir_leader(webs, (int32_t)r);
  free(webs);
}

// `owns` of a web is kept at its first ref until stow_owners_find spreads it.
void stow_owners_force(stow_owners *owners, int32_t phi) {
  bool *owns = &owners->of[owners->of[phi].web].owns;
  owners->forced |= !*owns;
  *owns = true;
}

void stow_owners_make_conditional(stow_owners *owners, int32_t phi) {
  stow_owners_force(owners, phi);
  owners->of[owners->of[phi].web].conditional = true;
}

static void spread_webs(stow_owners *owners) {
  for (size_t r = 0; r < owners->domain->refs.count; ++r) {
    owners->of[r].owns = owners->of[owners->of[r].web].owns;
    owners->of[r].conditional = owners->of[owners->of[r].web].conditional;
  }
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

enum { UNSEEN = -2, NO_ROOT = -1 };

// A ref that waits passes on what was added to it since it last did: what it had before has been
// passed on. So each owner goes along each view and edge once, however often loops lead around.
typedef struct propagation {
  const stow_domain *domain;
  stow_owners *owners;
  bool *waiting;          // per ref
  stow_ref_set *added;    // per ref: to its set, since it was last passed on
  stow_ref_set passed_on; // what the ref that is gone on from had added
  stow_ref_set missing;   // scratch
} propagation;

static void start(propagation *p) {
  const stow_domain *d = p->domain;
  stow_owners *owners = p->owners;
  for (size_t r = 0; r < d->refs.count; ++r) {
    const stow_ref *ref = &d->refs.at[r];
    bool made = ref->origin == STOW_MADE && stow_dealloc_is_reachable(d, ref->segment);
    bool own = (made || owners->of[r].owns) && owners->of[r].escape < 0;
    owners->of[r].set.count = 0;
    owners->of[r].mixed =
        !own && (ref->foreign || ref->origin == STOW_MADE || owners->of[r].escape >= 0);
    owners->of[r].root = own ? (int32_t)r : owners->of[r].mixed ? NO_ROOT : UNSEEN;
    if (own) {
      stow_ref_set_add(&owners->of[r].set, (int32_t)r);
      stow_ref_set_add(&p->added[r], (int32_t)r);
    }
    p->waiting[r] = own || owners->of[r].mixed;
  }
}

static bool spread_mixed(propagation *p, int32_t from, int32_t to) {
  stow_standing *of = p->owners->of;
  bool changed = of[from].mixed && !of[to].mixed;
  of[to].mixed |= of[from].mixed;
  return changed;
}

// `to` may stand for what `from` may stand for, of which `set` is passed on, but for `except`.
static bool spread(propagation *p, const stow_ref_set *set, int32_t from, int32_t to,
                   int32_t except) {
  bool changed = spread_mixed(p, from, to);
  stow_ref_set_find_missing(&p->owners->of[to].set, set, except, &p->missing);
  if (p->missing.count == 0)
    return changed;
  stow_ref_set_add_all(&p->owners->of[to].set, &p->missing);
  stow_ref_set_add_all(&p->added[to], &p->missing);
  return true;
}

static void flow(propagation *p, int32_t from, int32_t to) {
  stow_standing *of = p->owners->of;
  bool changed = spread(p, &p->passed_on, from, to, -1);
  int32_t root = of[to].root == UNSEEN ? of[from].root : of[to].root;
  if (root != of[from].root)
    root = NO_ROOT;
  changed |= root != of[to].root;
  of[to].root = root;
  if (changed)
    p->waiting[to] = true;
}

static bool can_lend_all(const stow_domain *domain, const stow_ref_set *set, int32_t phi,
                         int32_t except) {
  for (stow_ref_cursor c = {0}; stow_dealloc_next_ref(set, &c);)
    if (c.ref != except && !stow_dealloc_reaches_start(domain, c.ref, domain->refs.at[phi].segment))
      return false;
  return true;
}

bool stow_dealloc_can_lend(const stow_owners *owners, int32_t ref, int32_t phi, int32_t except) {
  return can_lend_all(owners->domain, &owners->of[ref].set, phi, except);
}

static bool add_owner(propagation *p, int32_t to, int32_t owner) {
  if (!stow_ref_set_add(&p->owners->of[to].set, owner))
    return false;
  stow_ref_set_add(&p->added[to], owner);
  return true;
}

// What on_edge may be owned by those owners of its source that live on, and by any of the phis that
// move with it.
static void move_to(propagation *p, const stow_forwarded *f, int32_t phi) {
  const stow_domain *d = p->domain;
  const stow_passed *s = &d->passed.at[f->segment];
  bool changed = spread_mixed(p, f->ref, phi);
  for (stow_ref_cursor c = {0}; stow_dealloc_next_ref(&p->passed_on, &c);)
    if (stow_dealloc_reaches_start(d, c.ref, d->refs.at[phi].segment))
      changed |= add_owner(p, phi, c.ref);
  for (int32_t i = s->first; i < s->end; ++i) {
    const stow_forwarded *other = &d->forwarded.at[i];
    for (int32_t q = other->incoming;
         p->owners->transfers[i].on_edge && q < other->incoming + other->incoming_count; ++q)
      if (d->refs.at[d->incoming.at[q].phi].segment == d->refs.at[phi].segment)
        changed |= add_owner(p, phi, d->incoming.at[q].phi);
  }
  if (changed)
    p->waiting[phi] = true;
}

// A conditional owner may be the buffer of the owners that it borrows from, and of those that
// another conditional owner, whose ownership moves to it, has borrowed from.
static void reach_conditional(propagation *p, const stow_forwarded *f, int32_t phi) {
  stow_owners *owners = p->owners;
  stow_own_transfer *t = &owners->transfers[f - p->domain->forwarded.at];
  int32_t root = owners->of[f->ref].root, except = -1;
  if (t->on_edge) {
    move_to(p, f, phi);
    return;
  }
  if (!t->lends) {
    if (root < 0 || !owners->of[root].conditional)
      return;
    except = root;
  }
  // What was once refused was not passed on.
  const stow_ref_set *set = t->immovable || t->unlendable ? &owners->of[f->ref].set : &p->passed_on;
  if (can_lend_all(p->domain, set, phi, except)) {
    if (spread(p, set, f->ref, phi, except))
      p->waiting[phi] = true;
    return;
  }
  owners->forced |= t->lends;
  t->immovable |= !t->lends;
  t->unlendable |= t->lends;
  t->lends = false;
}

static void reach_phi(propagation *p, const stow_forwarded *f, int32_t phi) {
  stow_owners *owners = p->owners;
  if (owners->of[phi].conditional && owners->of[phi].escape < 0)
    reach_conditional(p, f, phi);
  else if (owners->of[owners->of[phi].web].owns)
    return;
  else if (can_lend_all(p->domain, &p->passed_on, phi, -1))
    flow(p, f->ref, phi);
  else
    stow_owners_force(owners, phi);
}

static void take_added(propagation *p, int32_t ref) {
  stow_ref_set taken = p->added[ref];
  p->added[ref] = p->passed_on;
  p->added[ref].count = 0;
  p->passed_on = taken;
}

static void go_on_from(propagation *p, int32_t ref) {
  const stow_domain *d = p->domain;
  take_added(p, ref);
  STOW_EACH_OF(i, d->views_of, ref)
    flow(p, ref, i);
  STOW_EACH_OF(i, d->forwarded_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[i];
    for (int32_t q = f->incoming; q < f->incoming + f->incoming_count; ++q)
      reach_phi(p, f, d->incoming.at[q].phi);
  }
}

// In reverse postorder, so that all that flows into a ref is known before it flows on, but for what
// comes around loops.
static void propagate(stow_owners *owners) {
  const size_t refs = owners->domain->refs.count;
  propagation p = {.domain = owners->domain,
                   .owners = owners,
                   .waiting = stow_ir_allocate(refs, sizeof *p.waiting),
                   .added = stow_ir_allocate(refs, sizeof *p.added)};
  start(&p);
  for (bool any = true; any;) {
    any = false;
    for (size_t i = 0; i < refs; ++i) {
      int32_t ref = owners->order[i];
      if (!p.waiting[ref])
        continue;
      p.waiting[ref] = false;
      any = true;
      go_on_from(&p, ref);
    }
  }
  for (size_t r = 0; r < refs; ++r)
    free(p.added[r].at);
  free(p.waiting);
  free(p.added);
  free(p.passed_on.at);
  free(p.missing.at);
}

typedef struct ref_place {
  int32_t rpo, ref;
  int64_t position;
} ref_place;

static int by_place(const void *a, const void *b) {
  const ref_place *x = a, *y = b;
  return stow_ir_then(
      STOW_COMPARE(x->rpo, y->rpo),
      stow_ir_then(STOW_COMPARE(x->position, y->position), STOW_COMPARE(x->ref, y->ref)));
}

static int32_t *order_of_refs(const stow_domain *domain) {
  ref_place *places = stow_ir_allocate(domain->refs.count, sizeof *places);
  int32_t *order = stow_ir_allocate(domain->refs.count, sizeof *order);
  for (size_t r = 0; r < domain->refs.count; ++r) {
    const stow_ref *ref = &domain->refs.at[r];
    int32_t rpo = ref->segment < 0 ? -1 : domain->dominance[ref->segment].rpo;
    places[r] = (ref_place){rpo, (int32_t)r, ref->position};
  }
  stow_ir_sort(places, domain->refs.count, sizeof *places, by_place);
  for (size_t r = 0; r < domain->refs.count; ++r)
    order[r] = places[r].ref;
  free(places);
  return order;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

// As stow_index_of, without a table of pairs: there may be very many.
static void index_behind(stow_owners *owners) {
  size_t refs = owners->domain->refs.count, count = 0;
  stow_index_free(&owners->behind);
  int32_t *first = stow_ir_allocate(refs + 1, sizeof *first);
  int32_t *next = stow_ir_allocate(refs, sizeof *next);
  for (size_t r = 0; r < refs; ++r) {
    count += stow_ref_set_size(&owners->of[r].set);
    for (stow_ref_cursor c = {0}; stow_dealloc_next_ref(&owners->of[r].set, &c);)
      ++first[c.ref + 1];
  }
  for (size_t r = 0; r < refs; ++r) {
    next[r] = first[r];
    first[r + 1] += first[r];
  }
  int32_t *items = stow_ir_allocate(count, sizeof *items);
  for (size_t r = 0; r < refs; ++r)
    for (stow_ref_cursor c = {0}; stow_dealloc_next_ref(&owners->of[r].set, &c);)
      items[next[c.ref]++] = (int32_t)r;
  owners->behind = (stow_index){first, items};
  free(next);
}

void stow_owners_escape(stow_owners *owners, int32_t ref, stow_escape_kind kind, MlirOperation op,
                        const char *reason) {
  STOW_PUSH(owners->escapes, (stow_own_escape){ref, kind, op, reason});
}

stow_owners stow_owners_create(const stow_domain *domain) {
  const size_t refs = domain->refs.count, forwarded = domain->forwarded.count;
  stow_owners owners = {.domain = domain,
                        .transfers = stow_ir_allocate(forwarded, sizeof *owners.transfers),
                        .of = stow_ir_allocate(refs, sizeof *owners.of),
                        .order = order_of_refs(domain)};
  for (size_t i = 0; i < domain->escapes.count; ++i)
    STOW_PUSH(owners.escapes, domain->escapes.at[i]);
  for (size_t r = 0; r < refs; ++r)
    owners.of[r].part = domain->refs.at[r].part;
  find_webs(&owners);
  return owners;
}

void stow_owners_free(stow_owners *owners) {
  for (size_t r = 0; owners->of && r < owners->domain->refs.count; ++r)
    free(owners->of[r].set.at);
  free(owners->transfers);
  free(owners->escapes.at);
  free(owners->of);
  free(owners->order);
  stow_index_free(&owners->behind);
  *owners = (stow_owners){0};
}

void stow_owners_find(stow_owners *owners) {
  for (size_t i = 0; i < owners->domain->forwarded.count; ++i)
    owners->transfers[i].immovable = false;
  stow_dealloc_find_escaped(owners);
  do {
    owners->forced = false;
    spread_webs(owners);
    propagate(owners);
  } while (owners->forced);
  index_behind(owners);
}

bool stow_dealloc_may_stand_for(const stow_owners *owners, int32_t ref, int32_t owner) {
  return stow_ref_set_has(&owners->of[ref].set, owner);
}

int32_t stow_dealloc_only_owner(const stow_owners *owners, int32_t ref) {
  return owners->of[ref].root >= 0 ? owners->of[ref].root : -1;
}

const stow_own_transfer *stow_dealloc_transfer_of(const stow_owners *owners,
                                                  const stow_forwarded *f) {
  return &owners->transfers[f - owners->domain->forwarded.at];
}

bool stow_dealloc_is_copied(const stow_owners *owners, const stow_forwarded *f) {
  return stow_dealloc_transfer_of(owners, f)->kind == STOW_CLONE;
}

bool stow_dealloc_is_freed_by_bits(const stow_owners *owners, int32_t ref) {
  int32_t escape = owners->of[ref].escape;
  return escape >= 0 && owners->escapes.at[escape].kind == STOW_BY_BITS;
}
