//===- owners.c - who owns what a value stands for ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners are propagated forwards along views and passes. A target that cannot borrow
// from an owner becomes an owner itself, and takes the place of that owner in everything
// after it; so the propagation starts anew until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static size_t position_in(const stow_ref_set *set, int32_t ref) {
  size_t low = 0, high = set->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (set->items[middle] < ref)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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
// Bands
//===----------------------------------------------------------------------===//

static int32_t find_band(int32_t *band, int32_t ref) {
  while (band[ref] != ref)
    ref = band[ref] = band[band[ref]];
  return ref;
}

static int32_t *find_bands(const stow_domain *domain) {
  int32_t *band = stow_allocate(domain->refs.count, sizeof *band);
  for (size_t r = 0; r < domain->refs.count; ++r)
    band[r] = (int32_t)r;
  for (size_t i = 1; i < domain->passes.count; ++i) {
    if (domain->passes.at[i].handover != domain->passes.at[i - 1].handover)
      continue;
    int32_t a = find_band(band, domain->passes.at[i - 1].target);
    int32_t b = find_band(band, domain->passes.at[i].target);
    band[a < b ? b : a] = a < b ? a : b;
  }
  for (size_t r = 0; r < domain->refs.count; ++r)
    band[r] = find_band(band, (int32_t)r);
  return band;
}

// `owns` of a band is kept at its first ref until stow_owners_find spreads it.
void stow_owners_claim(stow_owners *owners, int32_t target) {
  bool *owns = &owners->owns[owners->band[target]];
  owners->claimed |= !*owns;
  *owns = true;
}

void stow_owners_make_conditional(stow_owners *owners, int32_t target) {
  stow_owners_claim(owners, target);
  owners->conditional[owners->band[target]] = true;
}

static void spread_bands(stow_owners *owners) {
  for (size_t r = 0; r < owners->domain->refs.count; ++r) {
    owners->owns[r] = owners->owns[owners->band[r]];
    owners->conditional[r] = owners->conditional[owners->band[r]];
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
    bool made = ref->origin == STOW_MADE && stow_is_reachable(d, ref->stretch);
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

bool stow_can_lend(const stow_owners *owners, int32_t ref, int32_t target, int32_t except) {
  const stow_ref_set *set = &owners->sets[ref];
  for (size_t i = 0; i < set->count; ++i)
    if (set->items[i] != except &&
        !stow_reaches_start(owners->domain, set->items[i], owners->domain->refs.at[target].stretch))
      return false;
  return true;
}

// What settles may be owned by its source's owners that go on, and by any of the targets that
// settle with it.
static void settle_to(stow_owners *owners, bool *waiting, const stow_handover *h, int32_t target) {
  const stow_domain *d = owners->domain;
  const stow_ref_set *set = &owners->sets[h->ref];
  const stow_stretch *s = &d->stretches.at[h->stretch];
  bool changed = owners->mixed[h->ref] && !owners->mixed[target];
  owners->mixed[target] |= owners->mixed[h->ref];
  for (size_t i = 0; i < set->count; ++i)
    if (stow_reaches_start(d, set->items[i], d->refs.at[target].stretch))
      changed |= add(&owners->sets[target], set->items[i]);
  for (int32_t i = s->handover; i < s->handover + s->handover_count; ++i) {
    const stow_handover *other = &d->handovers.at[i];
    for (int32_t p = other->pass;
         owners->transfers[i].settles && p < other->pass + other->pass_count; ++p)
      if (d->refs.at[d->passes.at[p].target].stretch == d->refs.at[target].stretch)
        changed |= add(&owners->sets[target], d->passes.at[p].target);
  }
  if (changed)
    waiting[target] = true;
}

// A conditional owner may stand for the owners of what is lent to it, and for what another
// conditional owner, whose ownership it takes over, was lent.
static void hand_to_conditional(stow_owners *owners, bool *waiting, const stow_handover *h,
                                int32_t target) {
  stow_transfer *t = &owners->transfers[h - owners->domain->handovers.at];
  int32_t root = owners->root[h->ref], except = -1;
  if (t->settles) {
    settle_to(owners, waiting, h, target);
    return;
  }
  if (!t->lends) {
    if (root < 0 || !owners->conditional[root])
      return;
    except = root;
  }
  if (stow_can_lend(owners, h->ref, target, except)) {
    if (spread(owners, h->ref, target, except))
      waiting[target] = true;
    return;
  }
  owners->claimed |= t->lends;
  t->immovable |= !t->lends;
  t->unlendable |= t->lends;
  t->lends = false;
}

static void hand_over(stow_owners *owners, bool *waiting, const stow_handover *h, int32_t target) {
  if (owners->conditional[target] && owners->left[target] < 0)
    hand_to_conditional(owners, waiting, h, target);
  else if (owners->owns[owners->band[target]])
    return;
  else if (stow_can_lend(owners, h->ref, target, -1))
    flow(owners, waiting, h->ref, target);
  else
    stow_owners_claim(owners, target);
}

static void go_on_from(stow_owners *owners, bool *waiting, int32_t ref) {
  const stow_domain *d = owners->domain;
  for (int32_t i = d->views_of.first[ref]; i < d->views_of.first[ref + 1]; ++i)
    flow(owners, waiting, ref, d->views.at[d->views_of.items[i]].to);
  for (int32_t i = d->handed.first[ref]; i < d->handed.first[ref + 1]; ++i) {
    const stow_handover *h = &d->handovers.at[d->handed.items[i]];
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      if (stow_is_reachable(d, h->stretch))
        hand_over(owners, waiting, h, d->passes.at[p].target);
  }
}

// In the order of control, so that all there is of a ref is known when it is gone on from, but for
// what comes around loops.
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
    int32_t turn = ref->stretch < 0 ? -1 : domain->stretches.at[ref->stretch].turn;
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

void stow_owners_leave(stow_owners *owners, int32_t ref, stow_departure departure, MlirOperation op,
                       const char *reason) {
  STOW_PUSH(owners->flights, (stow_flight){ref, -1, departure, op, reason});
}

stow_owners stow_owners_create(const stow_domain *domain) {
  size_t refs = domain->refs.count;
  stow_owners owners = {.domain = domain,
                        .transfers = stow_allocate(domain->handovers.count, sizeof(stow_transfer)),
                        .band = find_bands(domain),
                        .part = stow_allocate(refs, sizeof(bool)),
                        .order = order_of_refs(domain),
                        .owns = stow_allocate(refs, sizeof(bool)),
                        .conditional = stow_allocate(refs, sizeof(bool)),
                        .root = stow_allocate(refs, sizeof(int32_t)),
                        .left = stow_allocate(refs, sizeof(int32_t)),
                        .mixed = stow_allocate(refs, sizeof(bool)),
                        .sets = stow_allocate(refs, sizeof(stow_ref_set))};
  for (size_t i = 0; i < domain->flights.count; ++i)
    STOW_PUSH(owners.flights, domain->flights.at[i]);
  for (size_t r = 0; r < refs; ++r)
    owners.part[r] = domain->refs.at[r].part;
  return owners;
}

void stow_owners_free(stow_owners *owners) {
  for (size_t r = 0; owners->sets && r < owners->domain->refs.count; ++r)
    free(owners->sets[r].items);
  free(owners->owns), free(owners->conditional), free(owners->root), free(owners->left),
      free(owners->mixed), free(owners->sets), free(owners->order);
  free(owners->transfers), free(owners->flights.at), free(owners->band), free(owners->part);
  stow_index_free(&owners->behind);
  *owners = (stow_owners){0};
}

void stow_owners_find(stow_owners *owners) {
  for (size_t i = 0; i < owners->domain->handovers.count; ++i)
    owners->transfers[i].immovable = false;
  stow_find_left(owners->domain, &owners->flights, owners->left);
  do {
    owners->claimed = false;
    spread_bands(owners);
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

const stow_transfer *stow_transfer_of(const stow_owners *owners, const stow_handover *h) {
  return &owners->transfers[h - owners->domain->handovers.at];
}

bool stow_is_copied(const stow_owners *owners, const stow_handover *h) {
  return stow_transfer_of(owners, h)->manner == STOW_COPY &&
         owners->domain->stretches.at[h->stretch].reachable;
}

bool stow_is_left_to_bits(const stow_owners *owners, int32_t ref) {
  int32_t flight = owners->left[ref];
  return flight >= 0 && owners->flights.at[flight].departure == STOW_BY_BITS;
}
