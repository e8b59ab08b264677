//===- edges.c - where control goes from the end of a segment -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires segments with their forwarded operands. Computes the edges between segments and, per
// phi, the values that come in on each. A phi without one on some edge may be any memory: it
// escapes.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

// Forwarded operands of a segment are in the order of their operands.
static int32_t find_forwarded(const stow_domain *domain, int32_t segment, intptr_t operand) {
  const stow_passed *s = &domain->passed.at[segment];
  const size_t count = (size_t)(s->end - s->first);
  if (count == 0)
    return -1;
  const stow_forwarded *of_segment = domain->forwarded.at + s->first;
  size_t i = stow_ir_first_from(STOW_COLUMN(of_segment, count, operand), operand);
  return i < count && of_segment[i].operand == operand ? s->first + (int32_t)i : -1;
}

static void lay_edges(stow_domain *domain) {
  const stow_control *control = &domain->control->flow;
  const stow_carried *carried = domain->control->carried.at;
  const stow_carried *end = carried + domain->control->carried.count;
  for (size_t j = 0; j < control->jumps.count; ++j) {
    const stow_jump jump = control->jumps.at[j];
    const int32_t from = domain->passed.at[jump.from].segment;
    if (!stow_dealloc_is_reachable(domain, from))
      continue;
    const int32_t edge = stow_domain_add_edge(domain, from, jump.to, control->exits.at[j]);
    for (; carried < end && carried->jump <= (int32_t)j; ++carried) {
      const int32_t forwarded = find_forwarded(domain, from, carried->operand);
      if (carried->jump == (int32_t)j && forwarded >= 0)
        STOW_PUSH(domain->incoming,
                  (stow_incoming){forwarded, stow_domain_ref(domain, carried->target), edge});
    }
  }
}

STOW_BY_FIELDS(by_forwarded, stow_incoming, forwarded, edge)

static void sort_incoming(stow_domain *domain) {
  STOW_SORT(domain->incoming, by_forwarded);
  for (size_t i = domain->incoming.count; i-- > 0;) {
    stow_forwarded *f = &domain->forwarded.at[domain->incoming.at[i].forwarded];
    f->incoming = (int32_t)i;
    ++f->incoming_count;
  }
}

void stow_dealloc_lay_edges(stow_domain *domain) {
  lay_edges(domain);
  sort_incoming(domain);
}

// If an edge into a phi's segment has no incoming value for it, its value there is unknown.
void stow_dealloc_mark_unfilled(stow_domain *domain) {
  const stow_index *entering = &domain->entering;
  for (size_t r = 0; r < domain->refs.count; ++r) {
    stow_ref *ref = &domain->refs.at[r];
    ref->foreign |= ref->origin == STOW_OUTSIDE;
    if (ref->origin != STOW_PHI || ref->segment < 0)
      continue;
    int32_t filled = domain->incoming_of.first[r + 1] - domain->incoming_of.first[r];
    int32_t edges = entering->first[ref->segment + 1] - entering->first[ref->segment];
    if (filled < edges)
      stow_domain_add_escape(domain, (int32_t)r, ref->segment,
                             domain->segments.at[ref->segment].last,
                             "it becomes what may come from elsewhere, too");
  }
}
