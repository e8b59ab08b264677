//===- search.c - the best order of units ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state is a set of units that are done; of the way there only the peak so far matters. States
// with the lowest peak are expanded first, and among equal ones those with most units. So the first
// complete state is best. States whose peak is not below that of a known order are not expanded.
// When the effort is spent, the lowest peak among the open states is a bound.
//
// A unit that neither raises the peak so far nor increases the live bytes runs at once: no order is
// better without it in front. The same holds for several units (proof in modules.c). Find the
// least peak with which some state is at most as high as the start, and the lowest state that
// this peak allows: the search begins anew from there.
//
// Before that a beam goes through the same states level by level and keeps a few.
//
//===----------------------------------------------------------------------===//

#include "order/limits.h"
#include "order/units.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct state {
  uint64_t level, peak;
  uint32_t from, unit; // the state before, and what ran; NONE: nothing did
  uint32_t done;       // units
  bool expanded;
} state;

typedef struct searcher {
  const stow_order_units *units;
  uint64_t enough, limit;
  uint64_t left, used; // steps: of this phase, and in all
  state *states;
  uint64_t *sets; // per state: the units that are done
  uint32_t state_count, state_capacity;
  uint32_t *table; // of states by their sets; open addressing
  size_t table_size;
  uint32_t *heap;
  uint64_t *heap_peaks; // of each entry when it was pushed
  size_t heap_count, heap_capacity;
  int64_t *changes; // of the level by step
  uint64_t *next;   // a set
} searcher;

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

typedef struct outcome {
  uint64_t peak, level; // while the unit runs, and after it
} outcome;

static bool is_ready(const stow_order_units *u, const uint64_t *done, size_t unit) {
  if (stow_order_set_has(done, unit))
    return false;
  const uint64_t *before = u->before + unit * u->words;
  for (size_t w = 0; w < u->words; ++w)
    if (before[w] & ~done[w])
      return false;
  return true;
}

// Whether a user of the buffer other than the unit is done, and whether one is not.
static void look_around(const stow_order_units *u, const uint64_t *done, size_t unit,
                        const stow_order_buffer *buffer, const uint64_t *users, bool *out_before,
                        bool *out_after) {
  *out_before = buffer->from_start;
  *out_after = buffer->to_end;
  for (size_t w = 0; w < u->words; ++w) {
    const uint64_t others = users[w] & ~(unit / 64 == w ? UINT64_C(1) << unit % 64 : 0);
    *out_before |= (others & done[w]) != 0;
    *out_after |= (others & ~done[w]) != 0;
  }
}

static outcome run_unit(searcher *s, const uint64_t *done, uint64_t level, size_t unit) {
  const stow_order_units *u = s->units;
  const stow_order_problem *p = u->graph->problem;
  const size_t steps = u->begins[unit + 1] - u->begins[unit];
  memset(s->changes, 0, (steps + 1) * sizeof *s->changes);
  for (size_t i = u->use_begins[unit]; i < u->use_begins[unit + 1]; ++i) {
    const stow_order_use *use = &u->uses[i];
    const int64_t bytes = (int64_t)p->buffers[use->buffer].bytes;
    bool before, after;
    look_around(u, done, unit, &p->buffers[use->buffer], u->users + use->buffer * u->words, &before,
                &after);
    s->changes[use->first] += before ? 0 : bytes;
    s->changes[use->last + 1] -= after ? 0 : bytes;
  }
  outcome out = {0, level};
  for (size_t k = 0; k < steps; ++k) {
    out.level += (uint64_t)s->changes[k];
    const uint64_t high = out.level + stow_order_inside(p, u->nodes[u->begins[unit] + k]);
    out.peak = high > out.peak ? high : out.peak;
  }
  out.level += (uint64_t)s->changes[steps];
  return out;
}

static uint64_t cost_of(const stow_order_units *u, size_t unit) {
  return u->begins[unit + 1] - u->begins[unit] +
         (u->use_begins[unit + 1] - u->use_begins[unit]) * u->words;
}

static void spend(searcher *s, uint64_t steps) {
  s->left -= steps < s->left ? steps : s->left;
  s->used += steps;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static uint64_t *set_of(const searcher *s, uint32_t at) {
  return s->sets + (size_t)at * s->units->words;
}

static size_t hash_of(const uint64_t *set, size_t words) {
  uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
  for (size_t w = 0; w < words; ++w) {
    h = (h ^ set[w]) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  return (size_t)h;
}

// Where the set is in the table, or where it would be.
static uint32_t *slot_of(searcher *s, const uint64_t *set) {
  const size_t words = s->units->words;
  size_t at = hash_of(set, words) & (s->table_size - 1);
  while (s->table[at] != NONE && memcmp(set_of(s, s->table[at]), set, words * sizeof *set) != 0)
    at = (at + 1) & (s->table_size - 1);
  return &s->table[at];
}

static bool comes_first(const searcher *s, size_t a, size_t b) {
  if (s->heap_peaks[a] != s->heap_peaks[b])
    return s->heap_peaks[a] < s->heap_peaks[b];
  const state *x = &s->states[s->heap[a]], *y = &s->states[s->heap[b]];
  if (x->done != y->done)
    return x->done > y->done;
  if (x->level != y->level)
    return x->level < y->level;
  return s->heap[a] < s->heap[b];
}

static void swap(searcher *s, size_t a, size_t b) {
  const uint32_t kept = s->heap[a];
  const uint64_t peak = s->heap_peaks[a];
  s->heap[a] = s->heap[b];
  s->heap_peaks[a] = s->heap_peaks[b];
  s->heap[b] = kept;
  s->heap_peaks[b] = peak;
}

static void push(searcher *s, uint32_t added) {
  size_t at = s->heap_count++;
  s->heap[at] = added;
  s->heap_peaks[at] = s->states[added].peak;
  for (; at > 0 && comes_first(s, at, (at - 1) / 2); at = (at - 1) / 2)
    swap(s, at, (at - 1) / 2);
}

static uint32_t pop(searcher *s) {
  const uint32_t top = s->heap[0];
  swap(s, 0, --s->heap_count);
  for (size_t at = 0;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->heap_count; ++child)
      least = comes_first(s, child, least) ? child : least;
    if (least == at)
      return top;
    swap(s, at, least);
    at = least;
  }
}

static bool is_full(const searcher *s) {
  return s->state_count == s->state_capacity || s->heap_count == s->heap_capacity;
}

// A way to a state: it is entered, or its peak is lowered.
static void reach(searcher *s, uint32_t from, uint32_t unit, outcome out) {
  uint32_t *slot = slot_of(s, s->next);
  if (*slot == NONE) {
    *slot = s->state_count++;
    memcpy(set_of(s, *slot), s->next, s->units->words * sizeof *s->next);
    s->states[*slot] = (state){.peak = UINT64_MAX};
  }
  state *to = &s->states[*slot];
  if (out.peak >= to->peak)
    return;
  assert(!to->expanded);
  to->level = out.level;
  to->peak = out.peak;
  to->from = from;
  to->unit = unit;
  to->done = from == NONE ? 0 : s->states[from].done + 1;
  push(s, *slot);
}

static void set_next(searcher *s, const uint64_t *done, size_t unit) {
  memcpy(s->next, done, s->units->words * sizeof *s->next);
  stow_order_set_add(s->next, unit);
}

//===----------------------------------------------------------------------===//
// What may run next
//===----------------------------------------------------------------------===//

// The unit that runs at once, or the number of units.
static size_t forced(searcher *s, const uint64_t *done, uint64_t level, uint64_t peak) {
  const stow_order_units *u = s->units;
  for (size_t unit = 0; unit < u->count; ++unit) {
    if (!is_ready(u, done, unit))
      continue;
    const outcome out = run_unit(s, done, level, unit);
    spend(s, cost_of(u, unit));
    if (out.peak <= peak && out.level <= level)
      return unit;
  }
  return u->count;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void follow(searcher *s, uint32_t from, size_t unit) {
  const state *at = &s->states[from];
  outcome out = run_unit(s, set_of(s, from), at->level, unit);
  out.peak = larger(out.peak, at->peak);
  if (out.peak >= s->limit)
    return;
  set_next(s, set_of(s, from), unit);
  reach(s, from, (uint32_t)unit, out);
}

static void expand(searcher *s, uint32_t from) {
  const stow_order_units *u = s->units;
  const state at = s->states[from];
  s->states[from].expanded = true;
  const size_t at_once = forced(s, set_of(s, from), at.level, at.peak);
  if (at_once < u->count) {
    follow(s, from, at_once);
    return;
  }
  for (size_t unit = 0; unit < u->count && !is_full(s); ++unit)
    if (is_ready(u, set_of(s, from), unit)) {
      follow(s, from, unit);
      spend(s, cost_of(u, unit));
    }
}

static void write_order(const searcher *s, uint32_t last, size_t *out_nodes) {
  const stow_order_units *u = s->units;
  size_t at = u->begins[u->count];
  for (uint32_t i = last; s->states[i].from != NONE; i = s->states[i].from) {
    const size_t unit = s->states[i].unit;
    for (size_t k = u->begins[unit + 1]; k > u->begins[unit]; --k)
      out_nodes[--at] = u->nodes[k - 1];
  }
  assert(at == 0);
}

//===----------------------------------------------------------------------===//
// Where states begin
//===----------------------------------------------------------------------===//

static void start_from(searcher *s, const uint64_t *done, outcome before) {
  s->state_count = 0;
  s->heap_count = 0;
  memset(s->table, 0xff, s->table_size * sizeof *s->table);
  memcpy(s->next, done, s->units->words * sizeof *s->next);
  reach(s, NONE, NONE, before);
}

static void start(searcher *s, uint64_t level) {
  memset(s->next, 0, s->units->words * sizeof *s->next);
  start_from(s, s->next, (outcome){s->enough, level});
}

//===----------------------------------------------------------------------===//
// The beam
//===----------------------------------------------------------------------===//

typedef struct beam {
  uint32_t kept[STOW_ORDER_MOST_BEAM]; // by rising peak, then level
  size_t count, width;
} beam;

static bool is_better(const searcher *s, uint32_t a, uint32_t b) {
  const state *x = &s->states[a], *y = &s->states[b];
  return x->peak != y->peak ? x->peak < y->peak : x->level < y->level;
}

static void keep(const searcher *s, beam *b, uint32_t added) {
  for (size_t i = 0; i < b->count; ++i)
    if (b->kept[i] == added)
      memmove(&b->kept[i], &b->kept[i + 1], (--b->count - i) * sizeof *b->kept);
  size_t at = b->count;
  while (at > 0 && is_better(s, added, b->kept[at - 1]))
    --at;
  if (at == b->width)
    return;
  if (b->count == b->width)
    --b->count;
  memmove(&b->kept[at + 1], &b->kept[at], (b->count++ - at) * sizeof *b->kept);
  b->kept[at] = added;
}

static void keep_next(searcher *s, uint32_t from, size_t unit, beam *to) {
  const uint64_t peak_before = s->states[from].peak;
  outcome out = run_unit(s, set_of(s, from), s->states[from].level, unit);
  spend(s, cost_of(s->units, unit));
  out.peak = larger(out.peak, peak_before);
  if (out.peak >= s->limit || is_full(s))
    return;
  set_next(s, set_of(s, from), unit);
  s->heap_count = 0;
  reach(s, from, (uint32_t)unit, out);
  if (s->heap_count > 0)
    keep(s, to, s->heap[0]);
}

static void keep_all_next(searcher *s, uint32_t from, beam *to) {
  const stow_order_units *u = s->units;
  const size_t at_once = forced(s, set_of(s, from), s->states[from].level, s->states[from].peak);
  if (at_once < u->count) {
    keep_next(s, from, at_once, to);
    return;
  }
  for (size_t unit = 0; unit < u->count; ++unit)
    if (is_ready(u, set_of(s, from), unit))
      keep_next(s, from, unit, to);
}

// An order below the limit, perhaps.
static void search_beam(searcher *s, uint64_t level, size_t width, size_t *out_nodes,
                        stow_order_found *found) {
  start(s, level);
  beam now = {.kept = {0}, .count = 1, .width = width};
  for (size_t done = 0; done < s->units->count && now.count > 0; ++done) {
    beam next = {.width = width};
    for (size_t i = 0; i < now.count && s->left > 0; ++i)
      keep_all_next(s, now.kept[i], &next);
    now = next;
  }
  if (now.count == 0 || s->left == 0)
    return;
  write_order(s, now.kept[0], out_nodes);
  found->any = true;
  found->peak = s->states[now.kept[0]].peak;
  s->limit = found->peak;
}

//===----------------------------------------------------------------------===//
// Valleys
//===----------------------------------------------------------------------===//

// Where a walk is: the units that are done, of which `count` nodes are written.
typedef struct walk {
  uint64_t *done;
  size_t units, count, *nodes;
  outcome at;
} walk;

// What a walk sees: the lowest state of those with the least peak at which one is as low as here,
// and a state with all units done, where none with a lower peak is; NONE: it needs a higher one.
typedef struct view {
  uint32_t valley, end;
  uint64_t peak; // no order of what is left has a lower one
  bool far;      // there were too many states
} view;

// Writes the nodes on the way to a state; the walk is there then.
static void go_to(const searcher *s, walk *w, uint32_t to) {
  const stow_order_units *u = s->units;
  size_t end = w->count;
  for (uint32_t i = to; s->states[i].from != NONE; i = s->states[i].from)
    end += u->begins[s->states[i].unit + 1] - u->begins[s->states[i].unit];
  size_t at = end;
  for (uint32_t i = to; s->states[i].from != NONE; i = s->states[i].from)
    for (size_t k = u->begins[s->states[i].unit + 1]; k > u->begins[s->states[i].unit]; --k)
      w->nodes[--at] = u->nodes[k - 1];
  assert(at == w->count);
  w->count = end;
  w->units += s->states[to].done;
  w->at = (outcome){s->states[to].peak, s->states[to].level};
  memcpy(w->done, set_of(s, to), u->words * sizeof *w->done);
}

static bool is_lower(const searcher *s, uint32_t a, uint32_t b) {
  const state *x = &s->states[a], *y = &s->states[b];
  return b == NONE || x->level < y->level || (x->level == y->level && x->done > y->done);
}

static void look_at(searcher *s, const walk *w, uint32_t top, view *v) {
  const state *at = &s->states[top];
  if (at->expanded)
    return;
  if (at->done > 0 && at->level <= w->at.level && is_lower(s, top, v->valley))
    v->valley = top;
  if (w->units + at->done == s->units->count)
    v->end = top;
  spend(s, s->units->count);
  expand(s, top);
}

// Every order passes a state that was looked at or waits, or has a peak of at least the limit.
static view look_ahead(searcher *s, const walk *w, bool any_end) {
  view v = {NONE, NONE, w->at.peak, false};
  start_from(s, w->done, w->at);
  while (s->heap_count > 0 && !(any_end && v.end != NONE)) {
    if (s->heap_peaks[0] > v.peak && (v.valley != NONE || v.end != NONE))
      return v;
    v.peak = s->heap_peaks[0];
    v.far = s->left == 0 || is_full(s);
    if (v.far)
      return v;
    look_at(s, w, pop(s), &v);
    v.far = is_full(s); // it may have stopped among its successors
    if (v.far && !(any_end && v.end != NONE))
      return v;
  }
  return v;
}

// From valley to valley, as modules.c shows that one may, to the first order that is complete.
static void search_all(searcher *s, walk *w, size_t *out_nodes, stow_order_found *found) {
  while (w->units < s->units->count) {
    const view v = look_ahead(s, w, true);
    found->bound = larger(found->bound, v.peak);
    if (v.far)
      return;
    if (v.end == NONE && v.valley == NONE) {
      found->bound = s->limit;
      return;
    }
    go_to(s, w, v.end != NONE ? v.end : v.valley);
  }
  memcpy(out_nodes, w->nodes, w->count * sizeof *out_nodes);
  found->any = true;
  found->peak = w->at.peak;
}

// To the end, too, but first to every valley. False: too far.
static bool walk_all(searcher *s, walk *w, size_t *out_settled) {
  *out_settled = 0;
  while (w->units < s->units->count) {
    const view v = look_ahead(s, w, false);
    if (v.far)
      return false;
    go_to(s, w, v.valley != NONE ? v.valley : v.end);
    if (v.valley != NONE)
      *out_settled = w->count;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static bool begin(searcher *s, size_t nodes, uint64_t effort, stow_order_memory *memory) {
  const size_t words = s->units->words;
  const size_t each = sizeof(state) + words * sizeof(uint64_t) + 2 * sizeof(uint32_t) +
                      2 * (sizeof(uint32_t) + sizeof(uint64_t));
  size_t most = STOW_ORDER_MOST_STATE_BYTES / each;
  // No more states than there are sets, or than the effort pays for.
  if (s->units->count < 30 && most > (size_t)1 << s->units->count)
    most = (size_t)1 << s->units->count;
  if (most > effort / 4)
    most = (size_t)(effort / 4);
  most += 2;
  s->state_capacity = (uint32_t)most;
  s->heap_capacity = 2 * most;
  for (s->table_size = 64; s->table_size < 2 * most;)
    s->table_size *= 2;
  s->states = stow_order_take(memory, most, sizeof *s->states);
  s->sets = stow_order_take(memory, most * words, sizeof *s->sets);
  s->table = stow_order_take(memory, s->table_size, sizeof *s->table);
  s->heap = stow_order_take(memory, s->heap_capacity, sizeof *s->heap);
  s->heap_peaks = stow_order_take(memory, s->heap_capacity, sizeof *s->heap_peaks);
  s->changes = stow_order_take(memory, nodes + 1, sizeof *s->changes);
  s->next = stow_order_take(memory, words, sizeof *s->next);
  return s->states && s->sets && s->table && s->heap && s->heap_peaks && s->changes && s->next;
}

static uint64_t level_before(const stow_order_problem *p) {
  uint64_t level = 0;
  for (size_t b = 0; b < p->buffer_count; ++b)
    level += p->buffers[b].from_start ? p->buffers[b].bytes : 0;
  return level;
}

static bool begin_walk(const searcher *s, uint64_t level, stow_order_memory *memory, walk *out) {
  *out = (walk){.at = {s->enough, level}};
  out->done = stow_order_take(memory, s->units->words, sizeof *out->done);
  out->nodes = stow_order_take(memory, s->units->begins[s->units->count], sizeof *out->nodes);
  return out->done && out->nodes;
}

static bool search_units(searcher *s, uint64_t base, size_t nodes, uint64_t effort,
                         stow_order_memory *memory, size_t *out_nodes, stow_order_found *found) {
  const uint64_t level = base + level_before(s->units->graph->problem);
  if (s->units->count > STOW_ORDER_MOST_UNITS)
    return true;
  if (!begin(s, nodes, effort, memory))
    return false;
  for (size_t width = 1; width <= STOW_ORDER_MOST_BEAM && s->limit > s->enough; width *= 8) {
    s->left = effort / 8;
    search_beam(s, level, width, out_nodes, found);
  }
  s->left = effort > s->used ? effort - s->used : 0;
  walk w;
  if (!begin_walk(s, level, memory, &w))
    return false;
  if (s->limit > s->enough)
    search_all(s, &w, out_nodes, found);
  return true;
}

bool stow_order_search(const stow_order_problem *problem, uint64_t base, uint64_t enough,
                       uint64_t limit, uint64_t effort, size_t *out_nodes,
                       stow_order_found *out_found) {
  stow_order_memory memory = {NULL};
  stow_order_graph graph;
  stow_order_units units;
  uint64_t left = effort / 2;
  *out_found = (stow_order_found){.bound = enough};
  bool ok = stow_order_read(problem, &memory, &graph) &&
            stow_order_make_units(&graph, &memory, &left, &units);
  searcher s = {.units = &units, .enough = enough, .limit = limit, .used = effort / 2 - left};
  ok = ok && search_units(&s, base, problem->node_count, effort, &memory, out_nodes, out_found);
  out_found->effort = s.used;
  stow_order_give_back(&memory);
  return ok;
}

bool stow_order_walk(const stow_order_problem *problem, uint64_t *effort, size_t *out_nodes,
                     size_t *out_settled, bool *out_found) {
  stow_order_memory memory = {NULL};
  stow_order_graph graph;
  stow_order_units units;
  const uint64_t given = *effort;
  *out_found = false;
  bool ok = stow_order_read(problem, &memory, &graph) &&
            stow_order_make_units(&graph, &memory, effort, &units);
  searcher s = {.units = &units, .limit = UINT64_MAX, .left = *effort};
  walk w;
  ok = ok && begin(&s, problem->node_count, given, &memory) &&
       begin_walk(&s, level_before(problem), &memory, &w);
  if (ok) {
    *out_found = walk_all(&s, &w, out_settled);
    memcpy(out_nodes, w.nodes, w.count * sizeof *out_nodes);
    *effort = s.left;
  }
  stow_order_give_back(&memory);
  return ok;
}
