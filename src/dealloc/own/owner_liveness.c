//===- owner_liveness.c - where an owner is needed ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owner_liveness.h"

#include <stdlib.h>

stow_live_segment *stow_live_segment_of(stow_owner_liveness *n, int32_t segment) {
  stow_live_segment *need = &n->of[segment];
  if (need->attempt != n->attempt) {
    *need = (stow_live_segment){.attempt = n->attempt, .last = STOW_UNTOUCHED};
    n->touched[n->touched_count++] = segment;
  }
  return need;
}

static void need_at(stow_owner_liveness *n, int32_t segment, int64_t moment) {
  if (segment < 0)
    return;
  stow_live_segment *need = stow_live_segment_of(n, segment);
  if (moment > need->last)
    need->last = moment;
}

int64_t stow_dealloc_end_of(const stow_domain *domain, int32_t segment) {
  return 2 * (domain->segments.at[segment].end - 1);
}

bool stow_dealloc_is_live_on(const stow_owner_liveness *n, int32_t edge) {
  const stow_live_segment *need = &n->of[n->domain->edges.at[edge].to];
  return need->attempt == n->attempt && need->in;
}

static void need_for_ref(stow_owner_liveness *n, int32_t r) {
  const stow_domain *domain = n->domain;
  const stow_ref *ref = &domain->refs.at[r];
  need_at(n, ref->segment, ref->position < 0 ? STOW_START : 2 * ref->position + 1);
  STOW_EACH_OF(i, domain->uses_of, r) {
    const stow_own_mention *use = &domain->uses.at[i];
    need_at(n, use->segment, 2 * use->position + 1);
  }
  STOW_EACH_OF(i, domain->forwarded_of, r) {
    int32_t segment = domain->forwarded.at[i].segment;
    need_at(n, segment, stow_dealloc_end_of(domain, segment));
  }
  STOW_EACH_OF(i, domain->frees_of, r) {
    const stow_own_mention *mention = &domain->frees.at[i];
    stow_live_segment *need = stow_live_segment_of(n, mention->segment);
    ++need->frees;
    need->freed_at = 2 * mention->position + 1;
  }
}

static void need_on_entry(stow_owner_liveness *n, int32_t segment) {
  stow_live_segment *need = stow_live_segment_of(n, segment);
  if (need->in || segment == n->domain->refs.at[n->owner].segment)
    return;
  need->in = true;
  n->work[n->work_count++] = segment;
}

static void spread_over_edges(stow_owner_liveness *n) {
  const stow_domain *domain = n->domain;
  size_t mentioned = n->touched_count;
  n->work_count = 0;
  for (size_t i = 0; i < mentioned; ++i)
    need_on_entry(n, n->touched[i]);
  while (n->work_count > 0) {
    int32_t segment = n->work[--n->work_count];
    STOW_EACH_OF(p, domain->entering, segment) {
      int32_t from = domain->edges.at[p].from;
      stow_live_segment_of(n, from)->out = true;
      need_on_entry(n, from);
    }
  }
}

void stow_owner_liveness_find(stow_owner_liveness *n, int32_t owner, const int32_t *held,
                              size_t held_count) {
  const stow_index *behind = &n->owners->behind;
  n->owner = owner;
  ++n->attempt;
  n->touched_count = 0;
  for (size_t i = 0; i < held_count; ++i)
    need_at(n, held[i], STOW_START);
  STOW_EACH_OF(i, *behind, n->owner)
    need_for_ref(n, i);
  spread_over_edges(n);
}

stow_owner_liveness stow_owner_liveness_create(const stow_owners *owners) {
  size_t segments = owners->domain->segments.count;
  return (stow_owner_liveness){.domain = owners->domain,
                               .owners = owners,
                               .of = stow_ir_allocate(segments, sizeof(stow_live_segment)),
                               .touched = stow_ir_allocate(segments, sizeof(int32_t)),
                               .work = stow_ir_allocate(segments, sizeof(int32_t))};
}

void stow_owner_liveness_free(stow_owner_liveness *n) {
  free(n->of);
  free(n->touched);
  free(n->work);
  *n = (stow_owner_liveness){0};
}
