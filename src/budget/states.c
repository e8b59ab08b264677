//===- states.c - node by node, all that may be in front ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/states.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_MEMORIES = 64,    // or calls go too deep
  BITS = 64,             // of a state
  NO_BIT = BITS,         // what is no part of states
  MOST_COMPARED = 4000,  // states with which one is compared
  STATES_PER_STEP = 32,  // that are compared, as effort
  LEVELS_PER_STEP = 128, // that are read, as effort
};

typedef struct state {
  uint64_t bits, cost;
  size_t from; // the state before it
} state;

// What the bits of states in front of a node mean.
typedef struct layer {
  uint8_t *in_front, *stored; // per memory: its bits
  size_t count;
  double worth[BITS]; // what a bit adds to what is to come
  double rest, least; // what is to come if no bit is set, or all are
} layer;

// A memory that may be in front of the next node.
typedef struct keep {
  size_t first;  // the step behind its last touch
  size_t bit;    // of the next layer
  int64_t bytes; // that it takes from that step on
  bool may_go, stays;
  double most; // by which it and those behind it lower what is to come
} keep;

typedef struct states {
  stow_budget_rates *rates;
  stow_budget_paths *paths;
  uint64_t limit;
  size_t most;
  double best; // what choices must not reach
  bool is_any; // nothing costs anything
  double *paid;
  layer here, next;
  state *all;
  size_t count, room, first; // `first` of the layer that is made
  uint32_t *table;           // of it: places of `all`, plus one
  size_t table_size;
  size_t *begins; // per node, and one more: its first state
  // Of the state that is followed.
  size_t node, at;
  bool *is_there, *is_stored; // per memory
  bool *is_queued, *comes, *is_fixed;
  size_t *queue, queued; // cells that are touched
  keep *keeps;
  size_t keep_count;
  uint64_t cost;
  double least;    // what the state costs in the end, without what of it came anew
  int64_t *levels; // room at each step; where the node runs, for what waits
  int64_t *behind; // per keep, and one more: at each step, bytes of it and those behind it
  size_t level_count, level_room, behind_room;
  // To find the way back.
  size_t sought; // SIZE_MAX: none
  uint8_t *found;
  bool is_found;
  bool cut, no_memory;
} states;

//===----------------------------------------------------------------------===//
// States of a layer
//===----------------------------------------------------------------------===//

static size_t slot_of(const states *s, uint64_t bits) {
  size_t slot = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (s->table_size - 1);
  while (s->table[slot] && s->all[s->table[slot] - 1].bits != bits)
    slot = (slot + 1) & (s->table_size - 1);
  return slot;
}

static bool grow_table(states *s) {
  const size_t size = s->table_size ? 2 * s->table_size : 1024;
  uint32_t *table = calloc(size, sizeof *table);
  if (!table)
    return false;
  free(s->table);
  s->table = table;
  s->table_size = size;
  for (size_t i = s->first; i < s->count; ++i)
    s->table[slot_of(s, s->all[i].bits)] = (uint32_t)i + 1;
  return true;
}

static void begin_layer(states *s) {
  s->first = s->count;
  if (s->table)
    memset(s->table, 0, s->table_size * sizeof *s->table);
}

static void add_state(states *s, uint64_t bits, uint64_t cost) {
  if (2 * (s->count - s->first + 1) > s->table_size && !grow_table(s)) {
    s->no_memory = true;
    return;
  }
  const size_t slot = slot_of(s, bits);
  if (s->table[slot]) {
    state *it = &s->all[s->table[slot] - 1];
    if (cost < it->cost)
      *it = (state){bits, cost, s->at};
    return;
  }
  s->cut |= s->count >= s->most;
  if (s->cut || !STOW_STREAM_ROOM(s->all, s->count, s->room)) {
    s->no_memory |= !s->cut;
    return;
  }
  s->all[s->count++] = (state){bits, cost, s->at};
  s->table[slot] = (uint32_t)s->count;
}

// Either a state of the next layer, or the step to the one that is sought.
static void arrive(states *s, uint64_t bits) {
  const size_t node = s->node;
  const stow_budget_paths *p = s->paths;
  if (s->sought == SIZE_MAX) {
    add_state(s, bits, s->cost);
    return;
  }
  if (bits != s->all[s->sought].bits || s->cost != s->all[s->sought].cost || s->is_found)
    return;
  s->is_found = true;
  for (size_t q = 0; q < s->queued; ++q) {
    const size_t cell = stow_budget_cell(p->walk, p->memory[s->queue[q]], node);
    s->found[cell] = p->alone.choices[cell];
  }
}

//===----------------------------------------------------------------------===//
// What stays behind a stage
//===----------------------------------------------------------------------===//

static double worth_of(const states *s, size_t bit) {
  return bit < NO_BIT ? s->next.worth[bit] : 0;
}

// Beside all keeps from one on.
static bool has_room(const states *s, const keep *k, size_t others) {
  const int64_t *bytes = &s->behind[others * s->level_count];
  for (size_t step = k->first; step < s->level_count; ++step)
    if (s->levels[step] < k->bytes + bytes[step])
      return false;
  return true;
}

static void take_room(states *s, const keep *k, int64_t bytes) {
  for (size_t step = k->first; step < s->level_count; ++step)
    s->levels[step] -= bytes;
}

// Whether of those before the keep none has room that goes.
static bool may_be_full(const states *s, size_t first) {
  for (size_t k = 0; k < first; ++k)
    if (!s->keeps[k].stays && has_room(s, &s->keeps[k], first))
      return false;
  return true;
}

// Whether the search ends here. On the way back, it ended in time.
static bool is_over(states *s) {
  s->cut |= ++s->paths->walk->effort > s->limit && s->sought == SIZE_MAX;
  return s->cut || s->no_memory;
}

// Each of those that may stay does, or not.
static void keep_some(states *s, size_t first, uint64_t bits, double ahead) {
  const double most = first < s->keep_count ? s->keeps[first].most : 0;
  s->paths->walk->effort += first * s->level_count / LEVELS_PER_STEP;
  if (is_over(s) || (double)s->cost + ahead + most > s->best || !may_be_full(s, first))
    return;
  if (first == s->keep_count) {
    arrive(s, bits);
    return;
  }
  keep *k = &s->keeps[first];
  if (has_room(s, k, s->keep_count)) {
    k->stays = true;
    take_room(s, k, k->bytes);
    keep_some(s, first + 1, k->bit < NO_BIT ? bits | UINT64_C(1) << k->bit : bits,
              ahead + worth_of(s, k->bit));
    take_room(s, k, -k->bytes);
    k->stays = false;
  }
  if (k->may_go)
    keep_some(s, first + 1, bits, ahead);
}

//===----------------------------------------------------------------------===//
// A stage
//===----------------------------------------------------------------------===//

static bool make_levels(states *s, size_t steps) {
  while (s->level_room <= steps)
    if (!STOW_STREAM_ROOM(s->levels, s->level_room, s->level_room))
      return false;
  s->level_count = steps;
  for (size_t step = 0; step + 1 < steps; ++step)
    s->levels[step] = (int64_t)s->paths->capacity - s->paths->others[s->node];
  s->levels[steps - 1] = s->paths->room[s->node];
  return true;
}

// The largest is first: what has room beside it is known early.
static void add_keep(states *s, size_t cell, size_t first, bool may_go) {
  const uint8_t front = s->paths->front[cell];
  const int64_t bytes = (int64_t)stow_budget_path_bytes(s->paths, cell);
  size_t at = s->keep_count;
  if (!(front & STOW_BUDGET_IN_FRONT))
    return;
  for (; at > 0 && s->keeps[at - 1].bytes < bytes; --at)
    s->keeps[at] = s->keeps[at - 1];
  s->keeps[at] = (keep){.first = first,
                        .bit = s->next.in_front[s->paths->memory[cell]],
                        .bytes = bytes,
                        .may_go = may_go && front & STOW_BUDGET_AWAY};
  ++s->keep_count;
}

// What the stage does not touch. False: it cannot be as it would.
static bool add_untouched(states *s, size_t cell) {
  const stow_budget_paths *p = s->paths;
  const uint8_t behind = stow_budget_behind(p, cell);
  const bool may_go = p->front[cell] & STOW_BUDGET_AWAY,
             stays = s->is_there[p->memory[cell]] && behind & STOW_BUDGET_IN_FRONT;
  if (stays)
    add_keep(s, cell + 1, 0, may_go);
  return stays || (may_go && behind & STOW_BUDGET_AWAY);
}

// Where a memory is alive in the stage. False: it cannot be as it would.
static bool add_cell(states *s, size_t cell) {
  const stow_budget_paths *p = s->paths;
  const size_t memory = p->memory[cell];
  const stow_budget_epoch *e = &p->alone.epochs[p->alone.epoch_of[memory]];
  const bool comes = s->comes[memory];
  if (!comes && !(p->comes[cell] & STOW_BUDGET_MAY_STAY))
    return false;
  if (e->first == SIZE_MAX)
    return add_untouched(s, cell);
  if (!stow_budget_is_last(p, cell))
    add_keep(s, cell + 1, e->last + 1, true);
  for (size_t step = comes ? e->first : 0; step <= e->last && step + 1 < s->level_count; ++step)
    s->levels[step] -= (int64_t)stow_budget_path_bytes(p, cell);
  return true;
}

static bool writes(const stow_budget_node *n, size_t memory) {
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].memory == memory)
      return n->accesses[a].writes;
  return false;
}

// What the second memory has behind the stage. What the node writes is another value.
static void add_stored(states *s, uint64_t *bits, double *ahead) {
  const stow_budget_walk *w = &s->paths->alone;
  for (size_t m = 0; m < w->problem->memory_count; ++m) {
    const size_t bit = s->next.stored[m];
    if (bit == NO_BIT)
      continue;
    const bool spilled = w->choices[stow_budget_cell(w, m, s->node)] == STOW_BUDGET_SPILLED;
    if ((!s->is_stored[m] && !spilled) || writes(&w->problem->nodes[s->node], m))
      continue;
    *bits |= UINT64_C(1) << bit;
    *ahead += worth_of(s, bit);
  }
}

static bool sum_keeps(states *s) {
  const size_t steps = s->level_count;
  double most = 0;
  s->paths->walk->effort += (s->keep_count + 1) * steps / LEVELS_PER_STEP;
  while (s->behind_room < (s->keep_count + 1) * steps)
    if (!STOW_STREAM_ROOM(s->behind, s->behind_room, s->behind_room))
      return false;
  memset(&s->behind[s->keep_count * steps], 0, steps * sizeof *s->behind);
  for (size_t k = s->keep_count; k-- > 0;) {
    for (size_t step = 0; step < steps; ++step)
      s->behind[k * steps + step] =
          s->behind[(k + 1) * steps + step] + (step < s->keeps[k].first ? 0 : s->keeps[k].bytes);
    most += worth_of(s, s->keeps[k].bit);
    s->keeps[k].most = most;
  }
  return true;
}

// What is alive at the stage's steps. Whether it has room, and all may be as it would.
static bool lay_out(states *s) {
  stow_budget_paths *p = s->paths;
  bool may_be = true;
  s->keep_count = 0;
  if (!stow_budget_take_alone(&p->alone, s->node) || !make_levels(s, p->alone.step_count)) {
    s->no_memory = true;
    return false;
  }
  p->walk->effort += p->alone.step_count + p->alone.touch_count;
  for (size_t k = p->first_at[s->node]; k < p->first_at[s->node + 1]; ++k)
    may_be &= add_cell(s, p->at[k]);
  for (size_t step = 0; step < s->level_count; ++step)
    may_be &= s->levels[step] >= 0;
  if (s->node + 1 < p->walk->problem->node_count)
    for (size_t k = p->first_at[s->node + 1]; k < p->first_at[s->node + 2]; ++k)
      if (p->lives[p->memory[p->at[k]]].born == s->node + 1)
        add_keep(s, p->at[k], s->level_count, true);
  s->no_memory |= !sum_keeps(s);
  return may_be && !s->no_memory;
}

static void keep_all_ways(states *s) {
  uint64_t bits = 0;
  double ahead = s->next.rest;
  add_stored(s, &bits, &ahead);
  keep_some(s, 0, bits, ahead);
}

static void push(states *s, size_t cell) {
  const size_t memory = s->paths->memory[cell];
  if (s->is_queued[memory])
    return;
  s->is_queued[memory] = true;
  s->queue[s->queued++] = cell;
}

static void pop_to(states *s, size_t count) {
  while (s->queued > count)
    s->is_queued[s->paths->memory[s->queue[--s->queued]]] = false;
}

static void choose(states *s, size_t first);

// What a state costs at least in the end.
static double least_with(const layer *l, uint64_t bits, uint64_t cost) {
  double least = (double)cost + l->rest;
  for (; bits; bits &= bits - 1)
    least += l->worth[__builtin_ctzll(bits)];
  return least;
}

// The cell comes, in each of these ways; then cells of the queue from `first` on.
static void renew(states *s, size_t cell, uint8_t ways, size_t first) {
  stow_budget_paths *p = s->paths;
  const size_t memory = p->memory[cell], count = s->queued;
  uint8_t *choice = &p->alone.choices[stow_budget_cell(&p->alone, memory, s->node)];
  const uint64_t cost = s->cost, spill = s->is_any ? 0 : p->walk->problem->memories[memory].spill;
  s->comes[memory] = true;
  if (ways & STOW_BUDGET_MAY_SPILL) {
    *choice = STOW_BUDGET_SPILLED;
    s->cost += s->is_stored[memory] ? spill : 2 * spill;
    choose(s, first);
    s->cost = cost;
  }
  if (ways & STOW_BUDGET_MAY_COMPUTE) {
    *choice = STOW_BUDGET_COMPUTED;
    s->cost += s->is_any ? 0 : stow_budget_price(p->walk, memory, s->node, STOW_BUDGET_COMPUTED);
    for (size_t i = p->first_source[cell]; i < p->first_source[cell + 1]; ++i)
      push(s, p->sources[i]);
    choose(s, first);
    pop_to(s, count);
    s->cost = cost;
  }
  s->comes[memory] = false;
  *choice = STOW_BUDGET_STAYS;
}

// Whether the cell is computed from what is not there, or, if `known`, from what comes already;
// maybe through what is there, is not touched yet, and comes, too.
static bool brings(states *s, size_t cell, bool known) {
  stow_budget_paths *p = s->paths;
  for (size_t i = p->first_source[cell]; i < p->first_source[cell + 1]; ++i) {
    const size_t source = p->sources[i], memory = p->memory[source];
    if (p->stamps[memory] == p->stamp)
      continue;
    p->stamps[memory] = p->stamp;
    if (s->is_queued[memory]
            ? known && s->comes[memory]
            : !s->is_there[memory] ||
                  (p->front[source] & STOW_BUDGET_AWAY &&
                   p->comes[source] & STOW_BUDGET_MAY_COMPUTE && brings(s, source, known)))
      return true;
  }
  return false;
}

// How what is there may come anew (states.h).
static uint8_t ways_to_give_way(states *s, size_t cell) {
  stow_budget_paths *p = s->paths;
  const size_t memory = p->memory[cell], first = p->alone.epochs[p->alone.epoch_of[memory]].first;
  const uint8_t ways = p->comes[cell] & STOW_BUDGET_MAY_RENEW;
  size_t step = 0;
  if (!s->is_there[memory] || s->comes[memory] || s->is_fixed[memory] ||
      !(p->front[cell] & STOW_BUDGET_AWAY))
    return 0;
  while (step < s->level_count && s->levels[step] >= s->behind[step])
    ++step;
  if (step < first)
    return ways;
  ++p->stamp;
  return ways & STOW_BUDGET_MAY_COMPUTE && brings(s, cell, step < s->level_count)
             ? STOW_BUDGET_MAY_COMPUTE
             : 0;
}

typedef struct way {
  size_t cell;
  uint8_t ways;
} way;

// What is touched is known, and what comes of that which is not there.
static void run_stage(states *s) {
  const stow_budget_paths *p = s->paths;
  way list[MOST_MEMORIES];
  size_t count = 0;
  const bool may_be = lay_out(s);
  for (size_t q = 0; q < s->queued && !s->no_memory; ++q) {
    const uint8_t ways = ways_to_give_way(s, s->queue[q]);
    if (ways)
      list[count++] = (way){s->queue[q], ways};
  }
  if (may_be)
    keep_all_ways(s);
  for (size_t i = 0; i < count; ++i) {
    const double least = s->least;
    s->least -= s->here.worth[s->here.in_front[p->memory[list[i].cell]]];
    if (s->least <= s->best)
      renew(s, list[i].cell, list[i].ways, s->queued);
    s->least = least;
    s->is_fixed[p->memory[list[i].cell]] = true;
  }
  while (count-- > 0)
    s->is_fixed[p->memory[list[count].cell]] = false;
}

// Each way in which those come that are touched and not there.
static void choose(states *s, size_t first) {
  const stow_budget_paths *p = s->paths;
  if (is_over(s) || (double)s->cost + s->next.least > s->best)
    return;
  if (first == s->queued) {
    run_stage(s);
    return;
  }
  const size_t cell = s->queue[first];
  if (s->is_there[p->memory[cell]])
    choose(s, first + 1);
  else
    renew(s, cell, p->comes[cell], first + 1);
}

static void expand(states *s, size_t at) {
  const stow_budget_paths *p = s->paths;
  const uint64_t bits = s->all[at].bits;
  s->at = at;
  s->cost = s->all[at].cost;
  s->least = least_with(&s->here, bits, s->cost);
  for (size_t m = 0; m < p->walk->problem->memory_count; ++m) {
    const size_t bit = s->here.stored[m];
    s->is_stored[m] = bit < NO_BIT && bits >> bit & 1;
  }
  for (size_t k = p->first_at[s->node]; k < p->first_at[s->node + 1]; ++k) {
    const size_t cell = p->at[k], memory = p->memory[cell], bit = s->here.in_front[memory];
    s->is_there[memory] = bit < NO_BIT ? bits >> bit & 1 : p->front[cell] == STOW_BUDGET_IN_FRONT;
  }
  for (size_t k = p->first_at[s->node]; k < p->first_at[s->node + 1]; ++k)
    if (p->accessed[p->at[k]])
      push(s, p->at[k]);
  choose(s, 0);
  pop_to(s, 0);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

static double at_most(const states *s, double cost) { return cost < s->best ? cost : s->best; }

static bool add_bit(layer *l, uint8_t *bit, double worth) {
  if (l->count == BITS)
    return false;
  *bit = (uint8_t)l->count;
  l->worth[l->count++] = worth;
  l->least += worth;
  return true;
}

// Whether some of what is there may be copied back from the cell on; and what rates say that costs
// beyond the copy back.
static bool may_load(const states *s, size_t cell, double *out_shares) {
  const stow_budget_paths *p = s->paths;
  const size_t memory = p->memory[cell];
  const stow_budget_life *l = &p->lives[memory];
  const size_t last = l->cell + l->end - l->born;
  const double spill = (double)p->walk->problem->memories[memory].spill;
  bool may = false;
  *out_shares = 0;
  if (s->is_any || !stow_budget_allows(p->walk, memory, p->node[cell], STOW_BUDGET_SPILLED))
    return false;
  const size_t *version = stow_budget_paths_version(p, cell);
  for (; cell <= last && stow_budget_paths_version(p, cell) == version; ++cell)
    if (p->comes[cell] & STOW_BUDGET_MAY_SPILL) {
      may = true;
      *out_shares += s->rates->load[cell] - spill;
    }
  return may;
}

static bool fill_cell(const states *s, size_t cell, layer *out) {
  const stow_budget_paths *p = s->paths;
  const size_t memory = p->memory[cell];
  const double there = at_most(s, s->rates->there[cell]),
               missing = at_most(s, s->rates->missing[cell]);
  out->rest += p->front[cell] == STOW_BUDGET_IN_FRONT ? there : missing;
  if (p->front[cell] == STOW_BUDGET_EITHER &&
      !add_bit(out, &out->in_front[memory], there < missing ? there - missing : 0))
    return false;
  double shares;
  return !may_load(s, cell, &shares) || add_bit(out, &out->stored[memory], -shares);
}

// False: states have too many bits.
static bool fill_layer(const states *s, size_t node, layer *out) {
  const stow_budget_paths *p = s->paths;
  const size_t memories = p->walk->problem->memory_count;
  memset(out->in_front, NO_BIT, memories);
  memset(out->stored, NO_BIT, memories);
  out->count = 0;
  out->least = 0;
  out->rest = s->paid[node];
  for (size_t m = 0; m < memories; ++m) {
    const stow_budget_life *l = &p->lives[m];
    if (l->born < SIZE_MAX && l->born <= l->end && l->born > node) {
      const double there = s->rates->there[l->cell], missing = s->rates->missing[l->cell];
      out->rest += at_most(s, there < missing ? there : missing);
    }
  }
  for (size_t k = p->first_at[node];
       node < p->walk->problem->node_count && k < p->first_at[node + 1]; ++k)
    if (!fill_cell(s, p->at[k], out))
      return false;
  out->least += out->rest;
  return true;
}

static int compare(const void *a, const void *b) {
  const state *x = a, *y = b;
  const int more = __builtin_popcountll(y->bits) - __builtin_popcountll(x->bits);
  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  return more ? more : (x->bits > y->bits) - (x->bits < y->bits);
}

// Leaves out states of which another has all, and costs no more.
static void leave_out(states *s) {
  size_t count = s->first;
  qsort(&s->all[s->first], s->count - s->first, sizeof *s->all, compare);
  for (size_t i = s->first; i < s->count; ++i) {
    size_t j = s->first;
    const size_t most = is_over(s) ? 0 : MOST_COMPARED;
    const size_t end = count - s->first < most ? count : s->first + most;
    while (j < end && s->all[i].bits & ~s->all[j].bits)
      ++j;
    s->paths->walk->effort += (j - s->first) / STATES_PER_STEP;
    if (j == end)
      s->all[count++] = s->all[i];
  }
  s->count = count;
}

// All states in front of the next node.
static void follow_node(states *s) {
  const layer here = s->here;
  s->here = s->next;
  s->next = here;
  if (!fill_layer(s, s->node + 1, &s->next)) {
    s->cut = true;
    return;
  }
  begin_layer(s);
  s->begins[s->node + 1] = s->first;
  for (size_t at = s->begins[s->node]; at < s->first && !is_over(s); ++at)
    expand(s, at);
  leave_out(s);
}

// What the states in front of the node cost at least, up to there and behind it.
static double least_of(const states *s) {
  double least = s->best;
  for (size_t i = s->first; i < s->count; ++i) {
    const double cost = least_with(&s->next, s->all[i].bits, s->all[i].cost);
    least = cost < least ? cost : least;
  }
  return least;
}

// From the last state, with the steps that led there.
static void find_choices(states *s, size_t at) {
  memset(s->found, STOW_BUDGET_STAYS, stow_budget_cells(s->paths->walk));
  for (s->node = s->paths->walk->problem->node_count; s->node-- > 0; at = s->all[at].from) {
    s->sought = at;
    s->is_found = false;
    fill_layer(s, s->node, &s->here);
    fill_layer(s, s->node + 1, &s->next);
    expand(s, s->all[at].from);
    assert(s->is_found || s->no_memory);
  }
}

static void follow_all(states *s, uint8_t *choices, uint64_t *inout_best, double *out_bound) {
  const size_t nodes = s->paths->walk->problem->node_count;
  s->begins[0] = 0;
  fill_layer(s, 0, &s->next);
  add_state(s, 0, 0);
  for (; s->node < nodes && !s->cut && !s->no_memory; ++s->node) {
    follow_node(s);
    if (s->cut || s->no_memory)
      return;
    const double least = least_of(s) - 2 * s->rates->doubt;
    *out_bound = least > *out_bound ? least : *out_bound;
  }
  const bool is_found = s->first < s->count && s->all[s->first].cost < *inout_best;
  *inout_best = is_found ? s->all[s->first].cost : *inout_best;
  *out_bound = (double)*inout_best;
  if (!is_found)
    return;
  s->found = choices;
  find_choices(s, s->first);
}

static bool make_tables(states *s) {
  const size_t memories = s->paths->walk->problem->memory_count + 1,
               nodes = s->paths->walk->problem->node_count + 2;
  s->paid = calloc(nodes, sizeof *s->paid);
  s->begins = calloc(nodes, sizeof *s->begins);
  s->here.in_front = calloc(memories, 1);
  s->here.stored = calloc(memories, 1);
  s->next.in_front = calloc(memories, 1);
  s->next.stored = calloc(memories, 1);
  s->is_there = calloc(memories, sizeof *s->is_there);
  s->is_stored = calloc(memories, sizeof *s->is_stored);
  s->is_queued = calloc(memories, sizeof *s->is_queued);
  s->comes = calloc(memories, sizeof *s->comes);
  s->is_fixed = calloc(memories, sizeof *s->is_fixed);
  s->queue = calloc(memories, sizeof *s->queue);
  s->keeps = calloc(2 * memories, sizeof *s->keeps);
  return s->paid && s->begins && s->here.in_front && s->here.stored && s->next.in_front &&
         s->next.stored && s->is_there && s->is_stored && s->is_queued && s->comes && s->is_fixed &&
         s->queue && s->keeps;
}

bool stow_budget_states_search(stow_budget_rates *rates, size_t most, uint64_t limit, bool is_any,
                               uint8_t *choices, uint64_t *inout_best, double *out_bound) {
  states s = {.rates = rates,
              .paths = rates->paths,
              .limit = limit,
              .most = most,
              .is_any = is_any,
              .sought = SIZE_MAX};
  if (rates->paths->walk->problem->memory_count > MOST_MEMORIES)
    return true;
  if (make_tables(&s)) {
    if (!is_any)
      stow_budget_rates_spread(rates, s.paid);
    s.best = (double)*inout_best - 1 + 2 * rates->doubt;
    follow_all(&s, choices, inout_best, out_bound);
  } else {
    s.no_memory = true;
  }
  void *const all[] = {s.paid,        s.begins,   s.here.in_front, s.here.stored, s.next.in_front,
                       s.next.stored, s.is_there, s.is_stored,     s.is_queued,   s.queue,
                       s.keeps,       s.comes,    s.is_fixed,      s.all,         s.table,
                       s.levels,      s.behind};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
  return !s.no_memory;
}
