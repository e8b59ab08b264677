//===- forced_owners.c - phis that are made to own ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frees of a program show who owns: a phi that is freed does. No other phi is made to
// own for them. So the pass finds the owners of its own output again, and adds nothing.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Backwards
//===----------------------------------------------------------------------===//

// Whether a forwarded operand may be one of several owners' buffers.
static bool passes_several(const void *user, const stow_forwarded *f) {
  const stow_owners *owners = user;
  return stow_dealloc_only_owner(owners, f->ref) < 0 && !owners->of[f->ref].mixed;
}

bool stow_dealloc_force_owners_behind(stow_owners *owners, int32_t ref) {
  const stow_domain *d = owners->domain;
  stow_walk walk = stow_walk_create(d->refs.count);
  bool any = false;
  stow_walk_add(&walk, ref);
  for (int32_t r; stow_walk_next(&walk, &r);) {
    if (d->refs.at[r].origin == STOW_PHI && d->refs.at[r].segment >= 0 && !owners->of[r].owns) {
      stow_owners_force(owners, r);
      any = true;
    }
    stow_dealloc_walk_backward(d, &walk, r, passes_several, owners);
  }
  stow_walk_free(&walk);
  return any;
}

//===----------------------------------------------------------------------===//
// What frees show
//===----------------------------------------------------------------------===//

static bool force_mentioned(stow_owners *owners, const stow_own_mention *mentions, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    int32_t ref = mentions[i].ref;
    if (owners->of[ref].set.count > 0 && stow_dealloc_only_owner(owners, ref) < 0)
      any |= stow_dealloc_force_owners_behind(owners, ref);
  }
  return any;
}

bool stow_dealloc_force_freed(stow_owners *owners) {
  const stow_domain *domain = owners->domain;
  bool any = force_mentioned(owners, domain->frees.at, domain->frees.count);
  return force_mentioned(owners, domain->ignored_frees.at, domain->ignored_frees.count) || any;
}

// Per segment: whether control may get there from `segment` before the owner is defined again.
static bool *find_after(const stow_domain *domain, int32_t owner, int32_t segment) {
  const stow_ref *ref = &domain->refs.at[owner];
  bool *after = stow_dealloc_segments_after(domain, segment, ref->segment);
  if (ref->segment >= 0 && ref->position < 0)
    after[ref->segment] = false;
  return after;
}

typedef struct search {
  const stow_domain *domain;
  stow_owners *owners;
  const bool *after; // per segment
  stow_walk walk;
  bool any;
} search;

static void visit(search *s, int32_t ref) {
  if (s->owners->of[ref].escape < 0)
    stow_walk_add(&s->walk, ref);
}

static void visit_phi(search *s, int32_t phi) {
  int32_t segment = s->domain->refs.at[phi].segment;
  if (s->owners->of[phi].owns || s->owners->of[phi].escape >= 0)
    return;
  if (segment < 0 || !s->after[segment]) {
    visit(s, phi);
    return;
  }
  stow_owners_force(s->owners, phi);
  s->any = true;
}

static void visit_next(search *s, int32_t ref) {
  const stow_domain *d = s->domain;
  STOW_EACH_OF(i, d->views_of, ref)
    visit(s, i);
  STOW_EACH_OF(i, d->forwarded_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[i];
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      visit_phi(s, d->incoming.at[p].phi);
  }
}

bool stow_dealloc_force_after_free(stow_owners *owners, int32_t owner,
                                   const stow_own_mention *mention) {
  const stow_domain *domain = owners->domain;
  bool *after = find_after(domain, owner, mention->segment);
  search s = {.domain = domain,
              .owners = owners,
              .after = after,
              .walk = stow_walk_create(domain->refs.count)};
  visit(&s, owner);
  for (int32_t ref; stow_walk_next(&s.walk, &ref);)
    visit_next(&s, ref);
  stow_walk_free(&s.walk);
  free(after);
  return s.any;
}
