//===- early.c - what lets a memory come anew before it is needed next ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a walk that is over the capacity at a step. A memory that waits there may come anew for
// an earlier node than the next that touches it, if that lets others be computed. Computes which
// choices behind the step are of use for that, and what the step costs at least as it is, and with
// the memories that come for its node in another order.
//
//===----------------------------------------------------------------------===//

#include "budget/candidates.h"

#include <stdlib.h>

static bool may_come(const stow_budget_search *s, size_t memory, size_t node) {
  return stow_budget_candidate_of(s, memory, node, stow_budget_closed_for(s, memory, node)).price <
         UINT64_MAX;
}

static bool may_be_computed(const stow_budget_search *s, size_t memory, size_t node) {
  const uint8_t chosen = s->walk.choices[stow_budget_cell(&s->walk, memory, node)];
  const bool open = !(stow_budget_closed_for(s, memory, node) >> STOW_BUDGET_COMPUTED & 1);
  return chosen == STOW_BUDGET_COMPUTED ||
         (chosen == STOW_BUDGET_STAYS && open &&
          stow_budget_allows(&s->walk, memory, node, STOW_BUDGET_COMPUTED));
}

// Whether it is of use that a memory is needed for a node, as it may come anew for it.
static bool is_of_use(const stow_budget_search *s, size_t memory, size_t node, size_t own) {
  const bool stays = s->walk.choices[stow_budget_cell(&s->walk, memory, node)] == STOW_BUDGET_STAYS;
  return stays ? s->until[memory] > node && may_come(s, memory, node)
               : node == own && s->later[memory];
}

// Appends what a node reads to `path`, if it is not counted. Whether some of it is of use.
static bool follow(stow_budget_search *s, const stow_budget_node *n, size_t node, size_t own,
                   size_t *count) {
  s->walk.effort += n->access_count;
  for (size_t a = 0; a < n->access_count; ++a) {
    const size_t source = n->accesses[a].memory;
    if (s->counted[source] == s->counts)
      continue;
    if (!n->accesses[a].writes && is_of_use(s, source, node, own))
      return true;
    s->counted[source] = s->counts;
    s->path[(*count)++] = source;
  }
  return false;
}

// Whether it may be of use to compute a memory for a node. To need what is counted is not.
static bool enables(stow_budget_search *s, size_t memory, size_t node, size_t own) {
  size_t count = 1;
  s->path[0] = memory;
  while (count > 0) {
    const size_t at = s->path[--count];
    if (!may_be_computed(s, at, node))
      continue;
    const stow_budget_writers writers = stow_budget_writers_at(&s->walk, at, node);
    for (size_t v = 0; v < writers.count; ++v)
      if (follow(s, &s->walk.problem->nodes[writers.nodes[v]], node, own, &count)) {
        ++s->counts;
        return true;
      }
  }
  return false;
}

// What to compute behind a step, so that what waits there until `last` or earlier may come before
// it is needed next. The array is freed by the caller; NULL: no memory.
static stow_budget_candidate *enablers_behind(stow_budget_search *s, size_t step, size_t last,
                                              size_t *out_count) {
  const stow_budget_walk *w = &s->walk;
  const size_t first = stow_budget_node_behind(w, step), own = w->steps[step].stage;
  size_t stage = SIZE_MAX;
  stow_budget_candidate *list = calloc(w->touch_count + 1, sizeof *list);
  if (!list) {
    s->no_memory = true;
    return NULL;
  }
  for (size_t t = 0; t < w->touch_count; ++t) {
    const size_t memory = w->epochs[w->touches[t].epoch].memory;
    const size_t node = w->steps[w->touches[t].step].stage;
    if (node < first || (node >= last && node != own) || !may_be_computed(s, memory, node) ||
        w->choices[stow_budget_cell(w, memory, node)] != STOW_BUDGET_STAYS)
      continue;
    s->counts += node != stage;
    stage = node;
    if (!enables(s, memory, node, own))
      continue;
    const uint64_t price = stow_budget_price(w, memory, node, STOW_BUDGET_COMPUTED);
    list[(*out_count)++] = (stow_budget_candidate){
        memory, node, 0, s->until[memory] == node ? 0 : price, STOW_BUDGET_COMPUTED};
  }
  return list;
}

static bool is_touched_at(const stow_budget_walk *w, size_t epoch, size_t step) {
  for (size_t t = 0; t < w->touch_count; ++t)
    if (w->touches[t].step == step && w->touches[t].epoch == epoch)
      return true;
  return false;
}

// Whether an epoch is alive at a step only by the order in which memories come anew for the step's
// node: it began among them, or ends there.
static bool is_alive_by_order(const stow_budget_walk *w, size_t epoch, size_t step) {
  const size_t own = w->steps[step].stage;
  size_t begin, end;
  if (!stow_budget_is_alive(w, epoch, &begin, &end) || begin >= step || end <= step + 1)
    return false;
  const stow_budget_taken *last = &w->steps[end - 1];
  const bool ends = last->stage == own && last->step.action != STOW_BUDGET_RUN;
  return (w->steps[begin].stage == own || ends) && !is_touched_at(w, epoch, step);
}

static uint64_t bytes_by_order(stow_budget_search *s, size_t step) {
  const stow_budget_walk *w = &s->walk;
  uint64_t bytes = 0;
  if (w->steps[step].step.action == STOW_BUDGET_RUN)
    return 0;
  for (size_t e = 0; e < w->epoch_count; ++e)
    bytes += is_alive_by_order(w, e, step) ? stow_budget_bytes(w, w->epochs[e].memory) : 0;
  s->walk.effort += w->epoch_count;
  return bytes;
}

static bool is_worth(const stow_budget_search *s, uint64_t price) {
  return price < UINT64_MAX && s->walk.cost + price < s->best_cost;
}

static void mark_later(stow_budget_search *s, size_t step, bool marked) {
  const stow_budget_walk *w = &s->walk;
  for (size_t i = step; i < w->step_count && w->steps[i].stage == w->steps[step].stage; ++i)
    if (w->steps[i].step.action != STOW_BUDGET_RUN)
      s->later[w->steps[i].step.memory] = marked;
}

stow_budget_candidate *stow_budget_enablers(stow_budget_search *s, size_t step, size_t *out_count,
                                            stow_budget_early_price *out) {
  const size_t none = s->walk.problem->node_count;
  const uint64_t over = s->walk.levels[step] - s->capacity, by_order = bytes_by_order(s, step);
  size_t count = 0, last = 0;
  stow_budget_candidate *enablers = NULL, *list = stow_budget_candidates_at(s, step, true, &count);
  if (!list)
    return NULL;
  out->as_is = stow_budget_least_price(s, list, 0, count, over);
  out->reordered =
      stow_budget_least_price(s, list, 0, count, over > by_order ? over - by_order : 0);
  for (size_t i = 0; i < count; ++i)
    if (list[i].node < none) {
      s->until[list[i].memory] = list[i].node;
      last = list[i].node > last ? list[i].node : last;
    }
  mark_later(s, step, true);
  if (is_worth(s, out->reordered))
    enablers = enablers_behind(s, step, is_worth(s, out->as_is) ? last : 0, out_count);
  mark_later(s, step, false);
  for (size_t i = 0; i < count; ++i)
    s->until[list[i].memory] = 0;
  free(list);
  return enablers;
}
