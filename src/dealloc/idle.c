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

#include "dealloc/idle.h"

#include <stdlib.h>

typedef struct liveness {
  const stow_domain *domain;
  bool *live; // per ref
  int32_t *work;
  size_t work_count;
} liveness;

static void see(liveness *l, int32_t ref) {
  if (ref < 0 || l->live[ref])
    return;
  l->live[ref] = true;
  l->work[l->work_count++] = ref;
}

static void see_mentioned(liveness *l) {
  const stow_domain *d = l->domain;
  for (size_t i = 0; i < d->use_count; ++i)
    see(l, d->uses[i].ref);
  for (size_t i = 0; i < d->free_count; ++i)
    see(l, d->frees[i].ref);
  for (size_t i = 0; i < d->flight_count; ++i)
    see(l, d->flights[i].ref);
  for (int32_t i = 0; i < d->result_count; ++i)
    see(l, d->result + i);
}

static void see_behind(liveness *l) {
  const stow_domain *d = l->domain;
  while (l->work_count > 0) {
    int32_t ref = l->work[--l->work_count];
    for (int32_t i = d->handed_to.first[ref]; i < d->handed_to.first[ref + 1]; ++i) {
      const stow_handover *h = &d->handovers[d->passes[d->handed_to.items[i]].handover];
      see(l, h->ref);
      for (int32_t p = h->pass; p < h->pass + h->pass_count; ++p)
        see(l, d->passes[p].target);
    }
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
  int32_t *leaders = stow_allocate(d->ref_count, sizeof *leaders);
  for (size_t r = 0; r < d->ref_count; ++r)
    leaders[r] = (int32_t)r;
  for (size_t i = 0; i < d->view_count; ++i)
    join(leaders, d->views[i].from, d->views[i].to);
  for (size_t i = 0; i < d->pass_count; ++i)
    join(leaders, d->handovers[d->passes[i].handover].ref, d->passes[i].target);
  return leaders;
}

void stow_find_idle(stow_domain *domain, bool all) {
  if (domain->free_count == 0 && !all)
    return;
  size_t refs = domain->ref_count;
  liveness l = {domain, stow_allocate(refs, sizeof *l.live), stow_allocate(refs, sizeof *l.work),
                0};
  see_mentioned(&l);
  see_behind(&l);
  int32_t *leaders = find_leaders(domain);
  bool *freed = stow_allocate(refs, sizeof *freed);
  for (size_t i = 0; i < domain->free_count; ++i)
    freed[find(leaders, domain->frees[i].ref)] = true;
  for (size_t i = 0; i < domain->handover_count; ++i) {
    stow_handover *h = &domain->handovers[i];
    bool at_stake = all || freed[find(leaders, h->ref)];
    h->idle = at_stake && h->pass_count > 0 && !l.live[domain->passes[h->pass].target];
  }
  free(l.live), free(l.work), free(leaders), free(freed);
}

//===----------------------------------------------------------------------===//
// Mere names
//===----------------------------------------------------------------------===//

void stow_find_mere_names(stow_domain *domain) {
  liveness travelling = {domain, stow_allocate(domain->ref_count, sizeof *travelling.live),
                         stow_allocate(domain->ref_count, sizeof *travelling.work), 0};
  for (size_t i = 0; i < domain->free_count; ++i)
    see(&travelling, domain->frees[i].ref);
  for (size_t i = 0; i < domain->flight_count; ++i)
    see(&travelling, domain->flights[i].ref);
  for (size_t i = 0; i < domain->handover_count; ++i)
    if (!domain->handovers[i].idle)
      see(&travelling, domain->handovers[i].ref);
  while (travelling.work_count > 0) {
    int32_t ref = travelling.work[--travelling.work_count];
    for (int32_t i = domain->views_to.first[ref]; i < domain->views_to.first[ref + 1]; ++i)
      see(&travelling, domain->views[domain->views_to.items[i]].from);
  }
  for (size_t r = 0; r < domain->ref_count; ++r)
    domain->refs[r].mere = domain->refs[r].origin == STOW_VIEW && !travelling.live[r];
  free(travelling.live), free(travelling.work);
}
