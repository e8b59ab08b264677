//===- settle.c - what follows for paths ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the paths of paths.h with some cells limited. Takes away, until nothing follows any
// more, what no path goes through, what is computed without its sources, what comes though nobody
// needs it, and what has no room at a node. Each step holds for all choices that fit, so what is
// left without a way is proven not to fit.
//
//===----------------------------------------------------------------------===//

#include "budget/paths.h"

#include "stream/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
  CELLS_PER_STEP = 32, // that are looked at, as effort
};

bool stow_budget_paths_limit(stow_budget_paths *p, size_t cell, uint8_t front, uint8_t comes) {
  const stow_budget_was was = {cell, p->front[cell], p->comes[cell]};
  front &= was.front;
  comes &= was.comes;
  if (front == was.front && comes == was.comes)
    return true;
  if (!STOW_STREAM_ROOM(p->trail, p->trail_count, p->trail_room)) {
    p->no_memory = true;
    return false;
  }
  p->trail[p->trail_count++] = was;
  p->front[cell] = front;
  p->comes[cell] = comes;
  p->memory_changed[p->memory[cell]] = true;
  p->node_changed[p->node[cell]] = true;
  if (p->node[cell] > 0)
    p->node_changed[p->node[cell] - 1] = true;
  return front && comes;
}

void stow_budget_paths_take_back(stow_budget_paths *p, size_t trail_count) {
  while (p->trail_count > trail_count) {
    const stow_budget_was *was = &p->trail[--p->trail_count];
    p->front[was->cell] = was->front;
    p->comes[was->cell] = was->comes;
  }
  memset(p->memory_changed, false, p->walk->problem->memory_count * sizeof *p->memory_changed);
  memset(p->node_changed, false, p->walk->problem->node_count * sizeof *p->node_changed);
}

static bool may_come(const stow_budget_paths *p, size_t cell) {
  return p->comes[cell] & STOW_BUDGET_MAY_RENEW;
}

//===----------------------------------------------------------------------===//
// Along a path
//===----------------------------------------------------------------------===//

// What may be in front of the next node, of what may be in front of this one; or the other way
// round: what of it leads to one of those that may be behind.
static uint8_t step_on(const stow_budget_paths *p, size_t cell, uint8_t front) {
  const bool stays_away =
      front & STOW_BUDGET_AWAY && p->comes[cell] & STOW_BUDGET_MAY_STAY && !p->accessed[cell];
  const bool is_there = (front & STOW_BUDGET_IN_FRONT && p->comes[cell] & STOW_BUDGET_MAY_STAY) ||
                        (front & STOW_BUDGET_AWAY && may_come(p, cell));
  return (stays_away ? STOW_BUDGET_AWAY : 0) |
         (is_there ? STOW_BUDGET_AWAY | STOW_BUDGET_IN_FRONT : 0);
}

static uint8_t step_back(const stow_budget_paths *p, size_t cell, uint8_t behind) {
  uint8_t front = 0;
  if (step_on(p, cell, STOW_BUDGET_AWAY) & behind)
    front |= STOW_BUDGET_AWAY;
  if (step_on(p, cell, STOW_BUDGET_IN_FRONT) & behind)
    front |= STOW_BUDGET_IN_FRONT;
  return front;
}

// The ways to come with which a path goes through the cell.
static uint8_t ways_through(const stow_budget_paths *p, size_t cell) {
  const uint8_t front = p->front[cell], behind = stow_budget_behind(p, cell);
  uint8_t ways = front & STOW_BUDGET_AWAY && behind ? STOW_BUDGET_MAY_RENEW : 0;
  if (front & STOW_BUDGET_IN_FRONT ||
      (!p->accessed[cell] && front & STOW_BUDGET_AWAY && behind & STOW_BUDGET_AWAY))
    ways |= STOW_BUDGET_MAY_STAY;
  return ways;
}

static bool settle_memory(stow_budget_paths *p, size_t memory) {
  const stow_budget_life *l = &p->lives[memory];
  if (l->born > l->end)
    return true;
  const size_t first = l->cell, last = l->cell + l->end - l->born;
  p->walk->effort += (last - first) / 4 + 1;
  for (size_t cell = first; cell < last; ++cell)
    if (!stow_budget_paths_limit(p, cell + 1, step_on(p, cell, p->front[cell]), UINT8_MAX))
      return false;
  for (size_t cell = last + 1; cell-- > first;)
    if (!stow_budget_paths_limit(p, cell, step_back(p, cell, stow_budget_behind(p, cell)),
                                 UINT8_MAX))
      return false;
  for (size_t cell = first; cell <= last; ++cell)
    if (!stow_budget_paths_limit(p, cell, UINT8_MAX, ways_through(p, cell)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// At a node
//===----------------------------------------------------------------------===//

// What is computed needs its sources. Of those that are there or come, one way may be left.
static bool settle_sources(stow_budget_paths *p, size_t cell) {
  for (size_t i = p->first_source[cell]; i < p->first_source[cell + 1]; ++i) {
    const size_t source = p->sources[i];
    const bool may_be_there = p->front[source] & STOW_BUDGET_IN_FRONT;
    if (!may_be_there && !may_come(p, source))
      return stow_budget_paths_limit(p, cell, UINT8_MAX, (uint8_t)~STOW_BUDGET_MAY_COMPUTE);
    if (p->comes[cell] != STOW_BUDGET_MAY_COMPUTE)
      continue;
    if ((!may_be_there &&
         !stow_budget_paths_limit(p, source, STOW_BUDGET_AWAY, STOW_BUDGET_MAY_RENEW)) ||
        (!may_come(p, source) &&
         !stow_budget_paths_limit(p, source, STOW_BUDGET_IN_FRONT, STOW_BUDGET_MAY_STAY)))
      return false;
  }
  return true;
}

// Only what the node accesses comes for it, and sources of what is computed for it.
static bool settle_needs(stow_budget_paths *p, size_t node) {
  ++p->stamp;
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k) {
    const size_t cell = p->at[k];
    for (size_t i = p->first_source[cell];
         p->comes[cell] & STOW_BUDGET_MAY_COMPUTE && i < p->first_source[cell + 1]; ++i)
      p->stamps[p->memory[p->sources[i]]] = p->stamp;
  }
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k) {
    const size_t cell = p->at[k];
    const bool is_needed = p->accessed[cell] || p->stamps[p->memory[cell]] == p->stamp;
    if (!is_needed && may_come(p, cell) &&
        !stow_budget_paths_limit(p, cell, UINT8_MAX, (uint8_t)~STOW_BUDGET_MAY_RENEW))
      return false;
  }
  return true;
}

// Where the node runs, what waits has room.
static bool settle_waiting(stow_budget_paths *p, size_t node) {
  int64_t room = p->room[node];
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k)
    if (!p->accessed[p->at[k]] && stow_budget_behind(p, p->at[k]) == STOW_BUDGET_IN_FRONT)
      room -= (int64_t)stow_budget_path_bytes(p, p->at[k]);
  if (room < 0)
    return false;
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k)
    if (!p->accessed[p->at[k]] && stow_budget_behind(p, p->at[k]) == STOW_BUDGET_EITHER &&
        (int64_t)stow_budget_path_bytes(p, p->at[k]) > room &&
        !stow_budget_paths_limit(p, p->at[k] + 1, STOW_BUDGET_AWAY, UINT8_MAX))
      return false;
  return true;
}

int64_t stow_budget_paths_touched(stow_budget_paths *p, size_t cell) {
  const stow_budget_problem *problem = p->walk->problem;
  const stow_budget_node *n = &problem->nodes[p->writer[cell]];
  int64_t bytes = 0;
  ++p->stamp;
  p->walk->effort += n->access_count;
  for (size_t a = 0; a < n->access_count; ++a) {
    const stow_budget_memory *memory = &problem->memories[n->accesses[a].memory];
    p->stamps[n->accesses[a].memory] = p->stamp;
    bytes += memory->to_end ? 0 : (int64_t)memory->bytes;
  }
  return bytes;
}

// What is in front of the node and needed there or behind it is alive where something is computed
// in between.
static bool is_kept(const stow_budget_paths *p, size_t cell) {
  return p->front[cell] == STOW_BUDGET_IN_FRONT &&
         (p->accessed[cell] || stow_budget_behind(p, cell) == STOW_BUDGET_IN_FRONT);
}

// The memory is kept if it is in front, where it is accessed, or if it is behind, where it is in
// front. So much bytes are too many.
static bool settle_kept(stow_budget_paths *p, size_t cell, int64_t room) {
  if ((int64_t)stow_budget_path_bytes(p, cell) <= room || is_kept(p, cell))
    return true;
  if (p->accessed[cell] || stow_budget_behind(p, cell) == STOW_BUDGET_IN_FRONT)
    return stow_budget_paths_limit(p, cell, STOW_BUDGET_AWAY, UINT8_MAX);
  if (p->front[cell] == STOW_BUDGET_IN_FRONT && stow_budget_behind(p, cell) == STOW_BUDGET_EITHER)
    return stow_budget_paths_limit(p, cell + 1, STOW_BUDGET_AWAY, UINT8_MAX);
  return true;
}

// Where something is computed, its sources are alive and what is kept.
static bool settle_again(stow_budget_paths *p, size_t cell) {
  const size_t node = p->node[cell];
  int64_t room = (int64_t)p->capacity - p->others[node] - stow_budget_paths_touched(p, cell);
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k)
    if (p->stamps[p->memory[p->at[k]]] != p->stamp && is_kept(p, p->at[k]))
      room -= (int64_t)stow_budget_path_bytes(p, p->at[k]);
  p->walk->effort += (p->first_at[node + 1] - p->first_at[node]) / CELLS_PER_STEP;
  if (room < 0)
    return stow_budget_paths_limit(p, cell, UINT8_MAX, (uint8_t)~STOW_BUDGET_MAY_COMPUTE);
  for (size_t k = p->first_at[node];
       p->comes[cell] == STOW_BUDGET_MAY_COMPUTE && k < p->first_at[node + 1]; ++k)
    if (p->stamps[p->memory[p->at[k]]] != p->stamp && !settle_kept(p, p->at[k], room))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// A stage
//===----------------------------------------------------------------------===//

static bool is_decided(const stow_budget_paths *p, size_t node, bool *out_some) {
  *out_some = false;
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k) {
    const uint8_t comes = p->comes[p->at[k]];
    if (comes & (comes - 1))
      return false;
    *out_some |= comes != STOW_BUDGET_MAY_STAY;
  }
  return true;
}

// Levels of the stage's steps: first as changes.
static void add_life(stow_budget_paths *p, size_t begin, size_t end, uint64_t bytes) {
  if (begin >= end)
    return;
  p->levels[begin] += bytes;
  p->levels[end] -= bytes;
}

// The steps of the stage at which a memory's buffers are alive for certain.
static void add_cell(stow_budget_paths *p, size_t cell) {
  const stow_budget_walk *w = &p->alone;
  const size_t memory = p->memory[cell];
  const stow_budget_epoch *e = &w->epochs[w->epoch_of[memory]];
  const bool comes = p->comes[cell] != STOW_BUDGET_MAY_STAY,
             stays = stow_budget_behind(p, cell) == STOW_BUDGET_IN_FRONT;
  const uint64_t bytes = stow_budget_path_bytes(p, cell);
  if (e->first != SIZE_MAX)
    add_life(p, comes ? e->first : 0, stays ? w->step_count : e->last + 1, bytes);
  else if (p->front[cell] == STOW_BUDGET_IN_FRONT && stays)
    add_life(p, 0, w->step_count, bytes);
}

static bool make_levels(stow_budget_paths *p) {
  const size_t steps = p->alone.step_count + 1;
  if (steps > p->level_room) {
    free(p->levels);
    p->level_room = 2 * steps;
    p->levels = malloc(p->level_room * sizeof *p->levels);
  }
  if (p->levels)
    memset(p->levels, 0, steps * sizeof *p->levels);
  return p->levels;
}

// Where all is known that comes for a node, the order is known in which it does. What the node
// itself touches is counted where it runs.
static bool settle_stage(stow_budget_paths *p, size_t node) {
  stow_budget_walk *w = &p->alone;
  bool some;
  if (!is_decided(p, node, &some) || !some)
    return true;
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k)
    w->choices[stow_budget_cell(w, p->memory[p->at[k]], node)] =
        (uint8_t)__builtin_ctz(p->comes[p->at[k]]);
  const bool taken = stow_budget_take_alone(w, node) && make_levels(p);
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k) {
    w->choices[stow_budget_cell(w, p->memory[p->at[k]], node)] = STOW_BUDGET_STAYS;
    if (taken)
      add_cell(p, p->at[k]);
  }
  p->no_memory |= !taken;
  p->walk->effort += w->step_count + w->touch_count;
  uint64_t level = (uint64_t)p->others[node];
  for (size_t s = 0; taken && s + 1 < w->step_count; ++s) {
    level += p->levels[s];
    if (level > p->capacity)
      return false;
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// Until nothing follows
//===----------------------------------------------------------------------===//

static bool settle_node(stow_budget_paths *p, size_t node) {
  if (!settle_waiting(p, node))
    return false;
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k)
    if (p->comes[p->at[k]] & STOW_BUDGET_MAY_COMPUTE &&
        (!settle_sources(p, p->at[k]) ||
         (p->comes[p->at[k]] & STOW_BUDGET_MAY_COMPUTE && !settle_again(p, p->at[k]))))
      return false;
  p->walk->effort += p->first_at[node + 1] - p->first_at[node];
  return settle_needs(p, node) && settle_stage(p, node);
}

// What is left open where the effort ends may be left out later.
bool stow_budget_paths_settle(stow_budget_paths *p) {
  const stow_budget_problem *problem = p->walk->problem;
  for (bool changed = true; changed && p->walk->effort < p->limit;) {
    changed = false;
    for (size_t m = 0; m < problem->memory_count && p->walk->effort < p->limit; ++m)
      if (p->memory_changed[m]) {
        p->memory_changed[m] = false;
        changed = true;
        if (!settle_memory(p, m))
          return false;
      }
    for (size_t n = 0; n < problem->node_count && p->walk->effort < p->limit; ++n)
      if (p->node_changed[n]) {
        p->node_changed[n] = false;
        changed = true;
        if (!settle_node(p, n))
          return false;
      }
  }
  return true;
}
