//===- simple.c - orders that cost next to nothing ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a graph without cycles. Computes two orders to begin with: post order, and greedily the
// node that leaves the fewest bytes among those that do not raise the peak.
//
//===----------------------------------------------------------------------===//

#include "order/graph.h"
#include "order/limits.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// Depth first
//===----------------------------------------------------------------------===//

typedef struct walk {
  const stow_order_graph *graph;
  bool *seen;
  size_t *stack, *next, height; // next: of each node, what it needs and was not looked at
  size_t *out, count;
} walk;

static void push(walk *w, size_t node) {
  w->seen[node] = true;
  w->next[node] = w->graph->before.first[node];
  w->stack[w->height++] = node;
}

static void visit(walk *w, size_t root) {
  push(w, root);
  while (w->height > 0) {
    const size_t node = w->stack[w->height - 1];
    if (w->next[node] == w->graph->before.first[node + 1]) {
      w->out[w->count++] = node;
      --w->height;
      continue;
    }
    const size_t needed = w->graph->before.items[w->next[node]++];
    if (!w->seen[needed])
      push(w, needed);
  }
}

bool stow_order_post_order(const stow_order_graph *g, stow_order_memory *memory,
                           size_t *out_nodes) {
  walk w = {.graph = g, .out = out_nodes};
  w.seen = stow_order_take(memory, g->count, sizeof *w.seen);
  w.stack = stow_order_take(memory, g->count, sizeof *w.stack);
  w.next = stow_order_take(memory, g->count, sizeof *w.next);
  if (!w.seen || !w.stack || !w.next)
    return false;
  for (size_t i = 0; i < g->count; ++i)
    if (g->after.first[i] == g->after.first[i + 1])
      visit(&w, i);
  assert(w.count == g->count);
  return true;
}

//===----------------------------------------------------------------------===//
// Greedy
//===----------------------------------------------------------------------===//

typedef struct scheduler {
  const stow_order_graph *graph;
  size_t *waits;              // per node: nodes before it that are not done
  size_t *users;              // per buffer: that are done
  size_t *ready, ready_count; //
  uint64_t level, peak;       //
} scheduler;

typedef struct effect {
  uint64_t peak, level; // while the node runs, and after it
} effect;

static effect effect_of(const scheduler *s, size_t node) {
  const stow_order_graph *g = s->graph;
  uint64_t born = 0, freed = 0;
  STOW_ORDER_EACH(b, g->touched, node) {
    const stow_order_buffer *buffer = &g->problem->buffers[b];
    born += s->users[b] == 0 && !buffer->from_start ? buffer->bytes : 0;
    freed += s->users[b] + 1 == buffer->user_count && !buffer->to_end ? buffer->bytes : 0;
  }
  const uint64_t high = s->level + born + stow_order_inside(g->problem, node);
  return (effect){high > s->peak ? high : s->peak, s->level + born - freed};
}

// Of those that leave no more bytes than before and do not raise the peak: any. Else the lowest
// peak, then the fewest bytes.
static size_t best_ready(const scheduler *s) {
  size_t best = 0;
  effect least = {UINT64_MAX, UINT64_MAX};
  for (size_t i = 0; i < s->ready_count && i < STOW_ORDER_MOST_READY; ++i) {
    const effect e = effect_of(s, s->ready[i]);
    if (e.peak == s->peak && e.level <= s->level)
      return i;
    const bool raises = e.peak > s->peak, raised = least.peak > s->peak;
    const bool better =
        raises != raised ? raised
        : raises && e.peak != least.peak
            ? e.peak < least.peak
            : e.level < least.level || (e.level == least.level && s->ready[i] < s->ready[best]);
    if (better) {
      best = i;
      least = e;
    }
  }
  return best;
}

static void run(scheduler *s, size_t at) {
  const stow_order_graph *g = s->graph;
  const size_t node = s->ready[at];
  const effect e = effect_of(s, node);
  s->level = e.level;
  s->peak = e.peak;
  s->ready[at] = s->ready[--s->ready_count];
  STOW_ORDER_EACH(t, g->touched, node)
    ++s->users[t];
  STOW_ORDER_EACH(i, g->after, node)
    if (--s->waits[i] == 0)
      s->ready[s->ready_count++] = i;
}

bool stow_order_greedy(const stow_order_graph *g, stow_order_memory *memory, size_t *out_nodes) {
  scheduler s = {.graph = g};
  s.waits = stow_order_take(memory, g->count, sizeof *s.waits);
  s.users = stow_order_take(memory, g->problem->buffer_count, sizeof *s.users);
  s.ready = stow_order_take(memory, g->count, sizeof *s.ready);
  if (!s.waits || !s.users || !s.ready)
    return false;
  for (size_t b = 0; b < g->problem->buffer_count; ++b)
    s.level += g->problem->buffers[b].from_start ? g->problem->buffers[b].bytes : 0;
  s.peak = s.level;
  for (size_t i = 0; i < g->count; ++i)
    if ((s.waits[i] = g->before.first[i + 1] - g->before.first[i]) == 0)
      s.ready[s.ready_count++] = i;
  for (size_t i = 0; i < g->count; ++i) {
    assert(s.ready_count > 0);
    const size_t at = best_ready(&s);
    out_nodes[i] = s.ready[at];
    run(&s, at);
  }
  return true;
}
