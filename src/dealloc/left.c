//===- left.c - what is left alone ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/owners.h"

#include <stdlib.h>

static bool is_reachable(const stow_domain *domain, int32_t stretch) {
  return stretch < 0 || domain->stretches[stretch].reachable;
}

typedef struct ref_stack {
  int32_t *items;
  size_t count, capacity;
} ref_stack;

static void push(ref_stack *stack, int32_t ref) {
  stack->items = stow_grow(stack->items, stack->count, &stack->capacity, sizeof *stack->items);
  stack->items[stack->count++] = ref;
}

typedef struct leaving {
  const stow_domain *domain;
  int32_t *left; // per ref: a flight, or -1
  ref_stack stack;
} leaving;

static void leave(leaving *l, int32_t ref, int32_t flight) {
  if (l->left[ref] >= 0)
    return;
  l->left[ref] = flight;
  push(&l->stack, ref);
}

// A mere name of it may stand for others that are owned here.
static void leave_what_follows(leaving *l, int32_t ref, int32_t flight) {
  const stow_domain *d = l->domain;
  for (int32_t i = d->views_of.first[ref]; i < d->views_of.first[ref + 1]; ++i) {
    int32_t to = d->views[d->views_of.items[i]].to;
    if (!d->refs[to].mere)
      leave(l, to, flight);
  }
  for (int32_t i = d->handed.first[ref]; i < d->handed.first[ref + 1]; ++i) {
    const stow_handover *h = &d->handovers[d->handed.items[i]];
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      leave(l, d->passes[p].target, flight);
  }
}

// What a call may return of it is left alone, too: it cannot be told from new memory.
static void leave_what_is_given_back(leaving *l, int32_t ref, int32_t flight) {
  const stow_domain *d = l->domain;
  for (int32_t i = d->taken_of.first[ref]; i < d->taken_of.first[ref + 1]; ++i)
    leave(l, d->takeovers[d->taken_of.items[i]].to, flight);
}

// Whatever flows into a ref that escapes escapes, and so do the members of its band.
static void leave_what_precedes(leaving *l, int32_t ref, int32_t flight) {
  const stow_domain *d = l->domain;
  for (int32_t i = d->views_to.first[ref]; i < d->views_to.first[ref + 1]; ++i)
    leave(l, d->views[d->views_to.items[i]].from, flight);
  for (int32_t i = d->handed_to.first[ref]; i < d->handed_to.first[ref + 1]; ++i) {
    const stow_handover *h = &d->handovers[d->passes[d->handed_to.items[i]].handover];
    leave(l, h->ref, flight);
    for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
      leave(l, d->passes[p].target, flight);
  }
}

static void start_leaving(leaving *l, stow_departure departure) {
  const stow_domain *d = l->domain;
  for (size_t i = 0; i < d->flight_count; ++i)
    if (d->flights[i].departure == departure && is_reachable(d, d->flights[i].stretch))
      leave(l, d->flights[i].ref, (int32_t)i);
}

static void leave_all(leaving *l) {
  while (l->stack.count > 0) {
    int32_t ref = l->stack.items[--l->stack.count], flight = l->left[ref];
    if (l->domain->flights[flight].departure != STOW_ESCAPED)
      leave_what_follows(l, ref, flight);
    leave_what_precedes(l, ref, flight);
    leave_what_is_given_back(l, ref, flight);
  }
}

// What bits free is found separately, so that it is known what is left alone for no other reason.
void stow_owners_leave(stow_owners *owners) {
  size_t refs = owners->domain->ref_count;
  int32_t *by_bits = stow_allocate(refs, sizeof *by_bits);
  for (size_t r = 0; r < refs; ++r)
    owners->left[r] = by_bits[r] = -1;
  leaving others = {.domain = owners->domain, .left = owners->left};
  start_leaving(&others, STOW_MANAGED);
  leave_all(&others);
  start_leaving(&others, STOW_ESCAPED);
  leave_all(&others);
  leaving bits = {.domain = owners->domain, .left = by_bits};
  start_leaving(&bits, STOW_BY_BITS);
  leave_all(&bits);
  for (size_t r = 0; r < refs; ++r)
    if (owners->left[r] < 0)
      owners->left[r] = by_bits[r];
  free(others.stack.items), free(bits.stack.items), free(by_bits);
}

bool stow_is_left_to_bits(const stow_owners *owners, int32_t ref) {
  int32_t flight = owners->left[ref];
  return flight >= 0 && owners->domain->flights[flight].departure == STOW_BY_BITS;
}
