//===- moves.c - what one choice more or less changes ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/moves.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_PER_STEP = 16 }; // that a memory passes, as effort

static uint64_t bytes_of(const stow_budget_moves *v, size_t memory) {
  return stow_budget_bytes(&v->walk, memory);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static void count_full(stow_budget_moves *v, size_t stage, bool full) {
  if (full) {
    v->full_at[stage] = v->full_count;
    v->full[v->full_count++] = stage;
    return;
  }
  const size_t last = v->full[--v->full_count];
  v->full[v->full_at[stage]] = last;
  v->full_at[last] = v->full_at[stage];
}

static void sum_excess(stow_budget_moves *v, size_t stage) {
  stow_budget_stage *s = &v->stages[stage];
  const uint64_t passing = v->peaks[stage] - s->highest;
  uint64_t excess = 0;
  for (size_t i = 0; i < s->step_count && v->peaks[stage] > v->capacity; ++i)
    if (passing + s->levels[i] > v->capacity)
      excess += passing + s->levels[i] - v->capacity;
  if ((excess > 0) != (s->excess > 0))
    count_full(v, stage, excess > 0);
  v->excess += excess - s->excess;
  s->excess = excess;
}

static void sum_levels(stow_budget_moves *v, size_t stage) {
  const stow_budget_problem *p = v->walk.problem;
  stow_budget_stage *s = &v->stages[stage];
  uint64_t level = 0;
  v->peaks[stage] -= s->highest;
  memset(s->levels, 0, (s->step_count + 1) * sizeof *s->levels);
  for (size_t i = 0; i < s->part_count; ++i) {
    const stow_budget_part *part = &s->parts[i];
    s->levels[part->came ? 0 : part->first] += bytes_of(v, part->memory);
    s->levels[part->stays ? s->step_count : part->last + 1] -= bytes_of(v, part->memory);
  }
  s->highest = 0;
  for (size_t i = 0; i < s->step_count; ++i) {
    level += s->levels[i];
    s->levels[i] = level + (i + 1 == s->step_count ? p->nodes[stage].inside : 0);
    s->highest = s->levels[i] > s->highest ? s->levels[i] : s->highest;
  }
  v->peaks[stage] += s->highest;
  v->walk.effort += s->part_count + s->step_count;
  sum_excess(v, stage);
}

// A memory is alive or no longer so in the stages from `begin` on, in front of `end`.
static void pass(stow_budget_moves *v, size_t memory, size_t begin, size_t end, bool alive) {
  const uint64_t bytes = alive ? bytes_of(v, memory) : -bytes_of(v, memory);
  for (size_t i = begin; i < end; ++i)
    v->peaks[i] += bytes;
  for (size_t i = begin; i < end && (alive || v->excess > 0); ++i)
    if (alive ? v->peaks[i] > v->capacity : v->stages[i].excess > 0)
      sum_excess(v, i);
  v->walk.effort += end > begin ? (end - begin) / STAGES_PER_STEP + 1 : 0;
}

//===----------------------------------------------------------------------===//
// Visits
//===----------------------------------------------------------------------===//

size_t stow_budget_visit_at(const stow_budget_moves *v, size_t memory, size_t stage) {
  const stow_budget_visits *all = &v->visits[memory];
  size_t low = 0, high = all->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (all->items[middle].stage < stage)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Whether a memory is alive in front of a visit, or behind all of them.
static bool is_alive_before(const stow_budget_moves *v, size_t memory, size_t visit) {
  const stow_budget_visits *all = &v->visits[memory];
  if (visit == all->count)
    return v->walk.problem->memories[memory].to_end;
  return !all->items[visit].fresh && (visit > 0 || v->walk.problem->memories[memory].from_start);
}

static stow_budget_part *part_at(stow_budget_moves *v, size_t memory, size_t stage) {
  stow_budget_stage *s = &v->stages[stage];
  size_t i = 0;
  while (s->parts[i].memory != memory)
    ++i;
  return &s->parts[i];
}

// What is in front of a visit changed from `was` to what it is now.
static void bridge(stow_budget_moves *v, size_t memory, size_t visit, bool was) {
  const stow_budget_visit *items = v->visits[memory].items;
  const bool is = is_alive_before(v, memory, visit);
  if (is == was)
    return;
  pass(v, memory, visit > 0 ? items[visit - 1].stage + 1 : 0, items[visit].stage, is);
  if (visit > 0) {
    part_at(v, memory, items[visit - 1].stage)->stays = is;
    sum_levels(v, items[visit - 1].stage);
  }
}

static bool visit(stow_budget_moves *v, stow_budget_part *part, size_t stage) {
  stow_budget_visits *all = &v->visits[part->memory];
  const size_t at = stow_budget_visit_at(v, part->memory, stage);
  const bool was = is_alive_before(v, part->memory, at);
  if (!STOW_STREAM_ROOM(all->items, all->count, all->room))
    return false;
  memmove(&all->items[at + 1], &all->items[at], (all->count++ - at) * sizeof *all->items);
  all->items[at] = (stow_budget_visit){stage, part->fresh};
  part->came = is_alive_before(v, part->memory, at);
  part->stays = was;
  pass(v, part->memory, stage, stage + (was ? 1 : 0), false);
  bridge(v, part->memory, at, was);
  return true;
}

static void leave(stow_budget_moves *v, size_t memory, size_t stage) {
  stow_budget_visits *all = &v->visits[memory];
  const size_t at = stow_budget_visit_at(v, memory, stage);
  const bool was = is_alive_before(v, memory, at);
  assert(at < all->count && all->items[at].stage == stage);
  memmove(&all->items[at], &all->items[at + 1], (--all->count - at) * sizeof *all->items);
  const bool is = is_alive_before(v, memory, at);
  pass(v, memory, stage, stage + (is ? 1 : 0), true);
  if (is == was)
    return;
  const size_t begin = at > 0 ? all->items[at - 1].stage + 1 : 0;
  pass(v, memory, begin, stage, is);
  if (at > 0) {
    part_at(v, memory, begin - 1)->stays = is;
    sum_levels(v, begin - 1);
  }
}

static void refresh(stow_budget_moves *v, stow_budget_part *part, size_t stage) {
  const size_t at = stow_budget_visit_at(v, part->memory, stage);
  const bool was = is_alive_before(v, part->memory, at);
  v->visits[part->memory].items[at].fresh = part->fresh;
  part->came = !part->fresh;
  bridge(v, part->memory, at, was);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

// A copy to the second memory is made once for what a node wrote.
static void count_copy(stow_budget_moves *v, size_t memory, size_t stage, bool one_more) {
  const stow_budget_walk *w = &v->walk;
  const stow_budget_writers made = stow_budget_writers_at(w, memory, stage);
  size_t *copies = &v->copies[made.nodes + made.count - 1 - w->writers];
  if (one_more ? (*copies)++ == 0 : --*copies == 0)
    v->cost += one_more ? w->problem->memories[memory].spill : -w->problem->memories[memory].spill;
}

// The parts of the stage that the walk took.
static bool list_parts(stow_budget_moves *v, stow_budget_stage *s) {
  const stow_budget_walk *w = &v->walk;
  s->part_count = 0;
  for (size_t t = 0; t < w->touch_count; ++t) {
    const size_t memory = w->epochs[w->touches[t].epoch].memory, step = w->touches[t].step;
    if (v->part_of[memory] > 0) {
      s->parts[v->part_of[memory] - 1].last = step;
      continue;
    }
    if (!STOW_STREAM_ROOM(s->parts, s->part_count, s->part_room))
      return false;
    const bool fresh = w->touches[t].epoch >= w->problem->memory_count;
    s->parts[s->part_count++] =
        (stow_budget_part){.memory = memory, .first = step, .last = step, .fresh = fresh};
    v->part_of[memory] = s->part_count;
  }
  for (size_t i = 0; i < w->step_count; ++i)
    if (w->steps[i].step.action == STOW_BUDGET_LOAD)
      s->parts[v->part_of[w->steps[i].step.memory] - 1].loaded = true;
  return true;
}

// What the stage touched before, and does again or no longer.
static void settle_before(stow_budget_moves *v, stow_budget_stage *s, size_t stage) {
  v->dropped_count = 0;
  for (size_t i = 0; i < v->before_count; ++i) {
    const stow_budget_part *was = &v->before[i];
    if (was->loaded)
      count_copy(v, was->memory, stage, false);
    if (v->part_of[was->memory] == 0) {
      leave(v, was->memory, stage);
      v->dropped[v->dropped_count++] = was->memory;
      continue;
    }
    stow_budget_part *part = &s->parts[v->part_of[was->memory] - 1];
    part->came = was->came;
    part->stays = was->stays;
    if (part->fresh != was->fresh)
      refresh(v, part, stage);
    v->part_of[was->memory] = 0;
  }
}

static bool settle_new(stow_budget_moves *v, stow_budget_stage *s, size_t stage) {
  bool done = true;
  for (size_t i = 0; i < s->part_count; ++i) {
    stow_budget_part *part = &s->parts[i];
    if (part->loaded)
      count_copy(v, part->memory, stage, true);
    if (v->part_of[part->memory] > 0)
      done = done && visit(v, part, stage);
    v->part_of[part->memory] = 0;
  }
  return done;
}

static bool make_room(stow_budget_stage *s) {
  if (s->step_count + 1 <= s->step_room)
    return true;
  free(s->levels);
  s->step_room = 2 * (s->step_count + 1);
  s->levels = malloc(s->step_room * sizeof *s->levels);
  return s->levels;
}

bool stow_budget_moves_remake(stow_budget_moves *v, size_t stage) {
  stow_budget_stage *s = &v->stages[stage];
  stow_budget_part *const parts = s->parts;
  const size_t room = s->part_room;
  if (!stow_budget_take_alone(&v->walk, stage))
    return false;
  v->before_count = s->part_count;
  s->parts = v->before;
  s->part_room = v->before_room;
  v->before = parts;
  v->before_room = room;
  if (!list_parts(v, s))
    return false;
  v->cost += v->walk.cost - s->cost;
  s->cost = v->walk.cost;
  settle_before(v, s, stage);
  if (!settle_new(v, s, stage))
    return false;
  s->step_count = v->walk.step_count; // until now these were its levels, and some were read
  if (!make_room(s))
    return false;
  sum_levels(v, stage);
  return true;
}

//===----------------------------------------------------------------------===//
// From the beginning
//===----------------------------------------------------------------------===//

// Before its first visit, a memory that is there in the end counts as alive all the time.
static void begin_memories(stow_budget_moves *v) {
  const stow_budget_problem *p = v->walk.problem;
  for (size_t n = 0; n < p->node_count; ++n)
    for (size_t a = 0; a < p->nodes[n].access_count; ++a)
      v->part_of[p->nodes[n].accesses[a].memory] = 1;
  for (size_t m = 0; m < p->memory_count; ++m) {
    const stow_budget_memory *memory = &p->memories[m];
    const bool touched = v->part_of[m] > 0;
    if (memory->to_end && (touched || memory->from_start))
      pass(v, m, 0, p->node_count, true);
    else if (memory->from_start && !touched)
      pass(v, m, 0, p->node_count > 0, true);
    v->cost -= stow_budget_is_placed(&v->walk, m) ? memory->saved : 0;
    v->part_of[m] = 0;
  }
}

bool stow_budget_moves_begin(const stow_budget_problem *p, uint64_t capacity,
                             const uint8_t *choices, stow_budget_moves *out) {
  *out = (stow_budget_moves){.capacity = capacity};
  if (!stow_budget_walk_begin(p, &out->walk))
    return false;
  memcpy(out->walk.choices, choices, stow_budget_cells(&out->walk));
  out->stages = calloc(p->node_count + 1, sizeof *out->stages);
  out->peaks = calloc(p->node_count + 1, sizeof *out->peaks);
  out->full = calloc(p->node_count + 1, sizeof *out->full);
  out->full_at = calloc(p->node_count + 1, sizeof *out->full_at);
  out->visits = calloc(p->memory_count + 1, sizeof *out->visits);
  out->copies = calloc(out->walk.first_writer[p->memory_count] + 1, sizeof *out->copies);
  out->part_of = calloc(p->memory_count + 1, sizeof *out->part_of);
  out->dropped = calloc(p->memory_count + 1, sizeof *out->dropped);
  bool done = out->stages && out->peaks && out->full && out->full_at && out->visits &&
              out->copies && out->part_of && out->dropped;
  if (done)
    begin_memories(out);
  for (size_t n = 0; n < p->node_count && done; ++n)
    done = stow_budget_moves_remake(out, n);
  return done;
}

void stow_budget_moves_end(stow_budget_moves *v) {
  for (size_t n = 0; v->stages && n < v->walk.problem->node_count; ++n) {
    free(v->stages[n].parts);
    free(v->stages[n].levels);
  }
  for (size_t m = 0; v->visits && m < v->walk.problem->memory_count; ++m)
    free(v->visits[m].items);
  free(v->stages);
  free(v->visits);
  free(v->peaks);
  free(v->full);
  free(v->full_at);
  free(v->copies);
  free(v->part_of);
  free(v->before);
  free(v->dropped);
  stow_budget_walk_free(&v->walk);
}
