//===- walk.c - what a set of choices does --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/walk.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

// Room for one item more.
#define GROW(walk, items, count, room) STOW_STREAM_ROOM((walk)->items, (walk)->count, (walk)->room)

static bool overwrites(const stow_budget_node *n, size_t memory) {
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].memory == memory)
      return n->accesses[a].overwrites;
  return false;
}

static bool list_writers(const stow_budget_problem *p, stow_budget_walk *w) {
  size_t count = 0;
  w->first_writer = calloc(p->memory_count + 2, sizeof *w->first_writer);
  if (!w->first_writer)
    return false;
  for (size_t n = 0; n < p->node_count; ++n)
    for (size_t a = 0; a < p->nodes[n].access_count; ++a)
      if (p->nodes[n].accesses[a].writes) {
        ++w->first_writer[p->nodes[n].accesses[a].memory + 2];
        ++count;
      }
  for (size_t m = 2; m < p->memory_count + 2; ++m)
    w->first_writer[m] += w->first_writer[m - 1];
  w->writers = calloc(count + 1, sizeof *w->writers);
  w->since = calloc(count + 1, sizeof *w->since);
  if (!w->writers || !w->since)
    return false;
  for (size_t n = 0; n < p->node_count; ++n)
    for (size_t a = 0; a < p->nodes[n].access_count; ++a)
      if (p->nodes[n].accesses[a].writes)
        w->writers[w->first_writer[p->nodes[n].accesses[a].memory + 1]++] = n;
  for (size_t m = 0; m < p->memory_count; ++m)
    for (size_t i = w->first_writer[m]; i < w->first_writer[m + 1]; ++i)
      w->since[i] =
          i == w->first_writer[m] || overwrites(&p->nodes[w->writers[i]], m) ? i : w->since[i - 1];
  return true;
}

bool stow_budget_walk_begin(const stow_budget_problem *p, stow_budget_walk *out) {
  *out = (stow_budget_walk){.problem = p};
  const size_t memories = p->memory_count + 1;
  if (memories > SIZE_MAX / (p->node_count + 1))
    return false;
  out->choices = calloc(memories * (p->node_count + 1), sizeof *out->choices);
  out->placed = calloc(memories, sizeof *out->placed);
  out->epoch_of = calloc(memories, sizeof *out->epoch_of);
  out->renewed = calloc(memories, sizeof *out->renewed);
  out->stored = calloc(memories, sizeof *out->stored);
  if (!out->choices || !out->placed || !out->epoch_of || !out->renewed || !out->stored)
    return false;
  for (size_t n = 0; n < p->node_count; ++n)
    for (size_t a = 0; a < p->nodes[n].access_count; ++a)
      out->placed[p->nodes[n].accesses[a].memory] += p->nodes[n].accesses[a].placed;
  for (size_t m = 0; m < p->memory_count; ++m) {
    assert(p->memories[m].saved <= out->placed[m]);
    out->placed[m] -= p->memories[m].saved;
  }
  return list_writers(p, out);
}

void stow_budget_walk_free(stow_budget_walk *w) {
  free(w->first_writer);
  free(w->writers);
  free(w->since);
  free(w->choices);
  free(w->placed);
  free(w->steps);
  free(w->stores);
  free(w->epochs);
  free(w->touches);
  free(w->levels);
  free(w->epoch_of);
  free(w->renewed);
  free(w->stored);
  free(w->pending);
  *w = (stow_budget_walk){0};
}

//===----------------------------------------------------------------------===//
// What may be chosen
//===----------------------------------------------------------------------===//

// How many nodes before this one wrote the memory.
static size_t version_at(const stow_budget_walk *w, size_t memory, size_t node) {
  size_t low = w->first_writer[memory], high = w->first_writer[memory + 1];
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (w->writers[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low - w->first_writer[memory];
}

stow_budget_writers stow_budget_writers_at(const stow_budget_walk *w, size_t memory, size_t node) {
  const size_t end = w->first_writer[memory] + version_at(w, memory, node);
  assert(end > w->first_writer[memory]);
  const size_t first = w->since[end - 1];
  return (stow_budget_writers){&w->writers[first], end - first};
}

// Whether a node would find what it read where it runs again just before `at`.
static bool finds_the_same(const stow_budget_walk *w, size_t node, size_t memory, size_t at) {
  const stow_budget_node *n = &w->problem->nodes[node];
  for (size_t a = 0; a < n->access_count; ++a) {
    const size_t source = n->accesses[a].memory;
    if (source != memory && version_at(w, source, node) != version_at(w, source, at))
      return false;
  }
  return true;
}

bool stow_budget_allows(const stow_budget_walk *w, size_t memory, size_t node,
                        stow_budget_choice choice) {
  const stow_budget_memory *m = &w->problem->memories[memory];
  if (choice == STOW_BUDGET_STAYS)
    return true;
  if ((choice == STOW_BUDGET_PLACED) != (node == w->problem->node_count))
    return false;
  if (choice == STOW_BUDGET_PLACED)
    return m->placeable;
  if (!m->renewable || version_at(w, memory, node) == 0)
    return false;
  if (choice == STOW_BUDGET_SPILLED)
    return m->spillable;
  if (m->from_start)
    return false;
  const stow_budget_writers writers = stow_budget_writers_at(w, memory, node);
  for (size_t v = 0; v < writers.count; ++v)
    if (!w->problem->nodes[writers.nodes[v]].repeatable ||
        !finds_the_same(w, writers.nodes[v], memory, node))
      return false;
  return true;
}

uint64_t stow_budget_price(const stow_budget_walk *w, size_t memory, size_t node,
                           stow_budget_choice choice) {
  uint64_t cost = 0;
  if (choice == STOW_BUDGET_PLACED)
    return w->placed[memory];
  if (choice == STOW_BUDGET_SPILLED)
    return w->problem->memories[memory].spill;
  const stow_budget_writers writers = stow_budget_writers_at(w, memory, node);
  for (size_t v = 0; v < writers.count; ++v)
    cost += w->problem->nodes[writers.nodes[v]].cost;
  return cost;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static void add_epoch(stow_budget_walk *w, size_t memory) {
  if (!GROW(w, epochs, epoch_count, epoch_room)) {
    w->failed = true;
    return;
  }
  w->epoch_of[memory] = w->epoch_count;
  w->epochs[w->epoch_count++] = (stow_budget_epoch){memory, SIZE_MAX, 0};
}

static void touch(stow_budget_walk *w, size_t memory) {
  const size_t step = w->step_count - 1;
  if (!GROW(w, touches, touch_count, touch_room)) {
    w->failed = true;
    return;
  }
  stow_budget_epoch *epoch = &w->epochs[w->epoch_of[memory]];
  epoch->first = epoch->first < step ? epoch->first : step;
  epoch->last = step;
  w->touches[w->touch_count++] = (stow_budget_touch){w->epoch_of[memory], step};
  ++w->effort;
}

static void add_step(stow_budget_walk *w, stow_budget_action action, size_t node, size_t memory,
                     size_t stage) {
  if (!GROW(w, steps, step_count, step_room)) {
    w->failed = true;
    return;
  }
  w->steps[w->step_count++] = (stow_budget_taken){.step = {action, node, memory}, .stage = stage};
}

// The memory is copied where its buffer is touched for the last time before it is renewed.
static void add_store(stow_budget_walk *w, size_t memory, size_t stage) {
  if (!GROW(w, stores, store_count, store_room)) {
    w->failed = true;
    return;
  }
  const size_t after = w->epochs[w->epoch_of[memory]].last;
  assert(w->epochs[w->epoch_of[memory]].first <= after); // it was touched: some node wrote it
  w->stores[w->store_count++] = (stow_budget_taken){{STOW_BUDGET_STORE, 0, memory}, stage, after};
  w->stored[memory] = true;
  w->cost += w->problem->memories[memory].spill;
}

static void touch_all(stow_budget_walk *w, size_t node) {
  const stow_budget_node *n = &w->problem->nodes[node];
  for (size_t a = 0; a < n->access_count && !w->failed; ++a) {
    const size_t memory = n->accesses[a].memory;
    w->cost += stow_budget_is_placed(w, memory) ? n->accesses[a].placed : 0;
    touch(w, memory);
  }
}

// A new buffer, filled from the second memory, or by nodes of which all that they read is there.
static void fill(stow_budget_walk *w, size_t memory, size_t stage) {
  const stow_budget_problem *p = w->problem;
  const bool spilled = w->choices[stow_budget_cell(w, memory, stage)] == STOW_BUDGET_SPILLED;
  const stow_budget_writers writers = stow_budget_writers_at(w, memory, stage);
  if (spilled && !w->stored[memory])
    add_store(w, memory, stage);
  add_step(w, STOW_BUDGET_FRESH, 0, memory, stage);
  add_epoch(w, memory);
  if (spilled) {
    add_step(w, STOW_BUDGET_LOAD, 0, memory, stage);
    if (!w->failed)
      touch(w, memory);
    w->cost += p->memories[memory].spill;
    return;
  }
  for (size_t v = 0; v < writers.count && !w->failed; ++v) {
    add_step(w, STOW_BUDGET_AGAIN, writers.nodes[v], memory, stage);
    w->cost += p->nodes[writers.nodes[v]].cost;
    if (!w->failed)
      touch_all(w, writers.nodes[v]);
  }
}

// Renews a memory that the stage needs, once, where that was chosen.
static void begin_renewal(stow_budget_walk *w, size_t memory, size_t stage) {
  const uint8_t choice = w->choices[stow_budget_cell(w, memory, stage)];
  if (choice == STOW_BUDGET_STAYS || w->renewed[memory] == stage + 1)
    return;
  assert(stow_budget_allows(w, memory, stage, choice));
  w->renewed[memory] = stage + 1;
  if (GROW(w, pending, pending_count, pending_room))
    w->pending[w->pending_count++] = (stow_budget_renewal){.memory = memory};
  else
    w->failed = true;
}

// What the last one is computed from, one after the other; SIZE_MAX: there is no more.
static size_t next_source(stow_budget_walk *w, size_t stage) {
  stow_budget_renewal *r = &w->pending[w->pending_count - 1];
  if (w->choices[stow_budget_cell(w, r->memory, stage)] == STOW_BUDGET_SPILLED)
    return SIZE_MAX;
  const stow_budget_writers writers = stow_budget_writers_at(w, r->memory, stage);
  for (; r->writer < writers.count; ++r->writer, r->access = 0) {
    const stow_budget_node *n = &w->problem->nodes[writers.nodes[r->writer]];
    while (r->access < n->access_count) {
      const size_t source = n->accesses[r->access++].memory;
      if (source != r->memory)
        return source;
    }
  }
  return SIZE_MAX;
}

// What a memory is computed from comes first, and what that is computed from, to any depth.
static void need(stow_budget_walk *w, size_t memory, size_t stage) {
  w->pending_count = 0;
  begin_renewal(w, memory, stage);
  while (w->pending_count > 0 && !w->failed) {
    const size_t source = next_source(w, stage);
    if (source != SIZE_MAX)
      begin_renewal(w, source, stage);
    else
      fill(w, w->pending[--w->pending_count].memory, stage);
  }
}

static void run(stow_budget_walk *w, size_t node) {
  const stow_budget_node *n = &w->problem->nodes[node];
  for (size_t a = 0; a < n->access_count && !w->failed; ++a)
    need(w, n->accesses[a].memory, node);
  add_step(w, STOW_BUDGET_RUN, node, 0, node);
  if (!w->failed)
    touch_all(w, node);
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].writes)
      w->stored[n->accesses[a].memory] = false;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

bool stow_budget_is_alive(const stow_budget_walk *w, size_t epoch, size_t *out_begin,
                          size_t *out_end) {
  const stow_budget_epoch *e = &w->epochs[epoch];
  const stow_budget_memory *m = &w->problem->memories[e->memory];
  const bool from_start = m->from_start && epoch == e->memory;
  const bool to_end = m->to_end && w->epoch_of[e->memory] == epoch;
  *out_begin = from_start ? 0 : e->first;
  *out_end = to_end ? w->step_count : e->last + 1;
  return (e->first != SIZE_MAX || from_start) && *out_begin < w->step_count;
}

// levels[i]: first what is born at step i less what died before it, modulo 2^64; then the sum.
static bool sum_levels(stow_budget_walk *w) {
  const stow_budget_problem *p = w->problem;
  if (w->step_count + 1 > w->level_room) {
    w->level_room = 2 * (w->step_count + 1);
    free(w->levels);
    w->levels = malloc(w->level_room * sizeof *w->levels);
    if (!w->levels)
      return false;
  }
  memset(w->levels, 0, (w->step_count + 1) * sizeof *w->levels);
  for (size_t e = 0, begin, end; e < w->epoch_count; ++e)
    if (stow_budget_is_alive(w, e, &begin, &end)) {
      assert(begin < end && end <= w->step_count);
      w->levels[begin] += stow_budget_bytes(w, w->epochs[e].memory);
      w->levels[end] -= stow_budget_bytes(w, w->epochs[e].memory);
    }
  uint64_t level = 0;
  w->peak = 0;
  w->peak_step = 0;
  for (size_t s = 0; s < w->step_count; ++s) {
    const stow_budget_step *step = &w->steps[s].step;
    level += w->levels[s];
    w->levels[s] = level + (step->action == STOW_BUDGET_RUN ? p->nodes[step->node].inside : 0);
    if (w->levels[s] > w->peak) {
      w->peak = w->levels[s];
      w->peak_step = s;
    }
  }
  assert(level + w->levels[w->step_count] == 0); // all that was born has died
  return true;
}

bool stow_budget_take(stow_budget_walk *w) {
  const stow_budget_problem *p = w->problem;
  w->step_count = w->store_count = w->epoch_count = w->touch_count = 0;
  w->cost = 0;
  w->failed = false;
  memset(w->renewed, 0, p->memory_count * sizeof *w->renewed);
  memset(w->stored, 0, p->memory_count * sizeof *w->stored);
  for (size_t m = 0; m < p->memory_count && !w->failed; ++m)
    add_epoch(w, m); // the first of each memory has its number
  for (size_t n = 0; n < p->node_count && !w->failed; ++n)
    run(w, n);
  for (size_t m = 0; m < p->memory_count && !w->failed; ++m)
    w->cost -= stow_budget_is_placed(w, m) ? p->memories[m].saved : 0;
  return !w->failed && sum_levels(w);
}

// What the last one left.
static void forget(stow_budget_walk *w) {
  for (size_t i = 0; i < w->step_count; ++i)
    w->renewed[w->steps[i].step.memory] = 0;
  for (size_t t = 0; t < w->touch_count; ++t) {
    const size_t memory = w->epochs[w->touches[t].epoch].memory;
    w->epoch_of[memory] = memory;
    w->epochs[memory] = (stow_budget_epoch){memory, SIZE_MAX, 0};
  }
  w->step_count = w->store_count = w->touch_count = 0;
  w->epoch_count = w->epoch_count < w->problem->memory_count ? 0 : w->problem->memory_count;
  w->cost = 0;
  w->failed = false;
}

bool stow_budget_take_alone(stow_budget_walk *w, size_t node) {
  const size_t memories = w->problem->memory_count;
  forget(w);
  while (w->epoch_count < memories && !w->failed)
    add_epoch(w, w->epoch_count);
  memset(w->stored, true, memories * sizeof *w->stored);
  if (!w->failed)
    run(w, node);
  return !w->failed;
}

uint64_t stow_budget_excess(const stow_budget_walk *w, uint64_t capacity) {
  uint64_t excess = 0;
  for (size_t s = 0; s < w->step_count; ++s)
    excess += w->levels[s] > capacity ? w->levels[s] - capacity : 0;
  return excess;
}
