//===- ref_walk.c - refs to visit, each once ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/ref_walk.h"

#include <stdlib.h>

stow_ref_walk stow_ref_walk_create(const stow_domain *domain) {
  return (stow_ref_walk){.domain = domain,
                         .added = stow_ir_allocate(domain->refs.count, sizeof(int32_t)),
                         .items = stow_ir_allocate(domain->refs.count, sizeof(int32_t)),
                         .round = 1};
}

void stow_ref_walk_free(stow_ref_walk *walk) {
  free(walk->added);
  free(walk->items);
  *walk = (stow_ref_walk){0};
}

void stow_ref_walk_restart(stow_ref_walk *walk) {
  ++walk->round;
  walk->count = walk->next = 0;
}

bool stow_ref_walk_has(const stow_ref_walk *walk, int32_t ref) {
  return walk->added[ref] == walk->round;
}

void stow_ref_walk_add(stow_ref_walk *walk, int32_t ref) {
  if (stow_ref_walk_has(walk, ref))
    return;
  walk->added[ref] = walk->round;
  walk->items[walk->count++] = ref;
}

bool stow_ref_walk_next(stow_ref_walk *walk, int32_t *out_ref) {
  if (walk->next == walk->count)
    return false;
  *out_ref = walk->items[walk->next++];
  return true;
}

static void add_all(stow_ref_walk *walk, const stow_index *refs, int32_t ref) {
  STOW_EACH_OF(i, *refs, ref)
    stow_ref_walk_add(walk, i);
}

void stow_dealloc_walk_backward(stow_ref_walk *walk, int32_t ref, stow_follows_fn follows,
                                const void *user) {
  const stow_domain *d = walk->domain;
  add_all(walk, &d->views_to, ref);
  STOW_EACH_OF(i, d->incoming_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[d->incoming.at[i].forwarded];
    if (!follows || follows(user, f))
      stow_ref_walk_add(walk, f->ref);
  }
}

void stow_dealloc_walk_forward(stow_ref_walk *walk, int32_t ref, stow_follows_fn follows,
                               const void *user) {
  const stow_domain *d = walk->domain;
  add_all(walk, &d->views_of, ref);
  STOW_EACH_OF(i, d->forwarded_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[i];
    if (follows && !follows(user, f))
      continue;
    for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
      stow_ref_walk_add(walk, d->incoming.at[p].phi);
  }
}

void stow_dealloc_walk_to_call_arguments(stow_ref_walk *walk, int32_t ref) {
  add_all(walk, &walk->domain->taken_to, ref);
}

void stow_dealloc_walk_to_call_results(stow_ref_walk *walk, int32_t ref) {
  add_all(walk, &walk->domain->taken_of, ref);
}
