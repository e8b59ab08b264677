//===- reached.c - what control cannot reach is left out ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that cannot be reached may still branch to one that can, and mention its
// buffers. No table but those of segments and refs keeps anything of such a segment, so
// that nothing is decided because of what never runs.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

// False: some segment cannot be reached.
static bool mark_reachable(stow_domain *domain) {
  const size_t segments = domain->segments.count, edges = domain->edges.count;
  stow_jump *jumps = stow_allocate(edges, sizeof *jumps);
  bool *marked = stow_allocate(segments, sizeof *marked), all = true;
  for (size_t e = 0; e < edges; ++e)
    jumps[e] = (stow_jump){domain->edges.at[e].from, domain->edges.at[e].to};
  stow_index successors = stow_successors_of(jumps, edges, segments);
  if (segments > 0)
    marked[0] = true;
  stow_mark_reached(&successors, segments, marked);
  for (size_t s = 0; s < segments; ++s) {
    domain->segments.at[s].reachable = marked[s];
    all &= marked[s];
  }
  stow_index_free(&successors);
  free(jumps), free(marked);
  return all;
}

//===----------------------------------------------------------------------===//
// Edges, and what is forwarded along them
//===----------------------------------------------------------------------===//

// Gives the new numbers of edges; -1: it goes.
static int32_t *keep_edges(stow_domain *domain) {
  int32_t *number = stow_allocate(domain->edges.count, sizeof *number);
  size_t kept = 0;
  for (size_t e = 0; e < domain->edges.count; ++e) {
    const stow_own_edge edge = domain->edges.at[e];
    number[e] = domain->segments.at[edge.from].reachable ? (int32_t)kept : -1;
    if (number[e] >= 0)
      domain->edges.at[kept++] = edge;
  }
  domain->edges.count = kept;
  return number;
}

// The same of forwarded operands.
static int32_t *keep_forwarded(stow_domain *domain) {
  int32_t *number = stow_allocate(domain->forwarded.count, sizeof *number);
  size_t kept = 0;
  for (size_t f = 0; f < domain->forwarded.count; ++f) {
    const stow_forwarded forwarded = domain->forwarded.at[f];
    number[f] = domain->segments.at[forwarded.segment].reachable ? (int32_t)kept : -1;
    if (number[f] >= 0)
      domain->forwarded.at[kept++] = forwarded;
  }
  for (size_t s = 0; s < domain->segments.count; ++s) {
    stow_own_segment *segment = &domain->segments.at[s];
    if (!segment->reachable)
      segment->forwarded_count = 0;
    segment->forwarded = segment->forwarded_count > 0 ? number[segment->forwarded] : 0;
  }
  domain->forwarded.count = kept;
  return number;
}

static void keep_incoming(stow_domain *domain) {
  int32_t *edges = keep_edges(domain), *forwarded = keep_forwarded(domain);
  size_t kept = 0;
  for (size_t i = 0; i < domain->incoming.count; ++i) {
    const stow_incoming in = domain->incoming.at[i];
    const int32_t edge = in.edge < 0 ? -1 : edges[in.edge];
    if (forwarded[in.forwarded] >= 0)
      domain->incoming.at[kept++] = (stow_incoming){forwarded[in.forwarded], in.phi, edge};
  }
  domain->incoming.count = kept;
  free(edges), free(forwarded);
}

//===----------------------------------------------------------------------===//
// Mentions, names, escapes
//===----------------------------------------------------------------------===//

// Gives how many are kept.
static size_t keep_mentions(const stow_domain *domain, stow_own_mention *mentions, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (stow_is_reachable(domain, mentions[i].segment))
      mentions[kept++] = mentions[i];
  return kept;
}

static size_t keep_names(const stow_domain *domain, stow_jump *names, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (stow_is_reachable(domain, domain->refs.at[names[i].to].segment))
      names[kept++] = names[i];
  return kept;
}

static size_t keep_escapes(const stow_domain *domain, stow_own_escape *escapes, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (stow_is_reachable(domain, escapes[i].segment))
      escapes[kept++] = escapes[i];
  return kept;
}

void stow_leave_out_unreachable(stow_domain *d) {
  if (mark_reachable(d))
    return;
  keep_incoming(d);
  d->uses.count = keep_mentions(d, d->uses.at, d->uses.count);
  d->frees.count = keep_mentions(d, d->frees.at, d->frees.count);
  d->ignored_frees.count = keep_mentions(d, d->ignored_frees.at, d->ignored_frees.count);
  d->views.count = keep_names(d, d->views.at, d->views.count);
  d->takeovers.count = keep_names(d, d->takeovers.at, d->takeovers.count);
  d->escapes.count = keep_escapes(d, d->escapes.at, d->escapes.count);
}
