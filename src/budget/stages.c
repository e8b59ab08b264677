//===- stages.c - what choices cost at least, node by node ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/stages.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROUNDS = 400,       // in which rates are improved
  PATIENCE = 8,       // rounds without a better bound, before they move less
  FIRST_TABLE = 1024, // a power of two
};

// Of a sum in doubles, what is certain.
#define CERTAIN (1 - 1e-9)

// A memory waits at the nodes from `begin` on, and is needed at `end`.
typedef struct gap {
  size_t memory, begin, end;
  uint64_t bytes, price; // UINT64_MAX: it stays
} gap;

typedef struct state {
  uint64_t cost; // of what came anew, or will: all that is missing
  double least;  // of all that may follow
  size_t bits;   // where its set begins: what is missing
  size_t tried;  // of what may come anew with it, how many are settled
} state;

// A memory that the node may need. If it comes anew although it is there, so does what is missing
// of what it is computed from.
typedef struct enabler {
  size_t memory;
  uint64_t price;
} enabler;

// Bytes that must be missing yet.
typedef struct need {
  int64_t at_run;   // where the node runs
  int64_t at_again; // where something runs again in front of it
} need;

typedef struct states {
  state *items;
  uint64_t *bits;
  size_t count, bit_count, room, bit_room;
} states;

typedef struct stages {
  stow_budget_walk *walk;
  uint64_t capacity, best;
  uint64_t limit; // of the effort, at the node
  double lost;    // of states that are not followed: what they cost at least
  uint64_t least; // of those at the end
  size_t words;   // of a set
  gap *gaps;
  size_t gap_count, gap_room;
  double *rates, *tried; // per node, for a byte
  double *sums;          // per node, and one more: of the rates of those before it
  double *slopes;        // per node: how the bound grows with its rate
  states now, next;
  size_t *table, table_size; // the next states, plus one, by their sets
  // At a node.
  size_t node;
  const gap **waits; // those that may be missing there, the cheapest per byte first
  size_t wait_count;
  enabler *enablers; // the cheapest first
  size_t enabler_count;
  double rest;     // the bound if nothing is missing
  double *spared;  // per memory: by how much it is less if that is missing
  uint64_t *bytes; // per memory: those that are missing with it
  uint64_t before; // bytes alive in front of the node and there, if nothing is missing
  gap *touched;    // what the node needs and might drop until then: it waits at no node
  size_t touched_count;
  uint64_t *set, *less; // what is missing
  uint64_t *over;       // what no node needs any more
  uint64_t *renewed;    // what has come anew for the node
  uint64_t *reached;    // what the node may need
  size_t *path;         // memories
  size_t *chosen;       // of those that wait
  bool no_memory;
} stages;

static bool has(const uint64_t *set, size_t m) { return set[m / 64] >> m % 64 & 1; }
static void put_in(uint64_t *set, size_t m) { set[m / 64] |= UINT64_C(1) << m % 64; }
static void take_out(uint64_t *set, size_t m) { set[m / 64] &= ~(UINT64_C(1) << m % 64); }

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

static uint64_t price_of(const stow_budget_walk *w, size_t memory, size_t node) {
  uint64_t least = UINT64_MAX;
  for (uint8_t c = STOW_BUDGET_COMPUTED; c <= STOW_BUDGET_SPILLED; ++c)
    if (stow_budget_allows(w, memory, node, c)) {
      const uint64_t price = stow_budget_price(w, memory, node, c);
      least = price < least ? price : least;
    }
  return least;
}

// By the walk of no choices.
static bool find_gaps(stages *s) {
  const stow_budget_walk *w = s->walk;
  size_t *behind = calloc(w->problem->memory_count + 1, sizeof *behind); // the last touch
  bool done = behind;
  for (size_t t = 0; done && t < w->touch_count; ++t) {
    const size_t memory = w->epochs[w->touches[t].epoch].memory, node = w->touches[t].step;
    const uint64_t bytes = w->problem->memories[memory].bytes;
    const size_t begin = behind[memory];
    behind[memory] = node + 1;
    if (bytes == 0 || begin == 0 || begin == node)
      continue;
    done = STOW_STREAM_ROOM(s->gaps, s->gap_count, s->gap_room);
    if (done)
      s->gaps[s->gap_count++] = (gap){memory, begin, node, bytes, price_of(w, memory, begin)};
  }
  free(behind);
  return done;
}

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

static double excess_at(const stages *s, size_t node) {
  const uint64_t level = s->walk->levels[node];
  return level > s->capacity ? (double)(level - s->capacity) : 0;
}

static void sum_up(stages *s, const double *rates) {
  for (size_t i = 0; i < s->walk->problem->node_count; ++i)
    s->sums[i + 1] = s->sums[i] + rates[i];
}

// By how much the bound grows if the gap's memory is missing from a node on.
static double reduced(const stages *s, const gap *g, size_t from) {
  return (double)g->price - (double)g->bytes * (s->sums[g->end] - s->sums[from]);
}

// The bound of the rates that are tried, and its slopes.
static double relax(stages *s) {
  const size_t nodes = s->walk->problem->node_count;
  double bound = 0;
  sum_up(s, s->tried);
  memset(s->slopes, 0, (nodes + 1) * sizeof *s->slopes);
  for (size_t g = 0; g < s->gap_count; ++g) {
    const gap *it = &s->gaps[g];
    const double change = it->price < UINT64_MAX ? reduced(s, it, it->begin) : 0;
    if (change >= 0)
      continue;
    bound += change;
    s->slopes[it->begin] -= (double)it->bytes;
    s->slopes[it->end] += (double)it->bytes;
  }
  for (size_t i = 0; i < nodes; ++i) {
    if (i > 0)
      s->slopes[i] += s->slopes[i - 1];
    bound += s->tried[i] * excess_at(s, i);
  }
  s->walk->effort += s->gap_count + nodes;
  return bound;
}

// A step along the slopes. Whether there is one.
static bool improve(stages *s, double missing) {
  double square = 0;
  for (size_t i = 0; i < s->walk->problem->node_count; ++i) {
    s->slopes[i] = excess_at(s, i) > 0 ? s->slopes[i] + excess_at(s, i) : 0;
    square += s->slopes[i] * s->slopes[i];
  }
  for (size_t i = 0; square > 0 && i < s->walk->problem->node_count; ++i) {
    const double rate = s->tried[i] + missing / square * s->slopes[i];
    s->tried[i] = rate > 0 ? rate : 0;
  }
  return square > 0;
}

// The subgradient method, with a quarter of the effort.
static void find_rates(stages *s, uint64_t effort) {
  const size_t size = s->walk->problem->node_count * sizeof *s->rates;
  const uint64_t limit = s->walk->effort + effort / 4;
  double most = 0, pace = 1;
  for (size_t round = 0, idle = 0; round < ROUNDS && s->walk->effort < limit; ++round, ++idle) {
    const double bound = relax(s);
    if (bound > most) {
      most = bound;
      idle = 0;
      memcpy(s->rates, s->tried, size);
    }
    if (idle >= PATIENCE) {
      idle = 0;
      pace /= 2;
    }
    if (!improve(s, pace * ((double)s->best - bound)))
      break;
  }
  sum_up(s, s->rates);
}

//===----------------------------------------------------------------------===//
// A node
//===----------------------------------------------------------------------===//

static int by_rate(const void *left, const void *right) {
  const gap *a = *(const gap *const *)left, *b = *(const gap *const *)right;
  const double x = (double)a->price * (double)b->bytes, y = (double)b->price * (double)a->bytes;
  if (x != y)
    return x < y ? -1 : 1;
  return (a->memory > b->memory) - (a->memory < b->memory);
}

static int by_price(const void *left, const void *right) {
  const enabler *a = left, *b = right;
  if (a->price != b->price)
    return a->price < b->price ? -1 : 1;
  return (a->memory > b->memory) - (a->memory < b->memory);
}

// Appends what a node accesses to the path, if it is new.
static void reach_accesses(stages *s, const stow_budget_node *n, size_t *count) {
  s->walk->effort += n->access_count;
  for (size_t a = 0; a < n->access_count; ++a)
    if (!has(s->reached, n->accesses[a].memory)) {
      put_in(s->reached, n->accesses[a].memory);
      s->path[(*count)++] = n->accesses[a].memory;
    }
}

static void find_enablers(stages *s) {
  const stow_budget_problem *p = s->walk->problem;
  size_t count = 0;
  s->enabler_count = 0;
  memset(s->reached, 0, s->words * sizeof *s->reached);
  reach_accesses(s, &p->nodes[s->node], &count);
  while (count > 0) {
    const size_t memory = s->path[--count];
    if (!stow_budget_allows(s->walk, memory, s->node, STOW_BUDGET_COMPUTED))
      continue;
    s->enablers[s->enabler_count++] =
        (enabler){memory, stow_budget_price(s->walk, memory, s->node, STOW_BUDGET_COMPUTED)};
    const stow_budget_writers writers = stow_budget_writers_at(s->walk, memory, s->node);
    for (size_t v = 0; v < writers.count; ++v)
      reach_accesses(s, &p->nodes[writers.nodes[v]], &count);
  }
  if (s->enabler_count > 0)
    qsort(s->enablers, s->enabler_count, sizeof *s->enablers, by_price);
}

// Appends what the node needs to what may be missing, as it may be, in front of the node.
static void list_touched(stages *s) {
  const stow_budget_walk *w = s->walk;
  const stow_budget_node *n = &w->problem->nodes[s->node];
  s->before = 0;
  s->touched_count = 0;
  for (size_t e = 0, begin, end; e < w->epoch_count; ++e) {
    if (!stow_budget_is_alive(w, e, &begin, &end) || begin >= s->node)
      continue;
    if (s->node < end)
      s->before += w->problem->memories[w->epochs[e].memory].bytes;
    else
      put_in(s->over, w->epochs[e].memory);
  }
  for (size_t a = 0; a < n->access_count; ++a) {
    const size_t memory = n->accesses[a].memory;
    const gap it = {memory, s->node, s->node, w->problem->memories[memory].bytes,
                    price_of(w, memory, s->node)};
    if (it.bytes == 0 || it.price == UINT64_MAX)
      continue;
    s->touched[s->touched_count] = it;
    s->waits[s->wait_count++] = &s->touched[s->touched_count++];
  }
  s->walk->effort += w->epoch_count;
}

static void enter(stages *s, size_t node) {
  s->node = node;
  find_enablers(s);
  s->wait_count = 0;
  s->rest = 0;
  for (size_t i = node; i < s->walk->problem->node_count; ++i)
    s->rest += s->rates[i] * excess_at(s, i);
  for (size_t g = 0; g < s->gap_count; ++g) {
    const gap *it = &s->gaps[g];
    const bool waits = it->begin <= node && node < it->end;
    if (it->price == UINT64_MAX || node > it->end)
      continue;
    const double change = reduced(s, it, waits ? node : it->begin < node ? it->end : it->begin);
    s->rest += node == it->end || change > 0 ? 0 : change;
    if (it->begin <= node) {
      s->spared[it->memory] = (double)it->price - (change > 0 ? change : 0);
      s->bytes[it->memory] = waits ? it->bytes : 0;
    }
    if (node == it->end)
      s->spared[it->memory] = 0;
    if (waits)
      s->waits[s->wait_count++] = it;
  }
  list_touched(s);
  qsort(s->waits, s->wait_count, sizeof *s->waits, by_rate);
  s->walk->effort += s->gap_count;
}

static double least_of(const stages *s, const uint64_t *set, uint64_t cost) {
  double least = (double)cost + s->rest;
  for (size_t w = 0; w < s->words; ++w)
    for (uint64_t left = set[w]; left; left &= left - 1)
      least -= s->spared[64 * w + (size_t)__builtin_ctzll(left)];
  return least;
}

static bool is_hopeless(const stages *s, uint64_t cost, double least) {
  return cost >= s->best || least * CERTAIN >= (double)s->best;
}

static void lose(stages *s, double least) { s->lost = least < s->lost ? least : s->lost; }

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static size_t hash(const stages *s, const uint64_t *set) {
  uint64_t h = 0;
  for (size_t w = 0; w < s->words; ++w) {
    h = (h ^ set[w]) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
  }
  return (size_t)h & (s->table_size - 1);
}

// Where the set is in the table, or belongs.
static size_t *place_of(const stages *s, const uint64_t *set) {
  size_t at = hash(s, set);
  while (s->table[at] > 0 && memcmp(&s->next.bits[s->next.items[s->table[at] - 1].bits], set,
                                    s->words * sizeof *set) != 0)
    at = (at + 1) & (s->table_size - 1);
  return &s->table[at];
}

static bool grow_table(stages *s) {
  if (2 * (s->next.count + 1) <= s->table_size)
    return true;
  free(s->table);
  s->table_size = s->table_size > 0 ? 2 * s->table_size : FIRST_TABLE;
  s->table = calloc(s->table_size, sizeof *s->table);
  for (size_t i = 0; s->table && i < s->next.count; ++i)
    *place_of(s, &s->next.bits[s->next.items[i].bits]) = i + 1;
  return s->table;
}

static bool append(stages *s, states *to, state new, const uint64_t *set) {
  new.bits = to->bit_count;
  while (to->bit_room < new.bits + s->words)
    if (!STOW_STREAM_ROOM(to->bits, to->bit_room, to->bit_room))
      return false;
  if (!STOW_STREAM_ROOM(to->items, to->count, to->room))
    return false;
  memcpy(&to->bits[new.bits], set, s->words * sizeof *set);
  to->items[to->count++] = new;
  to->bit_count += s->words;
  return true;
}

// A state behind the node.
static void reach(stages *s, const uint64_t *set, uint64_t cost) {
  s->walk->effort += s->words;
  if (!grow_table(s)) {
    s->no_memory = true;
    return;
  }
  size_t *place = place_of(s, set);
  if (*place > 0) {
    state *same = &s->next.items[*place - 1];
    same->cost = cost < same->cost ? cost : same->cost;
  } else {
    *place = s->next.count + 1;
    s->no_memory = !append(s, &s->next, (state){.cost = cost}, set);
  }
}

//===----------------------------------------------------------------------===//
// From a state to the next
//===----------------------------------------------------------------------===//

// Takes the missing sources of a memory that is computed at the node out of the set, and puts them
// on the path. How many there were.
static size_t take_sources(stages *s, uint64_t *set, size_t memory, size_t *count) {
  const stow_budget_problem *p = s->walk->problem;
  const stow_budget_writers writers = stow_budget_writers_at(s->walk, memory, s->node);
  const size_t before = *count;
  for (size_t v = 0; v < writers.count; ++v) {
    const stow_budget_node *n = &p->nodes[writers.nodes[v]];
    s->walk->effort += n->access_count;
    for (size_t a = 0; a < n->access_count; ++a)
      if (has(set, n->accesses[a].memory)) {
        take_out(set, n->accesses[a].memory);
        s->path[(*count)++] = n->accesses[a].memory;
      }
  }
  return *count - before;
}

// Renews what is on the path, and missing of what it is computed from. What cannot come anew at
// this node may have come at one before it, where something else was computed from it, too: it was
// missing in front of that one only, and what that cost is counted.
static void renew(stages *s, uint64_t *set, size_t count) {
  while (count > 0) {
    const size_t memory = s->path[--count];
    const bool copied = stow_budget_allows(s->walk, memory, s->node, STOW_BUDGET_SPILLED);
    if (!copied && !stow_budget_allows(s->walk, memory, s->node, STOW_BUDGET_COMPUTED))
      continue;
    put_in(s->renewed, memory);
    if (!copied)
      take_sources(s, set, memory, &count);
  }
}

static void renew_needed(stages *s, uint64_t *set) {
  const stow_budget_node *n = &s->walk->problem->nodes[s->node];
  size_t count = 0;
  memset(s->renewed, 0, s->words * sizeof *s->renewed);
  for (size_t a = 0; a < n->access_count; ++a)
    if (has(set, n->accesses[a].memory)) {
      take_out(set, n->accesses[a].memory);
      s->path[count++] = n->accesses[a].memory;
    }
  renew(s, set, count);
}

static bool waits(const stages *s, const gap *g) { return s->node < g->end; }

static void lessen(const stages *s, need *n, const gap *g, int64_t sign) {
  n->at_run -= waits(s, g) ? sign * (int64_t)g->bytes : 0;
  n->at_again -= sign * (int64_t)g->bytes;
}

static bool is_met(need n) { return n.at_run <= 0 && n.at_again <= 0; }

// Whether all that are chosen are needed.
static bool is_minimal(const stages *s, size_t count, need n) {
  for (size_t i = 0; i < count; ++i) {
    need without = n;
    lessen(s, &without, s->waits[s->chosen[i]], -1);
    if (is_met(without))
      return false;
  }
  return true;
}

static double added(const stages *s, const gap *g) {
  return (double)g->price - (waits(s, g) ? s->spared[g->memory] : 0);
}

static bool may_choose(const stages *s, const uint64_t *set, const gap *g, need n) {
  return waits(s, g) ? !has(set, g->memory) : n.at_again > 0 && !has(s->renewed, g->memory);
}

// All ways in which so many bytes more are missing. Where the effort is used up, the set is left as
// it is then.
static void go_without(stages *s, uint64_t *set, uint64_t cost, need n) {
  const double first = least_of(s, set, cost);
  double least = first;
  size_t count = 0, at = 0;
  for (;;) {
    if (s->walk->effort > s->limit) {
      lose(s, first);
      return;
    }
    const bool hopeless = is_hopeless(s, cost, least);
    if (!hopeless && is_met(n) && is_minimal(s, count, n))
      reach(s, set, cost);
    if (hopeless || is_met(n) || at == s->wait_count || s->no_memory) {
      if (count == 0)
        return;
      at = s->chosen[--count];
      const gap *last = s->waits[at++];
      if (waits(s, last))
        take_out(set, last->memory);
      cost -= last->price;
      least -= added(s, last);
      lessen(s, &n, last, -1);
      continue;
    }
    const gap *it = s->waits[at];
    ++s->walk->effort;
    if (may_choose(s, set, it, n)) {
      s->chosen[count++] = at;
      if (waits(s, it))
        put_in(set, it->memory);
      cost += it->price;
      least += added(s, it);
      lessen(s, &n, it, 1);
    }
    ++at;
  }
}

// What a memory needs beside itself where it is computed: sources that have come anew, too, or that
// no node needs any more.
static uint64_t bytes_of_sources(stages *s, size_t memory) {
  const stow_budget_walk *w = s->walk;
  const stow_budget_writers writers = stow_budget_writers_at(w, memory, s->node);
  uint64_t bytes = 0;
  memset(s->reached, 0, s->words * sizeof *s->reached);
  for (size_t v = 0; v < writers.count; ++v) {
    const stow_budget_node *n = &w->problem->nodes[writers.nodes[v]];
    s->walk->effort += n->access_count;
    for (size_t a = 0; a < n->access_count; ++a) {
      const size_t source = n->accesses[a].memory;
      const bool counts = has(s->renewed, source) || has(s->over, source);
      if (source == memory || !counts || has(s->reached, source))
        continue;
      put_in(s->reached, source);
      bytes += w->problem->memories[source].bytes;
    }
  }
  return bytes;
}

// The most that is needed where one of the renewed memories is, beside what has not come anew.
static need need_of(stages *s, const uint64_t *set) {
  int64_t missing = 0, renewed = 0, most = INT64_MIN;
  for (size_t w = 0; w < s->words; ++w)
    for (uint64_t left = set[w]; left; left &= left - 1)
      missing += (int64_t)s->bytes[64 * w + (size_t)__builtin_ctzll(left)];
  for (size_t w = 0; w < s->words; ++w)
    for (uint64_t left = s->renewed[w]; left; left &= left - 1) {
      const size_t memory = 64 * w + (size_t)__builtin_ctzll(left);
      const int64_t bytes = (int64_t)s->walk->problem->memories[memory].bytes;
      const bool computed = !stow_budget_allows(s->walk, memory, s->node, STOW_BUDGET_SPILLED);
      const int64_t with = bytes + (computed ? (int64_t)bytes_of_sources(s, memory) : 0);
      renewed += bytes;
      most = with > most ? with : most;
    }
  const int64_t capacity = (int64_t)s->capacity + missing;
  return (need){.at_run = (int64_t)s->walk->levels[s->node] - capacity,
                .at_again = most == INT64_MIN ? 0 : (int64_t)s->before - renewed + most - capacity};
}

// What it costs that a memory comes anew at the node. Where it was missing that is counted already;
// after another one, it may have been, and come by a copy for that.
static uint64_t price_to_enable(const stages *s, const state *from, const enabler *it) {
  const bool may_have_come =
      from->tried > 0 && stow_budget_allows(s->walk, it->memory, s->node, STOW_BUDGET_SPILLED);
  return may_have_come || has(&s->now.bits[from->bits], it->memory) ? 0 : it->price;
}

// States in which what the node needs comes anew although it is there, or by nodes and not by a
// copy, so that what is missing may come before it is needed.
static void enable(stages *s, const state *from, double least) {
  for (size_t e = from->tried; e < s->enabler_count && !s->no_memory; ++e) {
    const enabler *it = &s->enablers[e];
    ++s->walk->effort;
    const uint64_t price = price_to_enable(s, from, it);
    size_t count = 0;
    memcpy(s->less, s->set, s->words * sizeof *s->less);
    if (has(s->set, it->memory) || is_hopeless(s, from->cost + price, least + (double)price) ||
        take_sources(s, s->less, it->memory, &count) == 0)
      continue;
    renew(s, s->less, count);
    state new = {.cost = from->cost + price, .tried = e + 1};
    new.least = least_of(s, s->less, new.cost);
    s->no_memory = !append(s, &s->now, new, s->less);
  }
}

static void follow(stages *s, size_t at) {
  const state from = s->now.items[at];
  memcpy(s->set, &s->now.bits[from.bits], s->words * sizeof *s->set);
  renew_needed(s, s->set);
  const double least = least_of(s, s->set, from.cost);
  go_without(s, s->set, from.cost, need_of(s, s->set));
  if (s->walk->effort > s->limit)
    lose(s, least);
  else
    enable(s, &from, least);
}

static int by_least(const void *left, const void *right) {
  const state *a = left, *b = right;
  if (a->least != b->least)
    return a->least < b->least ? -1 : 1;
  return (a->bits > b->bits) - (a->bits < b->bits);
}

// Follows the states in front of a node, the cheapest first, as far as the effort goes.
static void pass(stages *s, uint64_t effort) {
  size_t count = 0;
  s->limit = s->walk->effort + effort;
  for (size_t i = 0; i < s->now.count; ++i) {
    state *it = &s->now.items[i];
    it->least = least_of(s, &s->now.bits[it->bits], it->cost);
    if (!is_hopeless(s, it->cost, it->least))
      s->now.items[count++] = *it;
  }
  s->now.count = count;
  if (count > 0)
    qsort(s->now.items, count, sizeof *s->now.items, by_least);
  for (size_t i = 0; i < s->now.count && !s->no_memory; ++i)
    if (s->walk->effort < s->limit)
      follow(s, i);
    else
      lose(s, s->now.items[i].least);
}

// Where the effort is used up, no states are left.
static void follow_all(stages *s, uint64_t limit) {
  const size_t nodes = s->walk->problem->node_count;
  size_t full = 1; // nodes at which memories must be missing
  for (size_t i = 0; i < nodes; ++i)
    full += excess_at(s, i) > 0;
  s->no_memory = !append(s, &s->now, (state){0}, s->set);
  for (size_t i = 0; i < nodes && s->now.count > 0 && !s->no_memory; ++i) {
    enter(s, i);
    pass(s, limit > s->walk->effort ? 2 * ((limit - s->walk->effort) / full) : 0);
    full -= excess_at(s, i) > 0;
    const states done = s->now;
    s->now = s->next;
    s->next = done;
    s->next.count = s->next.bit_count = 0;
    if (s->table)
      memset(s->table, 0, s->table_size * sizeof *s->table);
    s->walk->effort += s->table_size / 16;
  }
  for (size_t i = 0; i < s->now.count; ++i)
    s->least = s->now.items[i].cost < s->least ? s->now.items[i].cost : s->least;
}

static bool begin(stages *s) {
  const stow_budget_problem *p = s->walk->problem;
  const size_t memories = p->memory_count + 1, nodes = p->node_count + 1;
  s->words = memories / 64 + 1;
  s->rates = calloc(nodes, sizeof *s->rates);
  s->tried = calloc(nodes, sizeof *s->tried);
  s->sums = calloc(nodes, sizeof *s->sums);
  s->slopes = calloc(nodes, sizeof *s->slopes);
  s->waits = calloc(2 * memories, sizeof(gap *));
  s->touched = calloc(memories, sizeof *s->touched);
  s->over = calloc(s->words, sizeof *s->over);
  s->renewed = calloc(s->words, sizeof *s->renewed);
  s->spared = calloc(memories, sizeof *s->spared);
  s->bytes = calloc(memories, sizeof *s->bytes);
  s->enablers = calloc(memories, sizeof *s->enablers);
  s->set = calloc(s->words, sizeof *s->set);
  s->less = calloc(s->words, sizeof *s->less);
  s->reached = calloc(s->words, sizeof *s->reached);
  s->path = calloc(memories, sizeof *s->path);
  s->chosen = calloc(2 * memories, sizeof *s->chosen);
  return s->touched && s->over && s->renewed && s->rates && s->tried && s->sums && s->slopes &&
         s->waits && s->spared && s->bytes && s->enablers && s->set && s->less && s->reached &&
         s->path && s->chosen && find_gaps(s);
}

static void end(stages *s) {
  void *const all[] = {s->gaps,      s->rates,    s->tried,      s->sums,    s->slopes,
                       s->now.items, s->now.bits, s->next.items, s->table,   s->next.bits,
                       s->waits,     s->spared,   s->bytes,      s->set,     s->path,
                       s->chosen,    s->enablers, s->less,       s->reached, s->touched,
                       s->renewed,   s->over};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
}

bool stow_budget_bound_stages(stow_budget_walk *walk, uint64_t capacity, uint64_t best,
                              uint64_t effort, uint64_t *out_bound) {
  stages s = {.walk = walk, .capacity = capacity, .best = best, .lost = 1e300, .least = best};
  bool done = begin(&s);
  assert(best < UINT64_MAX); // the rates move by what is missing from it
  if (done) {
    const uint64_t limit = walk->effort + effort;
    find_rates(&s, effort);
    follow_all(&s, limit);
    done = !s.no_memory;
    *out_bound = s.lost * CERTAIN < (double)s.least ? (uint64_t)(s.lost * CERTAIN) : s.least;
  }
  end(&s);
  return done;
}
