//===- trials.c - targets that had better own -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/trials.h"

#include "dealloc/claims.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TRIES = 64 }; // in one region, so that the time stays linear

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

typedef struct trial { // what there was before
  bool *owns, *conditional;
  stow_handover *handovers;
  size_t flights;
} trial;

static void *copy_of(const void *items, size_t count, size_t size) {
  void *copy = stow_allocate(count, size);
  if (count > 0)
    memcpy(copy, items, count * size);
  return copy;
}

static trial begin(stow_decision *decision) {
  const stow_domain *d = &decision->domain;
  ++decision->tries;
  return (trial){copy_of(decision->owners.owns, d->ref_count, sizeof(bool)),
                 copy_of(decision->owners.conditional, d->ref_count, sizeof(bool)),
                 copy_of(d->handovers, d->handover_count, sizeof(stow_handover)), d->flight_count};
}

static void take_back(stow_decision *decision, const trial *before) {
  stow_domain *d = &decision->domain;
  memcpy(decision->owners.owns, before->owns, d->ref_count * sizeof(bool));
  memcpy(decision->owners.conditional, before->conditional, d->ref_count * sizeof(bool));
  if (d->handover_count > 0)
    memcpy(d->handovers, before->handovers, d->handover_count * sizeof(stow_handover));
  d->flight_count = before->flights;
  stow_decide_claimed(decision);
}

static void end(const trial *before) {
  free(before->owns), free(before->conditional), free(before->handovers);
}

//===----------------------------------------------------------------------===//
// Fewer clones
//===----------------------------------------------------------------------===//

static bool is_copied(const stow_domain *domain, const stow_handover *h) {
  return h->manner == STOW_COPY && domain->stretches[h->stretch].reachable;
}

static size_t count_copies(const stow_domain *domain) {
  size_t count = 0;
  for (size_t i = 0; i < domain->handover_count; ++i)
    count += is_copied(domain, &domain->handovers[i]);
  return count;
}

// All that one op hands over is tried together: two names may have been swapped.
static bool claim_behind(stow_decision *decision, int32_t stretch) {
  const stow_stretch *s = &decision->domain.stretches[stretch];
  bool any = false;
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h)
    if (is_copied(&decision->domain, &decision->domain.handovers[h]))
      any |= stow_claim_behind(&decision->owners, decision->domain.handovers[h].ref);
  return any;
}

// The target that is handed over gets the ownership where its buffer was chosen.
static void try_sparing(stow_decision *decision, int32_t stretch) {
  size_t copies = count_copies(&decision->domain);
  trial before = begin(decision);
  if (claim_behind(decision, stretch)) {
    stow_decide_claimed(decision);
    if (count_copies(&decision->domain) >= copies ||
        decision->domain.flight_count != before.flights)
      take_back(decision, &before);
  }
  end(&before);
}

void stow_try_sparing_clones(stow_decision *decision) {
  stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->handover_count; ++i) {
    stow_handover *h = &domain->handovers[i];
    if (!is_copied(domain, h) || h->tried || decision->tries == MAX_TRIES)
      continue;
    h->tried = true;
    try_sparing(decision, h->stretch);
  }
}

//===----------------------------------------------------------------------===//
// Earlier frees
//===----------------------------------------------------------------------===//
//
// While a target is lent, all that it may be must outlive it. If it owns, what it is
// not is freed where that shows. Candidates are tried together, since one may hand
// over to the next; where that does not do, in halves.

typedef struct range {
  size_t from, to;
} range;

static bool could_own(const stow_decision *decision, int32_t ref) {
  const stow_owners *o = &decision->owners;
  const stow_ref *r = &decision->domain.refs[ref];
  return r->origin == STOW_TARGET && r->stretch >= 0 && r->band == ref && !o->owns[ref] &&
         o->left[ref] < 0 && !o->mixed[ref] && o->sets[ref].count > 1;
}

static bool is_no_worse(const stow_decision *decision, const trial *before) {
  const stow_domain *d = &decision->domain;
  for (size_t i = 0; i < d->handover_count; ++i) {
    stow_manner now = d->handovers[i].manner, was = before->handovers[i].manner;
    if (now != was && (now == STOW_COPY || now == STOW_SETTLE || now == STOW_CARRY))
      return false;
  }
  return d->flight_count == before->flights &&
         memcmp(decision->owners.conditional, before->conditional, d->ref_count) == 0;
}

static bool try_to_move(stow_decision *decision, const int32_t *targets, range r) {
  trial before = begin(decision);
  for (size_t i = r.from; i < r.to; ++i)
    stow_owners_claim(&decision->owners, targets[i]);
  stow_decide_claimed(decision);
  bool better = is_no_worse(decision, &before);
  if (!better)
    take_back(decision, &before);
  end(&before);
  return better;
}

static void try_halves(stow_decision *decision, const int32_t *targets, size_t count) {
  range stack[2 * 64]; // one for each time that a number of targets can be halved
  size_t height = 0;
  stack[height++] = (range){0, count};
  while (height > 0 && decision->tries < MAX_TRIES) {
    range r = stack[--height];
    if (try_to_move(decision, targets, r) || r.to - r.from == 1)
      continue;
    size_t middle = r.from + (r.to - r.from) / 2;
    stack[height++] = (range){middle, r.to};
    stack[height++] = (range){r.from, middle};
  }
}

void stow_try_moving(stow_decision *decision) {
  size_t refs = decision->domain.ref_count, count = 0;
  int32_t *targets = stow_allocate(refs, sizeof *targets);
  for (size_t r = 0; r < refs; ++r)
    if (could_own(decision, (int32_t)r))
      targets[count++] = (int32_t)r;
  if (count > 0)
    try_halves(decision, targets, count);
  free(targets);
}
