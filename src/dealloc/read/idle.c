//===- idle.c - names that no buffer depends on ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is *idle* if no op mentions it and all targets that it is passed to are idle:
// the result of a region that is not used. A program that has deallocs may free a
// buffer and still pass its name to such a target. That is no use of the buffer, and
// gives the target nothing to own; so the handover is ignored in all decisions. Where
// the program frees nothing, the output is simpler if no freed buffer is passed on: then
// idle targets are treated as all others.
//
// Targets of one handover are idle together, as they own together.
//
// A *mere name* is one that ops only look at: none frees it or passes it on, nor a view
// of it. Who owns what it stands for is decided without it.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/ref_walk.h"
#include "dealloc/read/steps.h"

#include <stdlib.h>

static void add_mentioned(stow_ref_walk *live) {
  const stow_domain *d = live->domain;
  for (size_t i = 0; i < d->uses.count; ++i)
    if (d->uses.at[i].ref >= 0)
      stow_ref_walk_add(live, d->uses.at[i].ref);
  for (size_t i = 0; i < d->frees.count; ++i)
    stow_ref_walk_add(live, d->frees.at[i].ref);
  for (size_t i = 0; i < d->flights.count; ++i)
    stow_ref_walk_add(live, d->flights.at[i].ref);
  for (int32_t i = 0; i < d->result_count; ++i)
    stow_ref_walk_add(live, d->result + i);
}

static void add_behind(stow_ref_walk *live) {
  const stow_domain *d = live->domain;
  for (int32_t ref; stow_ref_walk_next(live, &ref);)
    for (int32_t i = d->handed_to.first[ref]; i < d->handed_to.first[ref + 1]; ++i) {
      const stow_handover *h = &d->handovers.at[d->passes.at[d->handed_to.items[i]].handover];
      stow_ref_walk_add(live, h->ref);
      for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
        stow_ref_walk_add(live, d->passes.at[p].target);
    }
}

//===----------------------------------------------------------------------===//
// Refs that may be one buffer, as sets
//===----------------------------------------------------------------------===//

static int32_t find(int32_t *leaders, int32_t ref) {
  while (leaders[ref] != ref)
    ref = leaders[ref] = leaders[leaders[ref]];
  return ref;
}

static void join(int32_t *leaders, int32_t a, int32_t b) {
  leaders[find(leaders, a)] = find(leaders, b);
}

static int32_t *find_leaders(const stow_domain *d) {
  int32_t *leaders = stow_allocate(d->refs.count, sizeof *leaders);
  for (size_t r = 0; r < d->refs.count; ++r)
    leaders[r] = (int32_t)r;
  for (size_t i = 0; i < d->views.count; ++i)
    join(leaders, d->views.at[i].from, d->views.at[i].to);
  for (size_t i = 0; i < d->passes.count; ++i)
    join(leaders, d->handovers.at[d->passes.at[i].handover].ref, d->passes.at[i].target);
  return leaders;
}

void stow_find_idle(stow_domain *domain, bool all) {
  if (domain->frees.count == 0 && !all)
    return;
  stow_ref_walk live = stow_ref_walk_create(domain);
  add_mentioned(&live);
  add_behind(&live);
  int32_t *leaders = find_leaders(domain);
  bool *freed = stow_allocate(domain->refs.count, sizeof *freed);
  for (size_t i = 0; i < domain->frees.count; ++i)
    freed[find(leaders, domain->frees.at[i].ref)] = true;
  for (size_t i = 0; i < domain->handovers.count; ++i) {
    stow_handover *h = &domain->handovers.at[i];
    bool at_stake = all || freed[find(leaders, h->ref)];
    h->idle = at_stake && h->pass_count > 0 &&
              !stow_ref_walk_has(&live, domain->passes.at[h->pass].target);
  }
  stow_ref_walk_free(&live);
  free(leaders), free(freed);
}

//===----------------------------------------------------------------------===//
// Mere names
//===----------------------------------------------------------------------===//

void stow_find_mere_names(stow_domain *domain) {
  stow_ref_walk passed = stow_ref_walk_create(domain);
  for (size_t i = 0; i < domain->frees.count; ++i)
    stow_ref_walk_add(&passed, domain->frees.at[i].ref);
  for (size_t i = 0; i < domain->flights.count; ++i)
    stow_ref_walk_add(&passed, domain->flights.at[i].ref);
  for (size_t i = 0; i < domain->handovers.count; ++i)
    if (!domain->handovers.at[i].idle)
      stow_ref_walk_add(&passed, domain->handovers.at[i].ref);
  for (int32_t ref; stow_ref_walk_next(&passed, &ref);)
    for (int32_t i = domain->views_to.first[ref]; i < domain->views_to.first[ref + 1]; ++i)
      stow_ref_walk_add(&passed, domain->views.at[domain->views_to.items[i]].from);
  for (size_t r = 0; r < domain->refs.count; ++r)
    domain->refs.at[r].mere =
        domain->refs.at[r].origin == STOW_VIEW && !stow_ref_walk_has(&passed, (int32_t)r);
  stow_ref_walk_free(&passed);
}
