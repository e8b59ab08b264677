//===- schedules.c - the cheapest of all schedules within a capacity ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "schedules.h"

#include <assert.h>
#include <stdlib.h>

enum { STATES = 1 << 20, MOST_STATES = STATES / 2 };

// What a memory holds: the number of the node that wrote it last, as in the checker.
enum { ABSENT, NOTHING, FIRST_NODE };

// The next node, and per memory four bits for what its buffer holds, and its copy.
typedef struct state {
  uint64_t buffers, copies;
  size_t next;
} state;

typedef struct entry {
  state at;
  uint64_t cost;
  bool used, queued;
} entry;

typedef struct search {
  const stow_budget_problem *p;
  uint64_t capacity;
  uint64_t given[SCHEDULES_NODES + 1]; // what buffers hold in front of each node, and at the end
  size_t first[SCHEDULES_MEMORIES];    // node that has the memory
  unsigned placed;                     // bit m: it lies elsewhere
  entry *table;
  size_t *slots, count; // that are used
  size_t *queue, head, tail;
  uint64_t best;
} search;

static unsigned held(uint64_t all, size_t memory) { return all >> 4 * memory & 15; }

static uint64_t holding(uint64_t all, size_t memory, size_t value) {
  return (all & ~(UINT64_C(15) << 4 * memory)) | (uint64_t)value << 4 * memory;
}

static uint64_t written(const search *s, size_t node, uint64_t buffers) {
  const stow_budget_node *n = &s->p->nodes[node];
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].writes)
      buffers = holding(buffers, n->accesses[a].memory, FIRST_NODE + node);
    else if (held(buffers, n->accesses[a].memory) == ABSENT)
      buffers = holding(buffers, n->accesses[a].memory, NOTHING);
  return buffers;
}

static bool is_placed(const search *s, size_t memory) { return s->placed >> memory & 1; }

static bool fits(const search *s, uint64_t buffers, uint64_t inside) {
  uint64_t bytes = inside;
  for (size_t m = 0; m < s->p->memory_count; ++m)
    bytes += held(buffers, m) != ABSENT && !is_placed(s, m) ? s->p->memories[m].bytes : 0;
  return bytes <= s->capacity;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static bool is_same(const state *a, const state *b) {
  return a->buffers == b->buffers && a->copies == b->copies && a->next == b->next;
}

static size_t find_slot(const search *s, const state *at) {
  uint64_t hash = (at->buffers * 31 + at->copies) * 31 + at->next;
  hash *= UINT64_C(0x9e3779b97f4a7c15);
  size_t slot = hash >> 32 & (STATES - 1);
  while (s->table[slot].used && !is_same(&s->table[slot].at, at))
    slot = (slot + 1) & (STATES - 1);
  return slot;
}

static void reach(search *s, state at, uint64_t cost) {
  if (cost >= s->best || s->count >= MOST_STATES)
    return;
  const size_t slot = find_slot(s, &at);
  entry *e = &s->table[slot];
  if (e->used && e->cost <= cost)
    return;
  if (!e->used)
    s->slots[s->count++] = slot;
  *e = (entry){at, cost, true, e->queued};
  if (e->queued)
    return;
  e->queued = true;
  s->queue[s->tail++ & (STATES - 1)] = slot;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool may_begin(const search *s, size_t memory, size_t next) {
  return s->p->memories[memory].renewable || next <= s->first[memory];
}

// A node runs, for the first time or once more. What it needs is there, or comes into being.
static void run(search *s, const state *at, uint64_t cost, size_t node, bool again) {
  const stow_budget_node *n = &s->p->nodes[node];
  for (size_t a = 0; a < n->access_count; ++a) {
    const stow_budget_access *access = &n->accesses[a];
    const unsigned has = held(at->buffers, access->memory),
                   had = held(s->given[node], access->memory);
    if (has == ABSENT && !may_begin(s, access->memory, at->next))
      return;
    if (!access->overwrites && (has == ABSENT ? NOTHING : has) != (had == ABSENT ? NOTHING : had))
      return;
    cost += is_placed(s, access->memory) ? access->placed : 0;
  }
  const uint64_t after = written(s, node, at->buffers);
  if (fits(s, after, again ? 0 : n->inside))
    reach(s, (state){after, at->copies, at->next + !again}, cost + (again ? n->cost : 0));
}

// Nodes here write one memory.
static size_t target_of(const stow_budget_node *n) {
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].writes)
      return n->accesses[a].memory;
  return SIZE_MAX;
}

static void run_again(search *s, const state *at, uint64_t cost) {
  for (size_t n = 0; n < at->next; ++n) {
    const size_t target = target_of(&s->p->nodes[n]);
    if (s->p->nodes[n].repeatable && target != SIZE_MAX && s->p->memories[target].renewable)
      run(s, at, cost, n, true);
  }
}

static void move(search *s, const state *at, uint64_t cost, size_t memory) {
  const stow_budget_memory *m = &s->p->memories[memory];
  const unsigned has = held(at->buffers, memory);
  if (has != ABSENT)
    reach(s, (state){holding(at->buffers, memory, ABSENT), at->copies, at->next}, cost);
  if (!m->spillable)
    return;
  if (has != ABSENT)
    reach(s, (state){at->buffers, holding(at->copies, memory, has), at->next}, cost + m->spill);
  const uint64_t back = holding(at->buffers, memory, held(at->copies, memory));
  if (held(at->copies, memory) != ABSENT && m->renewable && fits(s, back, 0))
    reach(s, (state){back, at->copies, at->next}, cost + m->spill);
}

static bool is_end(const search *s, const state *at) {
  for (size_t m = 0; m < s->p->memory_count; ++m)
    if (s->p->memories[m].to_end && held(at->buffers, m) != held(s->given[at->next], m))
      return false;
  return at->next == s->p->node_count;
}

static void expand(search *s, const entry *e) {
  const state at = e->at;
  const uint64_t cost = e->cost;
  if (is_end(s, &at)) {
    s->best = cost < s->best ? cost : s->best;
    return;
  }
  for (size_t m = 0; m < s->p->memory_count; ++m)
    move(s, &at, cost, m);
  run_again(s, &at, cost);
  if (at.next < s->p->node_count)
    run(s, &at, cost, at.next, false);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static void run_as_given(search *s) {
  for (size_t m = 0; m < s->p->memory_count; ++m)
    s->first[m] = SIZE_MAX;
  for (size_t n = 0; n < s->p->node_count; ++n) {
    for (size_t a = s->p->nodes[n].access_count; a-- > 0;)
      if (s->first[s->p->nodes[n].accesses[a].memory] == SIZE_MAX)
        s->first[s->p->nodes[n].accesses[a].memory] = n;
    s->given[n + 1] = written(s, n, s->given[n]);
  }
}

// What it costs, or saves, to place those of the set; SIZE_MAX: not all may be.
static bool may_place(search *s, unsigned set, uint64_t *out_saved) {
  s->placed = set;
  *out_saved = 0;
  for (size_t m = 0; m < s->p->memory_count; ++m) {
    if (is_placed(s, m) && !s->p->memories[m].placeable)
      return false;
    *out_saved += is_placed(s, m) ? s->p->memories[m].saved : 0;
  }
  return true;
}

static void search_from_start(search *s, uint64_t most) {
  while (s->count > 0)
    s->table[s->slots[--s->count]] = (entry){0};
  s->head = s->tail = 0;
  s->best = most;
  reach(s, (state){0, 0, 0}, 0);
  while (s->head != s->tail) {
    entry *e = &s->table[s->queue[s->head++ & (STATES - 1)]];
    e->queued = false;
    expand(s, e);
  }
}

static uint64_t search_all(search *s, uint64_t most) {
  uint64_t best = most + 1, saved;
  for (unsigned set = 0; set < 1U << s->p->memory_count; ++set) {
    if (!may_place(s, set, &saved))
      continue;
    search_from_start(s, best + saved);
    if (s->count >= MOST_STATES)
      return SCHEDULES_TOO_MANY;
    best = s->best - saved;
  }
  return best > most ? UINT64_MAX : best;
}

uint64_t cheapest_schedule(const stow_budget_problem *p, uint64_t capacity, uint64_t most) {
  search s = {.p = p,
              .capacity = capacity,
              .table = calloc(STATES, sizeof *s.table),
              .slots = calloc(MOST_STATES, sizeof *s.slots),
              .queue = calloc(STATES, sizeof *s.queue)};
  assert(p->node_count <= SCHEDULES_NODES && p->memory_count <= SCHEDULES_MEMORIES);
  run_as_given(&s);
  const uint64_t best = search_all(&s, most);
  free(s.table);
  free(s.slots);
  free(s.queue);
  return best;
}
