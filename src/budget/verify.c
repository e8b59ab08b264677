//===- verify.c - whether a plan does what the given order did ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the definition, and with nothing of what finds plans: the value in a memory has the number
// of the node that wrote it last, and a node that finds the values that it found in the given order
// writes the value that it wrote there.
//
//===----------------------------------------------------------------------===//

#include "stowage/budget.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING SIZE_MAX      // a buffer that nobody wrote yet
#define BEFORE (SIZE_MAX - 1) // what was there before the first node

typedef struct replay {
  const stow_budget_problem *p;
  size_t *values, *second; // per memory: in its buffer, in the second memory
  size_t *ends;            // and at the end of the given order
  size_t **found;          // per node and access, in the given order
  size_t *found_room;
  size_t *begins, *lasts; // per memory: the steps between which its buffer is alive
  bool *alive, *placed;
  uint64_t *changes; // per step, and one more
  uint64_t cost;
  size_t places; // steps that place a memory
} replay;

static void start(replay *r) {
  for (size_t m = 0; m < r->p->memory_count; ++m) {
    r->values[m] = r->p->memories[m].from_start ? BEFORE : NOTHING;
    r->second[m] = NOTHING;
  }
}

static void write_values(replay *r, size_t node) {
  const stow_budget_node *n = &r->p->nodes[node];
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].writes)
      r->values[n->accesses[a].memory] = node;
}

static void run_as_given(replay *r) {
  size_t *next = r->found_room;
  start(r);
  for (size_t i = 0; i < r->p->node_count; ++i) {
    const stow_budget_node *n = &r->p->nodes[i];
    r->found[i] = next;
    for (size_t a = 0; a < n->access_count; ++a)
      *next++ = r->values[n->accesses[a].memory];
    write_values(r, i);
  }
}

static bool finds_all(const replay *r, size_t node) {
  const stow_budget_node *n = &r->p->nodes[node];
  for (size_t a = 0; a < n->access_count; ++a)
    if (!n->accesses[a].overwrites && r->values[n->accesses[a].memory] != r->found[node][a])
      return false;
  return true;
}

static void touch(replay *r, size_t memory, size_t step) {
  if (!r->alive[memory]) {
    r->alive[memory] = true;
    r->begins[memory] = step;
  }
  r->lasts[memory] = step;
}

static void end_life(replay *r, size_t memory, size_t end) {
  if (!r->alive[memory])
    return;
  const uint64_t bytes = r->placed[memory] ? 0 : r->p->memories[memory].bytes;
  r->changes[r->begins[memory]] += bytes;
  r->changes[end] -= bytes;
  r->alive[memory] = false;
}

static bool writes_only(const stow_budget_node *n, size_t memory) {
  bool some = false;
  for (size_t a = 0; a < n->access_count; ++a) {
    if (n->accesses[a].writes && n->accesses[a].memory != memory)
      return false;
    some |= n->accesses[a].writes;
  }
  return some;
}

static stow_budget_verdict run_node(replay *r, size_t node, size_t step) {
  if (!finds_all(r, node))
    return STOW_BUDGET_OTHER_VALUE;
  for (size_t a = 0; a < r->p->nodes[node].access_count; ++a) {
    const stow_budget_access *access = &r->p->nodes[node].accesses[a];
    touch(r, access->memory, step);
    r->cost += r->placed[access->memory] ? access->placed : 0;
  }
  write_values(r, node);
  return STOW_BUDGET_HOLDS;
}

// Before anything else is done.
static stow_budget_verdict place_memory(replay *r, size_t memory, size_t step) {
  if (!r->p->memories[memory].placeable || r->placed[memory] || step != r->places)
    return STOW_BUDGET_FORBIDDEN;
  r->placed[memory] = true;
  r->cost -=
      r->p->memories[memory].saved; // its accesses cost as much, so the sum is right in the end
  ++r->places;
  return STOW_BUDGET_HOLDS;
}

static stow_budget_verdict move_memory(replay *r, const stow_budget_step *s, size_t step) {
  const stow_budget_memory *m = &r->p->memories[s->memory];
  if (s->action == STOW_BUDGET_FRESH) {
    if (!m->renewable)
      return STOW_BUDGET_FORBIDDEN;
    end_life(r, s->memory, r->lasts[s->memory] + 1);
    r->values[s->memory] = NOTHING;
    return STOW_BUDGET_HOLDS;
  }
  if (!m->spillable || (s->action == STOW_BUDGET_STORE && !r->alive[s->memory]))
    return STOW_BUDGET_FORBIDDEN;
  touch(r, s->memory, step);
  r->cost += m->spill;
  if (s->action == STOW_BUDGET_STORE)
    r->second[s->memory] = r->values[s->memory];
  else
    r->values[s->memory] = r->second[s->memory];
  return STOW_BUDGET_HOLDS;
}

static stow_budget_verdict take_step(replay *r, const stow_budget_step *s, size_t step,
                                     size_t *next) {
  if (s->action == STOW_BUDGET_RUN)
    return s->node == *next && s->node < r->p->node_count ? run_node(r, (*next)++, step)
                                                          : STOW_BUDGET_OTHER_NODES;
  if (s->memory >= r->p->memory_count || s->action > STOW_BUDGET_PLACE)
    return STOW_BUDGET_FORBIDDEN;
  if (s->action == STOW_BUDGET_PLACE)
    return place_memory(r, s->memory, step);
  if (s->action != STOW_BUDGET_AGAIN)
    return move_memory(r, s, step);
  if (s->node >= *next || !r->p->nodes[s->node].repeatable ||
      !writes_only(&r->p->nodes[s->node], s->memory) || !r->p->memories[s->memory].renewable)
    return STOW_BUDGET_FORBIDDEN;
  r->cost += r->p->nodes[s->node].cost;
  return run_node(r, s->node, step);
}

static uint64_t peak_of(replay *r, const stow_budget_step *steps, size_t count) {
  uint64_t level = 0, peak = 0;
  for (size_t m = 0; m < r->p->memory_count; ++m)
    end_life(r, m, r->p->memories[m].to_end ? count : r->lasts[m] + 1);
  for (size_t s = 0; s < count; ++s) {
    level += r->changes[s];
    const uint64_t high =
        level + (steps[s].action == STOW_BUDGET_RUN ? r->p->nodes[steps[s].node].inside : 0);
    peak = high > peak ? high : peak;
  }
  return peak;
}

static stow_budget_verdict play(replay *r, const stow_budget_step *steps, size_t count,
                                uint64_t peak, uint64_t cost) {
  size_t next = 0;
  run_as_given(r);
  memcpy(r->ends, r->values, r->p->memory_count * sizeof *r->ends);
  start(r);
  size_t places = 0;
  while (places < count && steps[places].action == STOW_BUDGET_PLACE)
    ++places;
  for (size_t m = 0; m < r->p->memory_count; ++m) {
    r->alive[m] = r->p->memories[m].from_start;
    r->lasts[m] = places; // the first node, also where none touches it
  }
  for (size_t s = 0; s < count; ++s) {
    const stow_budget_verdict verdict = take_step(r, &steps[s], s, &next);
    if (verdict != STOW_BUDGET_HOLDS)
      return verdict;
  }
  if (next != r->p->node_count)
    return STOW_BUDGET_OTHER_NODES;
  for (size_t m = 0; m < r->p->memory_count; ++m)
    if (r->p->memories[m].to_end && r->values[m] != r->ends[m])
      return STOW_BUDGET_OTHER_VALUE;
  if (peak_of(r, steps, count) != peak)
    return STOW_BUDGET_OTHER_PEAK;
  return r->cost == cost ? STOW_BUDGET_HOLDS : STOW_BUDGET_OTHER_COST;
}

stow_budget_verdict stow_budget_verify(const stow_budget_problem *p, const stow_budget_step *steps,
                                       size_t count, uint64_t peak, uint64_t cost) {
  size_t accesses = 1;
  for (size_t n = 0; n < p->node_count; ++n)
    accesses += p->nodes[n].access_count;
  const size_t memories = p->memory_count + 1;
  replay r = {.p = p,
              .values = calloc(memories, sizeof *r.values),
              .second = calloc(memories, sizeof *r.second),
              .ends = calloc(memories, sizeof *r.ends),
              .found = calloc(p->node_count + 1, sizeof *r.found),
              .found_room = calloc(accesses, sizeof *r.found_room),
              .begins = calloc(memories, sizeof *r.begins),
              .lasts = calloc(memories, sizeof *r.lasts),
              .alive = calloc(memories, sizeof *r.alive),
              .placed = calloc(memories, sizeof *r.placed),
              .changes = calloc(count + 2, sizeof *r.changes)};
  const bool enough = r.values && r.second && r.ends && r.found && r.found_room && r.begins &&
                      r.lasts && r.alive && r.placed && r.changes;
  const stow_budget_verdict verdict =
      enough ? play(&r, steps, count, peak, cost) : STOW_BUDGET_NO_MEMORY;
  free(r.values);
  free(r.second);
  free(r.ends);
  free(r.found);
  free(r.found_room);
  free(r.begins);
  free(r.lasts);
  free(r.alive);
  free(r.placed);
  free(r.changes);
  return verdict;
}
