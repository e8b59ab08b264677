//===- needs.c - where an owner is needed ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/needs.h"

#include <stdlib.h>

stow_need *stow_need_in(stow_needs *n, int32_t stretch) {
  stow_need *need = &n->of[stretch];
  if (need->attempt != n->attempt) {
    *need = (stow_need){.attempt = n->attempt, .last = STOW_UNTOUCHED};
    n->touched[n->touched_count++] = stretch;
  }
  return need;
}

static void need_at(stow_needs *n, int32_t stretch, int64_t moment) {
  if (stretch < 0 || !n->domain->stretches.at[stretch].reachable)
    return;
  stow_need *need = stow_need_in(n, stretch);
  if (moment > need->last)
    need->last = moment;
}

int64_t stow_end_of(const stow_domain *domain, int32_t stretch) {
  return 2 * domain->stretches.at[stretch].stop;
}

bool stow_is_needed_on(const stow_needs *n, int32_t path) {
  const stow_need *need = &n->of[n->domain->paths.at[path].to];
  return need->attempt == n->attempt && need->in;
}

static void need_for_ref(stow_needs *n, int32_t r) {
  const stow_domain *domain = n->domain;
  const stow_ref *ref = &domain->refs.at[r];
  need_at(n, ref->stretch, ref->position < 0 ? STOW_START : 2 * ref->position + 1);
  for (int32_t i = n->uses.first[r]; i < n->uses.first[r + 1]; ++i) {
    const stow_mention *use = &domain->uses.at[n->uses.items[i]];
    need_at(n, use->stretch, 2 * use->position + 1);
  }
  for (int32_t i = domain->handed.first[r]; i < domain->handed.first[r + 1]; ++i) {
    int32_t stretch = domain->handovers.at[domain->handed.items[i]].stretch;
    need_at(n, stretch, stow_end_of(domain, stretch));
  }
  for (int32_t i = n->frees.first[r]; i < n->frees.first[r + 1]; ++i) {
    const stow_mention *mention = &domain->frees.at[n->frees.items[i]];
    if (!domain->stretches.at[mention->stretch].reachable)
      continue;
    stow_need *need = stow_need_in(n, mention->stretch);
    ++need->frees;
    need->freed_at = 2 * mention->position + 1;
  }
}

static void need_on_entry(stow_needs *n, int32_t stretch) {
  stow_need *need = stow_need_in(n, stretch);
  if (need->in || stretch == n->domain->refs.at[n->owner].stretch)
    return;
  need->in = true;
  n->work[n->work_count++] = stretch;
}

static void close_over_paths(stow_needs *n) {
  const stow_domain *domain = n->domain;
  size_t mentioned = n->touched_count;
  n->work_count = 0;
  for (size_t i = 0; i < mentioned; ++i)
    need_on_entry(n, n->touched[i]);
  while (n->work_count > 0) {
    int32_t stretch = n->work[--n->work_count];
    for (int32_t p = domain->entering.first[stretch]; p < domain->entering.first[stretch + 1];
         ++p) {
      int32_t from = domain->paths.at[domain->entering.items[p]].from;
      if (!domain->stretches.at[from].reachable)
        continue;
      stow_need_in(n, from)->out = true;
      need_on_entry(n, from);
    }
  }
}

void stow_needs_find(stow_needs *n, int32_t owner, const int32_t *held, size_t held_count) {
  const stow_index *behind = &n->owners->behind;
  n->owner = owner;
  ++n->attempt;
  n->touched_count = 0;
  for (size_t i = 0; i < held_count; ++i)
    need_at(n, held[i], STOW_START);
  for (int32_t i = behind->first[n->owner]; i < behind->first[n->owner + 1]; ++i)
    need_for_ref(n, behind->items[i]);
  close_over_paths(n);
}

static int32_t mentioned(const void *table, size_t i) {
  return ((const stow_mention *)table)[i].ref;
}

stow_needs stow_needs_create(const stow_domain *domain, const stow_owners *owners) {
  size_t refs = domain->refs.count, stretches = domain->stretches.count;
  return (stow_needs){.domain = domain,
                      .owners = owners,
                      .uses = stow_index_of(domain->uses.at, domain->uses.count, refs, mentioned),
                      .frees =
                          stow_index_of(domain->frees.at, domain->frees.count, refs, mentioned),
                      .of = stow_allocate(stretches, sizeof(stow_need)),
                      .touched = stow_allocate(stretches, sizeof(int32_t)),
                      .work = stow_allocate(stretches, sizeof(int32_t))};
}

void stow_needs_free(stow_needs *n) {
  stow_index_free(&n->uses), stow_index_free(&n->frees);
  free(n->of), free(n->touched), free(n->work);
  *n = (stow_needs){0};
}
