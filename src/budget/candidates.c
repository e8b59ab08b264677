//===- candidates.c - what may go where there are too many bytes ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a walk (walk.h) that is over the capacity at a step. Computes what may go there:
// memories that are alive and next touched later, by the node for which they would come anew, and
// memories that may be placed elsewhere; cheapest per byte first. The sum of the cheapest, rounded
// down, bounds what it costs to fit there.
//
//===----------------------------------------------------------------------===//

#include "budget/candidates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

stow_budget_candidate stow_budget_candidate_of(const stow_budget_search *s, size_t memory,
                                               size_t node, uint8_t closed) {
  stow_budget_candidate best = {memory, node, s->walk.problem->memories[memory].bytes, UINT64_MAX,
                                0};
  for (uint8_t c = STOW_BUDGET_COMPUTED; c < STOW_BUDGET_CHOICES; ++c)
    if (!(closed >> c & 1) && stow_budget_allows(&s->walk, memory, node, c)) {
      const uint64_t price = stow_budget_price(&s->walk, memory, node, c);
      if (price < best.price) {
        best.price = price;
        best.choice = c;
      }
    }
  return best;
}

static int by_rate(const void *left, const void *right) {
  const stow_budget_candidate *a = left, *b = right;
  const double x = (double)a->price * (double)b->bytes, y = (double)b->price * (double)a->bytes;
  if (x != y)
    return x < y ? -1 : 1;
  if (a->memory != b->memory)
    return a->memory < b->memory ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

// Whether the touch is the first of its epoch behind the step, and the epoch is not touched there.
static bool is_next_of_waiting(stow_budget_search *s, const stow_budget_touch *t, size_t step) {
  if (t->step <= step) {
    s->waits[t->epoch] = t->step + 1;
    return false;
  }
  const bool waits = s->waits[t->epoch] > 0 && s->waits[t->epoch] <= step;
  s->waits[t->epoch] = 0;
  return waits;
}

// Appends those that are alive at a step, and may lie elsewhere. Returns how many.
static size_t placeable_at(const stow_budget_search *s, size_t step, stow_budget_candidate *out) {
  const stow_budget_walk *w = &s->walk;
  const size_t none = w->problem->node_count;
  size_t count = 0;
  for (size_t e = 0, begin, end; e < w->epoch_count; ++e) {
    const size_t memory = w->epochs[e].memory;
    if (stow_budget_bytes(w, memory) == 0 || !stow_budget_is_alive(w, e, &begin, &end) ||
        begin > step || step >= end)
      continue;
    out[count] = stow_budget_candidate_of(s, memory, none, stow_budget_closed_for(s, memory, none));
    count += out[count].price < UINT64_MAX;
  }
  return count;
}

stow_budget_candidate *stow_budget_candidates_at(stow_budget_search *s, size_t step, bool early,
                                                 size_t *out_count) {
  const stow_budget_walk *w = &s->walk;
  const size_t first = stow_budget_node_behind(w, step);
  size_t count = 0;
  stow_budget_candidate *list = calloc(2 * w->problem->memory_count + 1, sizeof *list);
  if (w->epoch_count > s->wait_room) {
    free(s->waits);
    s->wait_room = 2 * w->epoch_count;
    s->waits = malloc(s->wait_room * sizeof *s->waits);
  }
  if (!list || !s->waits) {
    s->no_memory = true;
    free(list);
    return NULL;
  }
  memset(s->waits, 0, w->epoch_count * sizeof *s->waits);
  for (size_t t = 0; t < w->touch_count; ++t) {
    if (!is_next_of_waiting(s, &w->touches[t], step))
      continue;
    const size_t memory = w->epochs[w->touches[t].epoch].memory;
    const size_t node = w->steps[w->touches[t].step].stage;
    if (w->choices[stow_budget_cell(w, memory, node)] != STOW_BUDGET_STAYS ||
        stow_budget_bytes(w, memory) == 0)
      continue;
    const bool sooner = early && first < node;
    list[count] = stow_budget_candidate_of(s, memory, sooner ? first : node,
                                           sooner ? 0 : stow_budget_closed_for(s, memory, node));
    list[count].node = node;
    count += list[count].price < UINT64_MAX;
  }
  count += placeable_at(s, step, list + count);
  assert(count <= 2 * w->problem->memory_count); // each memory has one epoch alive at a step
  qsort(list, count, sizeof *list, by_rate);
  *out_count = count;
  return list;
}

uint64_t stow_budget_least_price(stow_budget_search *s, const stow_budget_candidate *list,
                                 size_t first, size_t count, uint64_t bytes) {
  uint64_t price = 0;
  ++s->counts;
  for (size_t i = first; i < count && bytes > 0; ++i) {
    if (s->counted[list[i].memory] == s->counts)
      continue;
    s->counted[list[i].memory] = s->counts;
    if (list[i].bytes >= bytes)
      return price + (uint64_t)((double)list[i].price * (double)bytes / (double)list[i].bytes *
                                (1 - 1e-12)); // rounded down
    price += list[i].price;
    bytes -= list[i].bytes;
  }
  return bytes > 0 ? UINT64_MAX : price;
}
