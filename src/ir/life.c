//===- life.c - how long buffers live, and how they escape ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/life.h"

#include <stdlib.h>

static const stow_life NOTHING = {.begin = INT64_MAX,
                                  .end = INT64_MIN,
                                  .escape = -1,
                                  .returned = -1,
                                  .carried = -1,
                                  .outermost = INT32_MAX,
                                  .free = -1};

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

static int32_t first_of(int32_t a, int32_t b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

static int32_t outer_nest(const stow_flow *flow, int32_t a, int32_t b) {
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return flow->nests.at[b].depth < flow->nests.at[a].depth ? b : a;
}

static int32_t free_depth(const stow_flow *flow, int32_t free) {
  return flow->blocks.at[flow->blocks.at[flow->frees.at[free].block].once].depth;
}

static int32_t outer_free(const stow_flow *flow, int32_t a, int32_t b) {
  if (a < 0 || b < 0 || a == b)
    return a < 0 ? b : a;
  int32_t depth_a = free_depth(flow, a), depth_b = free_depth(flow, b);
  return depth_b < depth_a || (depth_b == depth_a && b < a) ? b : a;
}

static void cover(stow_life *life, int64_t begin, int64_t end) {
  life->begin = begin < life->begin ? begin : life->begin;
  life->end = end > life->end ? end : life->end;
}

static void join(const stow_flow *flow, stow_life *life, const stow_life *other) {
  cover(life, other->begin, other->end);
  life->handed = other->handed > life->handed ? other->handed : life->handed;
  life->escape = first_of(life->escape, other->escape);
  life->returned = first_of(life->returned, other->returned);
  life->carried = outer_nest(flow, life->carried, other->carried);
  life->outermost = other->outermost < life->outermost ? other->outermost : life->outermost;
  life->free = outer_free(flow, life->free, other->free);
  life->fills_loop |= other->fills_loop;
  life->alignment = other->alignment > life->alignment ? other->alignment : life->alignment;
}

//===----------------------------------------------------------------------===//
// Lifting
//===----------------------------------------------------------------------===//

// What a life becomes on the way out of one nest.
static void leave(const stow_nest *nest, stow_life *life) {
  if (nest->flags & STOW_NEST_OPAQUE)
    life->escape = first_of(life->escape, nest->escape);
  if (!(nest->flags & STOW_NEST_REPEATS) || life->begin > life->end)
    return;
  cover(life, nest->begin, nest->end);
  life->fills_loop |= (nest->flags & STOW_NEST_BLOCKS) != 0;
}

// Lifts a life that is true in nest `from` to nest `to`.
static void lift(const stow_flow *flow, int32_t from, int32_t to, stow_life *life) {
  while (from != to && from >= 0) {
    int32_t up = flow->nests.at[from].depth;
    int32_t target = flow->nests.at[to].depth;
    if (up >= target) {
      leave(&flow->nests.at[from], life);
      from = flow->nests.at[from].parent;
    }
    if (up <= target)
      to = flow->nests.at[to].parent;
  }
}

//===----------------------------------------------------------------------===//
// The fixpoint
//===----------------------------------------------------------------------===//

// What each value knows of itself.
static stow_life *own_lives(const stow_flow *flow) {
  stow_life *lives = stow_ir_allocate(flow->values.count, sizeof *lives);
  for (size_t i = 0; i < flow->values.count; ++i) {
    lives[i] = NOTHING;
    lives[i].alignment = flow->values.at[i].alignment;
    lives[i].outermost =
        flow->nests.at[flow->scopes.at[flow->nests.at[flow->values.at[i].nest].scope].nest].depth;
  }
  STOW_EACH(const stow_use, use, flow->uses) {
    stow_life touched = NOTHING;
    cover(&touched, use->begin, use->end);
    lift(flow, use->nest, flow->values.at[use->value].nest, &touched);
    join(flow, &lives[use->value], &touched);
  }
  for (size_t i = 0; i < flow->edges.count; ++i) {
    stow_life handed = NOTHING;
    handed.handed = flow->edges.at[i].position + 1;
    join(flow, &lives[flow->edges.at[i].from], &handed);
  }
  for (size_t i = 0; i < flow->frees.count; ++i) {
    stow_life freed = NOTHING;
    freed.free = (int32_t)i;
    join(flow, &lives[flow->frees.at[i].value], &freed);
  }
  for (size_t i = 0; i < flow->escapes.count; ++i) {
    const stow_escape *escape = &flow->escapes.at[i];
    if (escape->value < 0)
      continue;
    stow_life gone = NOTHING;
    *(escape->reason == STOW_RETURNED ? &gone.returned : &gone.escape) = (int32_t)i;
    join(flow, &lives[escape->value], &gone);
  }
  return lives;
}

// Adds what one edge brings to its source. Of the loops that a value may be carried around, only
// those that contain it matter: to come back to a loop it has left it must go around an outer one.
static void follow_edge(const stow_flow *flow, stow_life *lives, const stow_edge *edge) {
  stow_life life = lives[edge->to];
  int32_t nest = flow->values.at[edge->from].nest;
  lift(flow, flow->values.at[edge->to].nest, nest, &life);
  if (edge->carried >= 0) {
    const stow_nest *loop = &flow->nests.at[edge->carried];
    cover(&life, loop->begin, loop->end);
    life.fills_loop |= (loop->flags & STOW_NEST_BLOCKS) != 0;
    life.carried = outer_nest(flow, life.carried, edge->carried);
  }
  if (life.carried >= 0 && !stow_nest_holds(flow, life.carried, nest))
    life.carried = -1;
  join(flow, &lives[edge->from], &life);
}

// All values of a cycle get the same life. Each cycle goes around a loop that contains all of its
// values. The life includes that loop's range, so values of the cycle need not be lifted.
static void live_cycle(const stow_flow *flow, const stow_index *edges, const int32_t *members,
                       int32_t count, stow_life *lives) {
  stow_life all = NOTHING;
  for (int32_t m = 0; m < count; ++m) {
    STOW_EACH_OF(e, *edges, members[m])
      follow_edge(flow, lives, &flow->edges.at[e]);
    join(flow, &all, &lives[members[m]]);
  }
  for (int32_t m = 0; m < count; ++m)
    lives[members[m]] = all;
}

stow_life *stow_ir_live(const stow_flow *flow) {
  stow_life *lives = own_lives(flow);
  stow_index edges =
      stow_index_of(STOW_COLUMN(flow->edges.at, flow->edges.count, from), flow->values.count);
  stow_components components = stow_components_of(&flow->targets, flow->values.count);
  for (int32_t c = 0; c < components.count; ++c)
    live_cycle(flow, &edges, components.members + components.first[c],
               components.first[c + 1] - components.first[c], lives);
  stow_components_free(&components);
  stow_index_free(&edges);
  return lives;
}
