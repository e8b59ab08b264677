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
#include <string.h>

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static int64_t ref_at(const void *refs, size_t i) { return ((const int32_t *)refs)[i]; }

static bool add(stow_ref_set *set, int32_t ref) {
  const size_t place = stow_first_from(set->at, set->count, ref, ref_at);
  if (place < set->count && set->at[place] == ref)
    return false;
  STOW_PUSH(*set, ref);
  memmove(set->at + place + 1, set->at + place, (set->count - 1 - place) * sizeof *set->at);
  set->at[place] = ref;
  return true;
}

// How many items of a set another one lacks.
static size_t count_missing(const stow_ref_set *set, const stow_ref_set *from, int32_t except) {
  size_t missing = 0;
  for (size_t i = 0, j = 0; j < from->count; ++j) {
    while (i < set->count && set->at[i] < from->at[j])
      ++i;
    missing += from->at[j] != except && (i == set->count || set->at[i] != from->at[j]);
  }
  return missing;
}

static bool add_all(stow_ref_set *set, const stow_ref_set *from, int32_t except) {
  size_t missing = count_missing(set, from, except), i = set->count, j = from->count;
  if (missing == 0)
    return false;
  while (set->count + missing > set->capacity)
    set->at = stow_grow(set->at, set->capacity, &set->capacity, sizeof *set->at);
  set->count += missing;
  for (size_t to = set->count; missing > 0;) {
    int32_t next = from->at[j - 1];
    if (i > 0 && set->at[i - 1] >= next) {
      j -= set->at[i - 1] == next;
      set->at[--to] = set->at[--i];
      continue;
    }
    --j;
    if (next == except)
      continue;
    set->at[--to] = next;
    --missing;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Webs
//===----------------------------------------------------------------------===//

static void find_webs(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  int32_t *webs = stow_sets_of(domain->refs.count);
  for (size_t i = 1; i < domain->incoming.count; ++i)
    if (domain->incoming.at[i].forwarded == domain->incoming.at[i - 1].forwarded)
      stow_unite(webs, domain->incoming.at[i - 1].phi, domain->incoming.at[i].phi);
  for (size_t r = 0; r < domain->refs.count; ++r)
    owners->of[r].web = stow_leader(webs, (int32_t)r);
  free(webs);
}

// `owns` of a web is kept at its first ref until stow_owners_find spreads it.
void stow_owners_claim(stow_owners *owners, int32_t phi) {
  bool *owns = &owners->of[owners->of[phi].web].owns;
  owners->claimed |= !*owns;
  *owns = true;
}

void stow_owners_make_conditional(stow_owners *owners, int32_t phi) {
  stow_owners_claim(owners, phi);
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

static void start(stow_owners *owners, bool *waiting) {
  const stow_domain *d = owners->domain;
  for (size_t r = 0; r < d->refs.count; ++r) {
    const stow_ref *ref = &d->refs.at[r];
    bool made = ref->origin == STOW_MADE && stow_is_reachable(d, ref->segment);
    bool own = (made || owners->of[r].owns) && owners->of[r].left < 0;
    owners->of[r].set.count = 0;
    owners->of[r].mixed =
        !own && (ref->foreign || ref->origin == STOW_MADE || owners->of[r].left >= 0);
    owners->of[r].root = own ? (int32_t)r : owners->of[r].mixed ? NO_ROOT : UNSEEN;
    if (own)
      add(&owners->of[r].set, (int32_t)r);
    if (own || owners->of[r].mixed)
      waiting[r] = true;
  }
}

// `to` may stand for what `from` may stand for, but for `except`.
static bool spread(stow_owners *owners, int32_t from, int32_t to, int32_t except) {
  bool changed = owners->of[from].mixed && !owners->of[to].mixed;
  owners->of[to].mixed |= owners->of[from].mixed;
  changed |= add_all(&owners->of[to].set, &owners->of[from].set, except);
  return changed;
}

static void flow(stow_owners *owners, bool *waiting, int32_t from, int32_t to) {
  bool changed = spread(owners, from, to, -1);
  int32_t root = owners->of[to].root == UNSEEN ? owners->of[from].root : owners->of[to].root;
  if (root != owners->of[from].root)
    root = NO_ROOT;
  changed |= root != owners->of[to].root;
  owners->of[to].root = root;
  if (changed)
    waiting[to] = true;
}

bool stow_can_lend(const stow_owners *owners, int32_t ref, int32_t phi, int32_t except) {
  const stow_ref_set *set = &owners->of[ref].set;
  for (size_t i = 0; i < set->count; ++i)
    if (set->at[i] != except &&
        !stow_reaches_start(owners->domain, set->at[i], owners->domain->refs.at[phi].segment))
      return false;
  return true;
}

// What settles may be owned by those owners of its source that live on, and by any of the phis that
// settle with it.
static void settle_to(stow_owners *owners, bool *waiting, const stow_forwarded *f, int32_t phi) {
  const stow_domain *d = owners->domain;
  const stow_ref_set *set = &owners->of[f->ref].set;
  const stow_passed *s = &d->passed.at[f->segment];
  bool changed = owners->of[f->ref].mixed && !owners->of[phi].mixed;
  owners->of[phi].mixed |= owners->of[f->ref].mixed;
  for (size_t i = 0; i < set->count; ++i)
    if (stow_reaches_start(d, set->at[i], d->refs.at[phi].segment))
      changed |= add(&owners->of[phi].set, set->at[i]);
  for (int32_t i = s->first; i < s->end; ++i) {
    const stow_forwarded *other = &d->forwarded.at[i];
    for (int32_t p = other->incoming;
         owners->transfers[i].settles && p < other->incoming + other->incoming_count; ++p)
      if (d->refs.at[d->incoming.at[p].phi].segment == d->refs.at[phi].segment)
        changed |= add(&owners->of[phi].set, d->incoming.at[p].phi);
  }
  if (changed)
    waiting[phi] = true;
}

// A conditional owner may be the buffer of the owners that it borrows from, and of those that
// another conditional owner, whose ownership moves to it, has borrowed from.
static void reach_conditional(stow_owners *owners, bool *waiting, const stow_forwarded *f,
                              int32_t phi) {
  stow_own_transfer *t = &owners->transfers[f - owners->domain->forwarded.at];
  int32_t root = owners->of[f->ref].root, except = -1;
  if (t->settles) {
    settle_to(owners, waiting, f, phi);
    return;
  }
  if (!t->lends) {
    if (root < 0 || !owners->of[root].conditional)
      return;
    except = root;
  }
  if (stow_can_lend(owners, f->ref, phi, except)) {
    if (spread(owners, f->ref, phi, except))
      waiting[phi] = true;
    return;
  }
  owners->claimed |= t->lends;
  t->immovable |= !t->lends;
  t->unlendable |= t->lends;
  t->lends = false;
}

static void reach_phi(stow_owners *owners, bool *waiting, const stow_forwarded *f, int32_t phi) {
  if (owners->of[phi].conditional && owners->of[phi].left < 0)
    reach_conditional(owners, waiting, f, phi);
  else if (owners->of[owners->of[phi].web].owns)
    return;
  else if (stow_can_lend(owners, f->ref, phi, -1))
    flow(owners, waiting, f->ref, phi);
  else
    stow_owners_claim(owners, phi);
}

static void go_on_from(stow_owners *owners, bool *waiting, int32_t ref) {
  const stow_domain *d = owners->domain;
  for (int32_t i = d->views_of.first[ref]; i < d->views_of.first[ref + 1]; ++i)
    flow(owners, waiting, ref, d->views_of.items[i]);
  for (int32_t i = d->forwarded_of.first[ref]; i < d->forwarded_of.first[ref + 1]; ++i) {
    const stow_forwarded *f = &d->forwarded.at[d->forwarded_of.items[i]];
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      reach_phi(owners, waiting, f, d->incoming.at[p].phi);
  }
}

// In reverse postorder, so that all that flows into a ref is known before it flows on, but for what
// comes around loops.
static void propagate(stow_owners *owners) {
  size_t refs = owners->domain->refs.count;
  bool *waiting = stow_allocate(refs, sizeof *waiting);
  start(owners, waiting);
  for (bool any = true; any;) {
    any = false;
    for (size_t i = 0; i < refs; ++i) {
      int32_t ref = owners->order[i];
      if (!waiting[ref])
        continue;
      waiting[ref] = false;
      any = true;
      go_on_from(owners, waiting, ref);
    }
  }
  free(waiting);
}

typedef struct ref_turn {
  int32_t turn, ref;
  int64_t position;
} ref_turn;

static int by_turn(const void *a, const void *b) {
  const ref_turn *x = a, *y = b;
  if (x->turn != y->turn)
    return x->turn < y->turn ? -1 : 1;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  return x->ref < y->ref ? -1 : x->ref > y->ref;
}

static int32_t *order_of_refs(const stow_domain *domain) {
  ref_turn *turns = stow_allocate(domain->refs.count, sizeof *turns);
  int32_t *order = stow_allocate(domain->refs.count, sizeof *order);
  for (size_t r = 0; r < domain->refs.count; ++r) {
    const stow_ref *ref = &domain->refs.at[r];
    int32_t turn = ref->segment < 0 ? -1 : domain->dominance[ref->segment].turn;
    turns[r] = (ref_turn){turn, (int32_t)r, ref->position};
  }
  stow_sort(turns, domain->refs.count, sizeof *turns, by_turn);
  for (size_t r = 0; r < domain->refs.count; ++r)
    order[r] = turns[r].ref;
  free(turns);
  return order;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

// As stow_index_of, without a table of pairs: there may be very many.
static void index_behind(stow_owners *owners) {
  size_t refs = owners->domain->refs.count, count = 0;
  stow_index_free(&owners->behind);
  int32_t *first = stow_allocate(refs + 1, sizeof *first);
  int32_t *next = stow_allocate(refs, sizeof *next);
  for (size_t r = 0; r < refs; ++r) {
    count += owners->of[r].set.count;
    for (size_t i = 0; i < owners->of[r].set.count; ++i)
      ++first[owners->of[r].set.at[i] + 1];
  }
  for (size_t r = 0; r < refs; ++r) {
    next[r] = first[r];
    first[r + 1] += first[r];
  }
  int32_t *items = stow_allocate(count, sizeof *items);
  for (size_t r = 0; r < refs; ++r)
    for (size_t i = 0; i < owners->of[r].set.count; ++i)
      items[next[owners->of[r].set.at[i]]++] = (int32_t)r;
  owners->behind = (stow_index){first, items};
  free(next);
}

void stow_owners_leave(stow_owners *owners, int32_t ref, stow_escape_kind kind, MlirOperation op,
                       const char *reason) {
  STOW_PUSH(owners->escapes, (stow_own_escape){ref, -1, kind, op, reason});
}

stow_owners stow_owners_create(const stow_domain *domain) {
  const size_t refs = domain->refs.count, forwarded = domain->forwarded.count;
  stow_owners owners = {.domain = domain,
                        .transfers = stow_allocate(forwarded, sizeof *owners.transfers),
                        .of = stow_allocate(refs, sizeof *owners.of),
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
  free(owners->transfers), free(owners->escapes.at), free(owners->of), free(owners->order);
  stow_index_free(&owners->behind);
  *owners = (stow_owners){0};
}

void stow_owners_find(stow_owners *owners) {
  for (size_t i = 0; i < owners->domain->forwarded.count; ++i)
    owners->transfers[i].immovable = false;
  stow_find_left(owners);
  do {
    owners->claimed = false;
    spread_webs(owners);
    propagate(owners);
  } while (owners->claimed);
  index_behind(owners);
}

bool stow_may_stand_for(const stow_owners *owners, int32_t ref, int32_t owner) {
  const stow_ref_set *set = &owners->of[ref].set;
  for (size_t i = 0; i < set->count; ++i)
    if (set->at[i] == owner)
      return true;
  return false;
}

int32_t stow_only_owner(const stow_owners *owners, int32_t ref) {
  return owners->of[ref].root >= 0 ? owners->of[ref].root : -1;
}

const stow_own_transfer *stow_transfer_of(const stow_owners *owners, const stow_forwarded *f) {
  return &owners->transfers[f - owners->domain->forwarded.at];
}

bool stow_is_copied(const stow_owners *owners, const stow_forwarded *f) {
  return stow_transfer_of(owners, f)->kind == STOW_CLONE;
}

bool stow_is_left_to_bits(const stow_owners *owners, int32_t ref) {
  int32_t escape = owners->of[ref].left;
  return escape >= 0 && owners->escapes.at[escape].kind == STOW_BY_BITS;
}
