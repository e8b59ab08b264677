//===- names.c - values that are the same memory ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/ranges.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Which values
//===----------------------------------------------------------------------===//

// Per value: the edge that alone makes it, or -1.
static int32_t *only_edges(const stow_flow *flow) {
  enum { NONE = -1, SEVERAL = -2 };
  int32_t *edge = stow_allocate(flow->values.count, sizeof *edge);
  for (size_t v = 0; v < flow->values.count; ++v)
    edge[v] = flow->values.at[v].alloc == STOW_NO_ALLOC ? NONE : SEVERAL;
  for (size_t e = 0; e < flow->edges.count; ++e)
    edge[flow->edges.at[e].to] =
        edge[flow->edges.at[e].to] == NONE && !flow->edges.at[e].control ? (int32_t)e : SEVERAL;
  for (size_t v = 0; v < flow->values.count; ++v)
    edge[v] = edge[v] == SEVERAL ? NONE : edge[v];
  return edge;
}

static int32_t *group_values(const stow_flow *flow) {
  int32_t *edge = only_edges(flow);
  int32_t *of_value = stow_allocate(flow->values.count, sizeof *of_value);
  for (size_t v = 0; v < flow->values.count; ++v)
    of_value[v] = edge[v] < 0 ? (int32_t)v : flow->edges.at[edge[v]].from;
  for (size_t v = 0; v < flow->values.count; ++v)
    of_value[v] = stow_leader(of_value, (int32_t)v);
  free(edge);
  return of_value;
}

//===----------------------------------------------------------------------===//
// What mentions them
//===----------------------------------------------------------------------===//

// What happens inside an atomic op happens all at once.
static void widen(const stow_flow *flow, int32_t nest, stow_name_mention *mention) {
  for (; nest >= 0; nest = flow->nests.at[nest].parent) {
    if (!(flow->nests.at[nest].flags & STOW_NEST_ATOMIC))
      continue;
    mention->begin = flow->nests.at[nest].begin;
    mention->end = flow->nests.at[nest].end;
  }
}

// What overwrites a buffer inside a scope that the buffer is not of may run several times at once:
// the one may still need what the other overwrites.
static stow_name_mention mention_of_use(const stow_flow *flow, const stow_use *use) {
  const stow_value *value = &flow->values.at[use->value];
  bool whole = value->alloc != STOW_NO_ALLOC;
  bool alone = flow->nests.at[use->nest].scope == flow->nests.at[value->nest].scope;
  stow_name_mention mention = {
      .begin = use->begin,
      .end = use->end,
      .touches = true,
      .overwrites = use->overwrites && whole && alone,
  };
  widen(flow, use->nest, &mention);
  return mention;
}

// An edge mentions its source where the target is touched later. A view is no mention; but a phi
// that is an operand of itself, around a loop, is one.
static bool is_mention(const stow_life *lives, const int32_t *of_value, const stow_edge *edge) {
  bool anew = edge->control || of_value[edge->to] != of_value[edge->from];
  return anew && lives[edge->to].begin < lives[edge->to].end;
}

static stow_name_mention mention_of_edge(const stow_flow *flow, const stow_edge *edge) {
  stow_name_mention mention = {.begin = edge->position,
                               .end = edge->position + 1,
                               .leaves = edge->control || flow->values.at[edge->to].argument};
  widen(flow, flow->values.at[edge->to].nest, &mention);
  return mention;
}

STOW_BY_FIELDS(compare_mentions, stow_name_mention, begin, end)

typedef struct sorting {
  const stow_flow *flow;
  const stow_life *lives;
  stow_names *names;
  int32_t *next; // per name: where its next mention goes
} sorting;

static bool is_named(const sorting *s, size_t edge) {
  return is_mention(s->lives, s->names->of_value, &s->flow->edges.at[edge]);
}

static int32_t name_of_use(const sorting *s, size_t use) {
  return s->names->of_value[s->flow->uses.at[use].value];
}

static int32_t name_of_edge(const sorting *s, size_t edge) {
  return s->names->of_value[s->flow->edges.at[edge].from];
}

// How many mentions each name has, and where they begin.
static void count_mentions(sorting *s) {
  const size_t count = s->flow->values.count;
  int32_t *first = s->names->first = stow_allocate(count + 1, sizeof *first);
  s->next = stow_allocate(count, sizeof *s->next);
  for (size_t u = 0; u < s->flow->uses.count; ++u)
    ++first[name_of_use(s, u) + 1];
  for (size_t e = 0; e < s->flow->edges.count; ++e)
    first[name_of_edge(s, e) + 1] += is_named(s, e);
  for (size_t v = 0; v < count; ++v) {
    s->next[v] = first[v];
    first[v + 1] += first[v];
  }
}

// Each name's in the order of the flow: its uses, then its edges.
static void list_mentions(sorting *s) {
  stow_names *names = s->names;
  names->mentions =
      stow_allocate((size_t)names->first[s->flow->values.count], sizeof *names->mentions);
  for (size_t u = 0; u < s->flow->uses.count; ++u)
    names->mentions[s->next[name_of_use(s, u)]++] = mention_of_use(s->flow, &s->flow->uses.at[u]);
  for (size_t e = 0; e < s->flow->edges.count; ++e)
    if (is_named(s, e))
      names->mentions[s->next[name_of_edge(s, e)]++] =
          mention_of_edge(s->flow, &s->flow->edges.at[e]);
}

stow_names stow_names_of(const stow_flow *flow, const stow_life *lives) {
  stow_names names = {.of_value = group_values(flow)};
  sorting s = {.flow = flow, .lives = lives, .names = &names};
  count_mentions(&s);
  list_mentions(&s);
  for (size_t v = 0; v < flow->values.count; ++v)
    stow_sort(names.mentions + names.first[v], (size_t)(names.first[v + 1] - names.first[v]),
              sizeof *names.mentions, compare_mentions);
  free(s.next);
  return names;
}

void stow_names_free(stow_names *names) {
  free(names->of_value), free(names->first), free(names->mentions);
  *names = (stow_names){0};
}
