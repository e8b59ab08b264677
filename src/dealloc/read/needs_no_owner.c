//===- needs_no_owner.c - names that need no owner ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phi *needs no owner* if no op mentions it and it is forwarded to such phis only: a
// result of a region that is not used. A program that has deallocs may free a buffer and still
// forward its name to such a phi. That is no use of the buffer, and the phi has nothing
// to own. So the forwarded operand is ignored in all decisions. If the program frees
// nothing, these phis are treated as all others: the output is simpler if no freed buffer
// is forwarded.
//
// Phis of one forwarded operand need no owner together, as they own together.
//
// A *local name* is a view that no op frees or forwards, nor a view of it. Ownership is
// decided without it.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

static void add_mentioned(const stow_domain *d, stow_walk *live) {
  for (size_t i = 0; i < d->uses.count; ++i)
    if (d->uses.at[i].ref >= 0)
      stow_walk_add(live, d->uses.at[i].ref);
  for (size_t i = 0; i < d->frees.count; ++i)
    stow_walk_add(live, d->frees.at[i].ref);
  for (size_t i = 0; i < d->escapes.count; ++i)
    stow_walk_add(live, d->escapes.at[i].ref);
  for (int32_t i = 0; i < d->result_count; ++i)
    stow_walk_add(live, d->result + i);
}

static void add_behind(const stow_domain *d, stow_walk *live) {
  for (int32_t ref; stow_walk_next(live, &ref);)
    STOW_EACH_OF(i, d->incoming_of, ref) {
      const stow_forwarded *f = &d->forwarded.at[d->incoming.at[i].forwarded];
      stow_walk_add(live, f->ref);
      stow_dealloc_add_phis(d, live, f);
    }
}

//===----------------------------------------------------------------------===//
// Refs that may be one buffer, as sets
//===----------------------------------------------------------------------===//

static int32_t *find_leaders(const stow_domain *d) {
  int32_t *leaders = stow_ir_sets_of(d->refs.count);
  for (size_t i = 0; i < d->views.count; ++i)
    stow_ir_unite(leaders, d->views.at[i].from, d->views.at[i].to);
  for (size_t i = 0; i < d->incoming.count; ++i)
    stow_ir_unite(leaders, d->forwarded.at[d->incoming.at[i].forwarded].ref, d->incoming.at[i].phi);
  return leaders;
}

void stow_dealloc_find_needs_no_owner(stow_domain *domain, bool all) {
  if (domain->frees.count == 0 && !all)
    return;
  stow_walk live = stow_walk_create(domain->refs.count);
  add_mentioned(domain, &live);
  add_behind(domain, &live);
  int32_t *leaders = find_leaders(domain);
  bool *freed = stow_ir_allocate(domain->refs.count, sizeof *freed);
  for (size_t i = 0; i < domain->frees.count; ++i)
    freed[stow_ir_leader(leaders, domain->frees.at[i].ref)] = true;
  STOW_EACH(stow_forwarded, f, domain->forwarded) {
    bool at_stake = all || freed[stow_ir_leader(leaders, f->ref)];
    f->needs_no_owner = at_stake && f->incoming_count > 0 &&
                        !stow_walk_has(&live, domain->incoming.at[f->incoming].phi);
  }
  stow_walk_free(&live);
  free(leaders);
  free(freed);
}

//===----------------------------------------------------------------------===//
// Local names
//===----------------------------------------------------------------------===//

void stow_dealloc_find_local_names(stow_domain *domain) {
  stow_walk passed = stow_walk_create(domain->refs.count);
  for (size_t i = 0; i < domain->frees.count; ++i)
    stow_walk_add(&passed, domain->frees.at[i].ref);
  for (size_t i = 0; i < domain->escapes.count; ++i)
    stow_walk_add(&passed, domain->escapes.at[i].ref);
  for (size_t i = 0; i < domain->forwarded.count; ++i)
    if (!domain->forwarded.at[i].needs_no_owner)
      stow_walk_add(&passed, domain->forwarded.at[i].ref);
  for (int32_t ref; stow_walk_next(&passed, &ref);)
    stow_walk_add_all(&passed, &domain->views_to, ref);
  for (size_t r = 0; r < domain->refs.count; ++r)
    domain->refs.at[r].local =
        domain->refs.at[r].origin == STOW_VIEW && !stow_walk_has(&passed, (int32_t)r);
  stow_walk_free(&passed);
}
