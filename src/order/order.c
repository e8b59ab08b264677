//===- order.c - an order of nodes that needs the fewest bytes ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simple orders first. Then the graph is cut at the nodes that are before or after every
// other one: what lies between two of them has a problem of its own, and the worst of
// these has the peak of all. Where a part was too much to search, windows around the peak
// are searched as problems of their own, until none makes it lower.
//
//===----------------------------------------------------------------------===//

#include "order/limits.h"
#include "order/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
  size_t first, end;
  uint64_t peak;
} part;

typedef struct finder {
  const stow_order_problem *problem;
  stow_order_problem reduced; // without edges that others imply
  stow_order_graph graph;
  stow_order_memory memory;
  size_t words;
  uint64_t *before, *after; // per node: all that come before and after it; NULL: not known
  bool chained;             // modules are chains already
  size_t *users;            // room for a number per buffer
  size_t *tried;            // room for two orders
  uint64_t *levels;         // at each place of the order that was looked at last
  uint64_t effort;          // left
  stow_order *best;
} finder;

//===----------------------------------------------------------------------===//
// Simple orders
//===----------------------------------------------------------------------===//

// The place of the highest level of `levels` from `first` on, the first such.
static size_t highest(const uint64_t *levels, size_t first, size_t end) {
  size_t at = first;
  for (size_t i = first; i < end; ++i)
    at = levels[i] > levels[at] ? i : at;
  return at;
}

static uint64_t peak_of(finder *f, const size_t *nodes) {
  if (f->graph.count == 0)
    return 0;
  stow_order_levels(&f->graph, nodes, f->users, f->levels);
  return f->levels[highest(f->levels, 0, f->graph.count)];
}

static void take(finder *f, const size_t *nodes, uint64_t peak) {
  if (peak >= f->best->peak)
    return;
  memcpy(f->best->nodes, nodes, f->graph.count * sizeof *nodes);
  f->best->peak = peak;
}

static bool try_simple(finder *f) {
  for (size_t i = 0; i < f->graph.count; ++i)
    f->best->nodes[i] = i;
  f->best->given = f->best->peak = peak_of(f, f->best->nodes);
  if (!stow_order_post_order(&f->graph, &f->memory, f->tried))
    return false;
  f->best->post_order = peak_of(f, f->tried);
  take(f, f->tried, f->best->post_order);
  if (!stow_order_greedy(&f->graph, &f->memory, f->tried))
    return false;
  take(f, f->tried, peak_of(f, f->tried));
  return true;
}

//===----------------------------------------------------------------------===//
// What every order has alive
//===----------------------------------------------------------------------===//

static bool relate(finder *f) {
  const stow_order_graph *g = &f->graph;
  f->words = (g->count + 63) / 64;
  if (g->count > STOW_ORDER_MOST_RELATED)
    return true;
  f->before = stow_order_take(&f->memory, g->count * f->words, sizeof *f->before);
  f->after = stow_order_take(&f->memory, g->count * f->words, sizeof *f->after);
  if (!f->before || !f->after)
    return false;
  for (size_t i = 0; i < g->count; ++i)
    STOW_ORDER_EACH(from, g->before, i) {
      stow_order_set_join(f->before + i * f->words, f->before + from * f->words, f->words);
      stow_order_set_add(f->before + i * f->words, from);
    }
  for (size_t i = g->count; i-- > 0;)
    STOW_ORDER_EACH(to, g->after, i) {
      stow_order_set_join(f->after + i * f->words, f->after + to * f->words, f->words);
      stow_order_set_add(f->after + i * f->words, to);
    }
  return true;
}

// Leaves out the edges that others imply, so that what a node needs is what it waits for last.
static bool reduce(finder *f) {
  const stow_order_graph *g = &f->graph;
  f->reduced = *f->problem;
  if (!f->before)
    return true;
  stow_order_edge *edges = stow_order_take(&f->memory, f->problem->edge_count, sizeof *edges);
  uint64_t *implied = stow_order_take(&f->memory, f->words, sizeof *implied);
  if (!edges || !implied)
    return false;
  f->reduced.edges = edges;
  f->reduced.edge_count = 0;
  for (size_t i = 0; i < g->count; ++i) {
    memset(implied, 0, f->words * sizeof *implied);
    STOW_ORDER_EACH(e, g->before, i)
      stow_order_set_join(implied, f->before + e * f->words, f->words);
    STOW_ORDER_EACH(from, g->before, i) {
      if (!stow_order_set_has(implied, from))
        edges[f->reduced.edge_count++] = (stow_order_edge){from, i};
      stow_order_set_add(implied, from);
    }
  }
  return stow_order_read(&f->reduced, &f->memory, &f->graph);
}

// Nodes that surely run while or after a buffer is first used, and while or before it is last used.
static void surely_alive(const finder *f, const stow_order_buffer *b, uint64_t *late,
                         uint64_t *early) {
  memset(late, b->from_start ? 0xff : 0, f->words * sizeof *late);
  memset(early, b->to_end ? 0xff : 0, f->words * sizeof *early);
  for (size_t i = 0; i < b->user_count; ++i) {
    const size_t user = b->users[i];
    stow_order_set_add(late, user);
    stow_order_set_add(early, user);
    if (!f->before)
      continue;
    stow_order_set_join(late, f->after + user * f->words, f->words);
    stow_order_set_join(early, f->before + user * f->words, f->words);
  }
}

// No order has fewer bytes alive than those that every order has while some node runs.
static bool set_bound(finder *f) {
  const stow_order_problem *p = f->problem;
  uint64_t *alive = stow_order_take(&f->memory, f->graph.count, sizeof *alive);
  uint64_t *late = stow_order_take(&f->memory, f->words, sizeof *late);
  uint64_t *early = stow_order_take(&f->memory, f->words, sizeof *early);
  if (!alive || !late || !early)
    return false;
  for (size_t i = 0; i < f->graph.count; ++i)
    alive[i] = stow_order_inside(p, i);
  for (size_t b = 0; b < p->buffer_count; ++b) {
    surely_alive(f, &p->buffers[b], late, early);
    for (size_t w = 0; w < f->words; ++w)
      for (uint64_t both = late[w] & early[w]; both != 0; both &= both - 1) {
        const size_t node = w * 64 + (size_t)__builtin_ctzll(both);
        if (node < f->graph.count)
          alive[node] += p->buffers[b].bytes;
      }
  }
  for (size_t i = 0; i < f->graph.count; ++i)
    f->best->bound = alive[i] > f->best->bound ? alive[i] : f->best->bound;
  return true;
}

//===----------------------------------------------------------------------===//
// Parts of the best order
//===----------------------------------------------------------------------===//

// The same from the end, where the search from the front proved nothing.
static bool search_back(finder *f, part at, uint64_t base, uint64_t effort,
                        stow_order_memory *memory, stow_order_problem *own, stow_order_found *out) {
  const size_t count = at.end - at.first;
  const uint64_t limit = out->any ? out->peak : at.peak, used = out->effort;
  size_t *nodes = f->tried + count; // behind the order that was found
  stow_order_found back;
  if (!stow_order_reverse(own, memory) ||
      !stow_order_search(own, base, out->bound, limit, effort, nodes, &back))
    return false;
  for (size_t i = 0; i < count && back.any; ++i)
    f->tried[i] = count - 1 - nodes[count - 1 - i];
  out->any |= back.any;
  out->peak = back.any ? back.peak : out->peak;
  out->bound = back.bound > out->bound ? back.bound : out->bound;
  out->effort = used + back.effort;
  return true;
}

// Looks for a better order of nodes [first, end) of the best order. False: no memory.
static bool search_part(finder *f, part at, uint64_t effort, stow_order_found *out) {
  stow_order_memory memory = {NULL};
  stow_order_problem own;
  uint64_t base;
  size_t *nodes = f->best->nodes + at.first, count = at.end - at.first;
  bool ok = stow_order_part_of(&f->graph, f->best->nodes, at.first, at.end, &memory, &own, &base) &&
            stow_order_search(&own, base, f->best->bound, at.peak, effort, f->tried, out);
  if (ok && out->bound < (out->any ? out->peak : at.peak))
    ok = search_back(f, at, base, effort / 2, &memory, &own, out);
  if (ok && out->any) {
    for (size_t i = 0; i < count; ++i)
      f->tried[i] = nodes[f->tried[i]];
    memcpy(nodes, f->tried, count * sizeof *nodes);
  }
  if (ok)
    f->effort -= out->effort < f->effort ? out->effort : f->effort;
  stow_order_give_back(&memory);
  return ok;
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

// Whether every other node is before or after this one. It has one place in all orders then.
static bool is_cut(const finder *f, size_t node) {
  return f->before && stow_order_set_size(f->before + node * f->words, f->words) +
                              stow_order_set_size(f->after + node * f->words, f->words) + 1 ==
                          f->graph.count;
}

static size_t list_parts(const finder *f, part *parts) {
  size_t count = 0, first = 0;
  for (size_t i = 0; i <= f->graph.count; ++i) {
    if (i < f->graph.count && !is_cut(f, f->best->nodes[i]))
      continue;
    if (i > first + 1)
      parts[count++] = (part){first, i, f->levels[highest(f->levels, first, i)]};
    first = i + 1;
  }
  return count;
}

static int highest_first(const void *left, const void *right) {
  const part *a = left, *b = right;
  if (a->peak != b->peak)
    return a->peak > b->peak ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

static bool search_parts(finder *f) {
  part *parts = stow_order_take(&f->memory, f->graph.count, sizeof *parts);
  if (!parts)
    return false;
  peak_of(f, f->best->nodes);
  const size_t count = list_parts(f, parts);
  if (count > 1)
    qsort(parts, count, sizeof *parts, highest_first);
  for (size_t i = 0; i < count && parts[i].peak > f->best->bound; ++i) {
    stow_order_found found;
    if (!search_part(f, parts[i], f->effort / 2, &found))
      return false;
    f->best->bound = found.bound > f->best->bound ? found.bound : f->best->bound;
  }
  f->best->peak = peak_of(f, f->best->nodes);
  return true;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

// Whether a window of that size around the peak has a better order.
static bool search_window(finder *f, size_t size, bool *out_better) {
  const size_t count = f->graph.count;
  const uint64_t peak = peak_of(f, f->best->nodes);
  const size_t where = highest(f->levels, 0, count);
  const size_t first = where > size / 2 ? where - size / 2 : 0;
  const size_t end = first + size < count ? first + size : count;
  stow_order_found found;
  if (!search_part(f, (part){first, end, peak}, f->effort / 8, &found))
    return false;
  *out_better = found.any;
  return true;
}

static bool search_windows(finder *f) {
  bool better = true;
  while (better && f->effort > 1000 && f->best->peak > f->best->bound) {
    better = false;
    for (size_t size = STOW_ORDER_LEAST_WINDOW; size <= STOW_ORDER_MOST_WINDOW && !better;
         size *= 2)
      if (!search_window(f, size, &better))
        return false;
    f->best->peak = peak_of(f, f->best->nodes);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static bool find(finder *f);

// Searches the nodes in `order`, where modules are chains.
static bool find_chained(finder *f, const size_t *order, const size_t *next) {
  stow_order_problem chained;
  uint64_t base;
  const size_t n = f->graph.count;
  stow_order best = {.nodes = stow_order_take(&f->memory, n, sizeof *best.nodes)};
  finder inner = {.problem = &chained, .effort = f->effort, .chained = true, .best = &best};
  bool ok = best.nodes && stow_order_part_of(&f->graph, order, 0, n, &f->memory, &chained, &base) &&
            stow_order_add_chains(order, n, next, f->tried, &f->memory, &chained) && find(&inner);
  stow_order_give_back(&inner.memory);
  if (!ok)
    return false;
  f->effort = inner.effort;
  for (size_t i = 0; i < n; ++i)
    f->tried[i] = order[best.nodes[i]];
  take(f, f->tried, base + best.peak);
  f->best->bound = base + best.bound > f->best->bound ? base + best.bound : f->best->bound;
  return true;
}

static bool chain_and_find(finder *f, bool *out_any) {
  const size_t n = f->graph.count;
  *out_any = false;
  if (f->chained || !f->before || n > STOW_ORDER_MOST_CHAINED)
    return true;
  size_t count, *order = stow_order_take(&f->memory, n, sizeof *order),
                *next = stow_order_take(&f->memory, n, sizeof *next);
  const stow_order_relations relations = {f->words, f->before, f->after};
  uint64_t share = f->effort / 4;
  const uint64_t given = share;
  if (!order || !next ||
      !stow_order_chain_modules(&f->graph, &relations, &f->memory, &share, order, next, &count))
    return false;
  f->effort -= given - share;
  *out_any = count > 0;
  return count == 0 || find_chained(f, order, next);
}

static bool find(finder *f) {
  if (!stow_order_read(f->problem, &f->memory, &f->graph))
    return false;
  f->users = stow_order_take(&f->memory, f->problem->buffer_count, sizeof *f->users);
  f->tried = stow_order_take(&f->memory, 2 * f->graph.count, sizeof *f->tried);
  f->levels = stow_order_take(&f->memory, f->graph.count, sizeof *f->levels);
  if (!f->users || !f->tried || !f->levels || !relate(f) || !reduce(f) || !try_simple(f) ||
      !set_bound(f))
    return false;
  if (f->best->peak == f->best->bound)
    return true;
  bool any;
  return chain_and_find(f, &any) && (any || search_parts(f)) && search_windows(f);
}

// Where nothing is gained the order stays as it is given.
static void settle(stow_order *order, size_t count) {
  for (size_t i = 0; i < count && order->peak == order->given; ++i)
    order->nodes[i] = i;
}

bool stow_order_find(const stow_order_problem *problem, const stow_order_options *options,
                     stow_order *out_order) {
  const uint64_t asked = options ? options->max_effort : 0;
  const uint64_t effort = asked == 0 ? STOW_ORDER_EFFORT : asked;
  *out_order = (stow_order){.nodes = calloc(problem->node_count + 1, sizeof *out_order->nodes)};
  finder f = {.problem = problem, .effort = effort, .best = out_order};
  const bool ok = out_order->nodes && find(&f);
  out_order->effort = effort - f.effort;
  if (ok)
    settle(out_order, problem->node_count);
  stow_order_give_back(&f.memory);
  assert(!ok || stow_order_verify(problem, out_order->nodes, out_order->peak) == STOW_ORDER_HOLDS);
  return ok;
}

void stow_order_free(stow_order *order) {
  free(order->nodes);
  *order = (stow_order){0};
}
