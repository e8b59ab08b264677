//===- verify.c - whether an order is what it says ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed from the definition, without code of the search: a life is a range of positions, and
// the peak is the largest sum of the sizes that are live at one position.
//
//===----------------------------------------------------------------------===//

#include "stowage/order.h"

#include <stdlib.h>

static bool find_places(const stow_order_problem *p, const size_t *nodes, size_t *places) {
  for (size_t i = 0; i < p->node_count; ++i)
    places[i] = SIZE_MAX;
  for (size_t i = 0; i < p->node_count; ++i) {
    if (nodes[i] >= p->node_count || places[nodes[i]] != SIZE_MAX)
      return false;
    places[nodes[i]] = i;
  }
  return true;
}

static bool keeps_edges(const stow_order_problem *p, const size_t *places) {
  for (size_t e = 0; e < p->edge_count; ++e)
    if (places[p->edges[e].before] >= places[p->edges[e].after])
      return false;
  return true;
}

// changes[i]: bytes born at place i, less those that died before it; modulo 2^64.
static void add_life(const stow_order_problem *p, const stow_order_buffer *buffer,
                     const size_t *places, uint64_t *changes) {
  size_t first = p->node_count, last = 0;
  for (size_t i = 0; i < buffer->user_count; ++i) {
    const size_t at = places[buffer->users[i]];
    first = at < first ? at : first;
    last = at > last ? at : last;
  }
  changes[buffer->from_start ? 0 : first] += buffer->bytes;
  changes[buffer->to_end ? p->node_count : last + 1] -= buffer->bytes;
}

static uint64_t peak_of(const stow_order_problem *p, const size_t *nodes, const size_t *places,
                        uint64_t *changes) {
  uint64_t level = 0, peak = 0;
  for (size_t b = 0; b < p->buffer_count; ++b)
    add_life(p, &p->buffers[b], places, changes);
  for (size_t i = 0; i < p->node_count; ++i) {
    level += changes[i];
    const uint64_t high = level + (p->inside ? p->inside[nodes[i]] : 0);
    peak = high > peak ? high : peak;
  }
  return peak;
}

stow_order_verdict stow_order_verify(const stow_order_problem *problem, const size_t *nodes,
                                     uint64_t peak) {
  size_t *places = calloc(problem->node_count + 1, sizeof *places);
  uint64_t *changes = calloc(problem->node_count + 1, sizeof *changes);
  stow_order_verdict verdict = STOW_ORDER_HOLDS;
  if (!places || !changes)
    verdict = STOW_ORDER_NO_MEMORY;
  else if (!find_places(problem, nodes, places))
    verdict = STOW_ORDER_NO_PERMUTATION;
  else if (!keeps_edges(problem, places))
    verdict = STOW_ORDER_BROKEN_EDGE;
  else if (peak_of(problem, nodes, places, changes) != peak)
    verdict = STOW_ORDER_OTHER_PEAK;
  free(places);
  free(changes);
  return verdict;
}
