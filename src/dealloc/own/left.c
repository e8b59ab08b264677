//===- left.c - what is left alone ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <stdlib.h>

typedef struct leaving {
  const stow_domain *domain;
  const stow_flights *flights;
  int32_t *left; // per ref: a flight, or -1
  STOW_ARRAY(int32_t) stack;
} leaving;

static void leave(leaving *l, int32_t ref, int32_t flight) {
  if (l->left[ref] >= 0)
    return;
  l->left[ref] = flight;
  STOW_PUSH(l->stack, ref);
}

// A mere name of it may stand for others that are owned here.
static void leave_what_follows(leaving *l, int32_t ref, int32_t flight) {
  const stow_domain *d = l->domain;
  for (int32_t i = d->views_of.first[ref]; i < d->views_of.first[ref + 1]; ++i) {
    int32_t to = d->views.at[d->views_of.items[i]].to;
    if (!d->refs.at[to].mere)
      leave(l, to, flight);
  }
  for (int32_t i = d->handed.first[ref]; i < d->handed.first[ref + 1]; ++i) {
    const stow_handover *h = &d->handovers.at[d->handed.items[i]];
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      leave(l, d->passes.at[p].target, flight);
  }
}

// What a call may return of it is left alone, too: it cannot be told from new memory.
static void leave_what_is_given_back(leaving *l, int32_t ref, int32_t flight) {
  const stow_domain *d = l->domain;
  for (int32_t i = d->taken_of.first[ref]; i < d->taken_of.first[ref + 1]; ++i)
    leave(l, d->takeovers.at[d->taken_of.items[i]].to, flight);
}

// Whatever flows into a ref that escapes escapes, and so do the members of its band.
static void leave_what_precedes(leaving *l, int32_t ref, int32_t flight) {
  const stow_domain *d = l->domain;
  for (int32_t i = d->views_to.first[ref]; i < d->views_to.first[ref + 1]; ++i)
    leave(l, d->views.at[d->views_to.items[i]].from, flight);
  for (int32_t i = d->handed_to.first[ref]; i < d->handed_to.first[ref + 1]; ++i) {
    const stow_handover *h = &d->handovers.at[d->passes.at[d->handed_to.items[i]].handover];
    leave(l, h->ref, flight);
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      leave(l, d->passes.at[p].target, flight);
  }
}

static void start_leaving(leaving *l, stow_departure departure) {
  for (size_t i = 0; i < l->flights->count; ++i)
    if (l->flights->at[i].departure == departure &&
        stow_is_reachable(l->domain, l->flights->at[i].stretch))
      leave(l, l->flights->at[i].ref, (int32_t)i);
}

static void leave_all(leaving *l) {
  while (l->stack.count > 0) {
    int32_t ref = l->stack.at[--l->stack.count], flight = l->left[ref];
    if (l->flights->at[flight].departure != STOW_ESCAPED)
      leave_what_follows(l, ref, flight);
    leave_what_precedes(l, ref, flight);
    leave_what_is_given_back(l, ref, flight);
  }
}

// What bits free is found separately, so that it is known what is left alone for no other reason.
void stow_find_left(const stow_domain *domain, const stow_flights *flights, int32_t *out_left) {
  size_t refs = domain->refs.count;
  int32_t *by_bits = stow_allocate(refs, sizeof *by_bits);
  for (size_t r = 0; r < refs; ++r)
    out_left[r] = by_bits[r] = -1;
  leaving others = {domain, flights, .left = out_left};
  start_leaving(&others, STOW_MANAGED);
  leave_all(&others);
  start_leaving(&others, STOW_ESCAPED);
  leave_all(&others);
  leaving bits = {domain, flights, .left = by_bits};
  start_leaving(&bits, STOW_BY_BITS);
  leave_all(&bits);
  for (size_t r = 0; r < refs; ++r)
    if (out_left[r] < 0)
      out_left[r] = by_bits[r];
  free(others.stack.at), free(bits.stack.at), free(by_bits);
}
