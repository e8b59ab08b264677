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

static size_t position_in(const stow_ref_set *set, int32_t ref) {
  return stow_first_from(set->items, set->count, ref, ref_at);
}

static bool add(stow_ref_set *set, int32_t ref) {
  size_t at = position_in(set, ref);
  if (at < set->count && set->items[at] == ref)
    return false;
  set->items = stow_grow(set->items, set->count, &set->capacity, sizeof *set->items);
  memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof *set->items);
  set->items[at] = ref;
  ++set->count;
  return true;
}

// How many items of a set another one lacks.
static size_t count_missing(const stow_ref_set *set, const stow_ref_set *from, int32_t except) {
  size_t missing = 0;
  for (size_t i = 0, j = 0; j < from->count; ++j) {
    while (i < set->count && set->items[i] < from->items[j])
      ++i;
    missing += from->items[j] != except && (i == set->count || set->items[i] != from->items[j]);
  }
  return missing;
}

static bool add_all(stow_ref_set *set, const stow_ref_set *from, int32_t except) {
  size_t missing = count_missing(set, from, except), i = set->count, j = from->count;
  if (missing == 0)
    return false;
  while (set->count + missing > set->capacity)
    set->items = stow_grow(set->items, set->capacity, &set->capacity, sizeof *set->items);
  set->count += missing;
  for (size_t to = set->count; missing > 0;) {
    int32_t next = from->items[j - 1];
    if (i > 0 && set->items[i - 1] >= next) {
      j -= set->items[i - 1] == next;
      set->items[--to] = set->items[--i];
      continue;
    }
    --j;
    if (next == except)
      continue;
    set->items[--to] = next;
    --missing;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Webs
//===----------------------------------------------------------------------===//

static int32_t find_web(int32_t *web, int32_t ref) {
  while (web[ref] != ref)
    ref = web[ref] = web[web[ref]];
  return ref;
}

static int32_t *find_webs(const stow_domain *domain) {
  int32_t *web = stow_allocate(domain->refs.count, sizeof *web);
  for (size_t r = 0; r < domain->refs.count; ++r)
    web[r] = (int32_t)r;
  for (size_t i = 1; i < domain->incoming.count; ++i) {
    if (domain->incoming.at[i].forwarded != domain->incoming.at[i - 1].forwarded)
      continue;
    int32_t a = find_web(web, domain->incoming.at[i - 1].phi);
    int32_t b = find_web(web, domain->incoming.at[i].phi);
    web[a < b ? b : a] = a < b ? a : b;
  }
  for (size_t r = 0; r < domain->refs.count; ++r)
    web[r] = find_web(web, (int32_t)r);
  return web;
}

// `owns` of a web is kept at its first ref until stow_owners_find spreads it.
void stow_owners_claim(stow_owners *owners, int32_t phi) {
  bool *owns = &owners->owns[owners->web[phi]];
  owners->claimed |= !*owns;
  *owns = true;
}

void stow_owners_make_conditional(stow_owners *owners, int32_t phi) {
  stow_owners_claim(owners, phi);
  owners->conditional[owners->web[phi]] = true;
}

static void spread_webs(stow_owners *owners) {
  for (size_t r = 0; r < owners->domain->refs.count; ++r) {
    owners->owns[r] = owners->owns[owners->web[r]];
    owners->conditional[r] = owners->conditional[owners->web[r]];
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
    bool own = (made || owners->owns[r]) && owners->left[r] < 0;
    owners->sets[r].count = 0;
    owners->mixed[r] = !own && (ref->foreign || ref->origin == STOW_MADE || owners->left[r] >= 0);
    owners->root[r] = own ? (int32_t)r : owners->mixed[r] ? NO_ROOT : UNSEEN;
    if (own)
      add(&owners->sets[r], (int32_t)r);
    if (own || owners->mixed[r])
      waiting[r] = true;
  }
}

// `to` may stand for what `from` may stand for, but for `except`.
static bool spread(stow_owners *owners, int32_t from, int32_t to, int32_t except) {
  bool changed = owners->mixed[from] && !owners->mixed[to];
  owners->mixed[to] |= owners->mixed[from];
  changed |= add_all(&owners->sets[to], &owners->sets[from], except);
  return changed;
}

static void flow(stow_owners *owners, bool *waiting, int32_t from, int32_t to) {
  bool changed = spread(owners, from, to, -1);
  int32_t root = owners->root[to] == UNSEEN ? owners->root[from] : owners->root[to];
  if (root != owners->root[from])
    root = NO_ROOT;
  changed |= root != owners->root[to];
  owners->root[to] = root;
  if (changed)
    waiting[to] = true;
}

bool stow_can_lend(const stow_owners *owners, int32_t ref, int32_t phi, int32_t except) {
  const stow_ref_set *set = &owners->sets[ref];
  for (size_t i = 0; i < set->count; ++i)
    if (set->items[i] != except &&
        !stow_reaches_start(owners->domain, set->items[i], owners->domain->refs.at[phi].segment))
      return false;
  return true;
}

// What settles may be owned by those owners of its source that live on, and by any of the phis that
// settle with it.
static void settle_to(stow_owners *owners, bool *waiting, const stow_forwarded *f, int32_t phi) {
  const stow_domain *d = owners->domain;
  const stow_ref_set *set = &owners->sets[f->ref];
  const stow_own_segment *s = &d->segments.at[f->segment];
  bool changed = owners->mixed[f->ref] && !owners->mixed[phi];
  owners->mixed[phi] |= owners->mixed[f->ref];
  for (size_t i = 0; i < set->count; ++i)
    if (stow_reaches_start(d, set->items[i], d->refs.at[phi].segment))
      changed |= add(&owners->sets[phi], set->items[i]);
  for (int32_t i = s->forwarded; i < s->forwarded + s->forwarded_count; ++i) {
    const stow_forwarded *other = &d->forwarded.at[i];
    for (int32_t p = other->incoming;
         owners->transfers[i].settles && p < other->incoming + other->incoming_count; ++p)
      if (d->refs.at[d->incoming.at[p].phi].segment == d->refs.at[phi].segment)
        changed |= add(&owners->sets[phi], d->incoming.at[p].phi);
  }
  if (changed)
    waiting[phi] = true;
}

// A conditional owner may be the buffer of the owners that it borrows from, and of those that
// another conditional owner, whose ownership moves to it, has borrowed from.
static void reach_conditional(stow_owners *owners, bool *waiting, const stow_forwarded *f,
                              int32_t phi) {
  stow_own_transfer *t = &owners->transfers[f - owners->domain->forwarded.at];
  int32_t root = owners->root[f->ref], except = -1;
  if (t->settles) {
    settle_to(owners, waiting, f, phi);
    return;
  }
  if (!t->lends) {
    if (root < 0 || !owners->conditional[root])
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
  if (owners->conditional[phi] && owners->left[phi] < 0)
    reach_conditional(owners, waiting, f, phi);
  else if (owners->owns[owners->web[phi]])
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
      if (stow_is_reachable(d, f->segment))
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
    int32_t turn = ref->segment < 0 ? -1 : domain->segments.at[ref->segment].turn;
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
    count += owners->sets[r].count;
    for (size_t i = 0; i < owners->sets[r].count; ++i)
      ++first[owners->sets[r].items[i] + 1];
  }
  for (size_t r = 0; r < refs; ++r) {
    next[r] = first[r];
    first[r + 1] += first[r];
  }
  int32_t *items = stow_allocate(count, sizeof *items);
  for (size_t r = 0; r < refs; ++r)
    for (size_t i = 0; i < owners->sets[r].count; ++i)
      items[next[owners->sets[r].items[i]]++] = (int32_t)r;
  owners->behind = (stow_index){first, items};
  free(next);
}

void stow_owners_leave(stow_owners *owners, int32_t ref, stow_escape_kind kind, MlirOperation op,
                       const char *reason) {
  STOW_PUSH(owners->escapes, (stow_own_escape){ref, -1, kind, op, reason});
}

stow_owners stow_owners_create(const stow_domain *domain) {
  size_t refs = domain->refs.count;
  stow_owners owners = {.domain = domain,
                        .transfers =
                            stow_allocate(domain->forwarded.count, sizeof(stow_own_transfer)),
                        .web = find_webs(domain),
                        .part = stow_allocate(refs, sizeof(bool)),
                        .order = order_of_refs(domain),
                        .owns = stow_allocate(refs, sizeof(bool)),
                        .conditional = stow_allocate(refs, sizeof(bool)),
                        .root = stow_allocate(refs, sizeof(int32_t)),
                        .left = stow_allocate(refs, sizeof(int32_t)),
                        .mixed = stow_allocate(refs, sizeof(bool)),
                        .sets = stow_allocate(refs, sizeof(stow_ref_set))};
  for (size_t i = 0; i < domain->escapes.count; ++i)
    STOW_PUSH(owners.escapes, domain->escapes.at[i]);
  for (size_t r = 0; r < refs; ++r)
    owners.part[r] = domain->refs.at[r].part;
  return owners;
}

void stow_owners_free(stow_owners *owners) {
  for (size_t r = 0; owners->sets && r < owners->domain->refs.count; ++r)
    free(owners->sets[r].items);
  free(owners->owns), free(owners->conditional), free(owners->root), free(owners->left),
      free(owners->mixed), free(owners->sets), free(owners->order);
  free(owners->transfers), free(owners->escapes.at), free(owners->web), free(owners->part);
  stow_index_free(&owners->behind);
  *owners = (stow_owners){0};
}

void stow_owners_find(stow_owners *owners) {
  for (size_t i = 0; i < owners->domain->forwarded.count; ++i)
    owners->transfers[i].immovable = false;
  stow_find_left(owners->domain, &owners->escapes, owners->left);
  do {
    owners->claimed = false;
    spread_webs(owners);
    propagate(owners);
  } while (owners->claimed);
  index_behind(owners);
}

bool stow_may_stand_for(const stow_owners *owners, int32_t ref, int32_t owner) {
  const stow_ref_set *set = &owners->sets[ref];
  for (size_t i = 0; i < set->count; ++i)
    if (set->items[i] == owner)
      return true;
  return false;
}

int32_t stow_only_owner(const stow_owners *owners, int32_t ref) {
  return owners->root[ref] >= 0 ? owners->root[ref] : -1;
}

const stow_own_transfer *stow_transfer_of(const stow_owners *owners, const stow_forwarded *f) {
  return &owners->transfers[f - owners->domain->forwarded.at];
}

bool stow_is_copied(const stow_owners *owners, const stow_forwarded *f) {
  return stow_transfer_of(owners, f)->kind == STOW_CLONE &&
         owners->domain->segments.at[f->segment].reachable;
}

bool stow_is_left_to_bits(const stow_owners *owners, int32_t ref) {
  int32_t escape = owners->left[ref];
  return escape >= 0 && owners->escapes.at[escape].kind == STOW_BY_BITS;
}
