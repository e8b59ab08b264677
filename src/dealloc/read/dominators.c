//===- dominators.c - which segments dominate others ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cooper, Harvey and Kennedy's iteration over reverse postorder, then one walk over
// the tree that numbers it.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

typedef struct finder {
  stow_domain *domain;
  int32_t *order;  // reachable segments in postorder
  int32_t *number; // of each segment in it, or less than 0
  int32_t *idom;   // by segment
  int32_t *stack, *next;
  int32_t count;
} finder;

enum { UNSEEN = -2, OPEN = -1 };

static void find_postorder(finder *f) {
  const stow_domain *domain = f->domain;
  int32_t height = 0;
  for (size_t s = 0; s < domain->segments.count; ++s)
    f->number[s] = UNSEEN;
  f->stack[height++] = 0;
  f->number[0] = OPEN;
  while (height > 0) {
    int32_t s = f->stack[height - 1];
    int32_t p = domain->leaving.first[s] + f->next[s];
    if (p == domain->leaving.first[s + 1]) {
      f->number[s] = f->count;
      f->order[f->count++] = s;
      --height;
      continue;
    }
    ++f->next[s];
    int32_t to = domain->edges.at[domain->leaving.items[p]].to;
    if (f->number[to] == UNSEEN) {
      f->number[to] = OPEN;
      f->stack[height++] = to;
    }
  }
}

static void note_turns(const finder *f) {
  for (int32_t i = 0; i < f->count; ++i)
    f->domain->segments.at[f->order[i]].turn = f->count - 1 - i;
}

static int32_t meet(const finder *f, int32_t a, int32_t b) {
  while (a != b)
    if (f->number[a] < f->number[b])
      a = f->idom[a];
    else
      b = f->idom[b];
  return a;
}

static int32_t immediate(const finder *f, int32_t segment) {
  const stow_domain *domain = f->domain;
  int32_t found = -1;
  const stow_index *entering = &domain->entering;
  for (int32_t p = entering->first[segment]; p < entering->first[segment + 1]; ++p) {
    int32_t from = domain->edges.at[entering->items[p]].from;
    if (f->idom[from] >= 0)
      found = found < 0 ? from : meet(f, found, from);
  }
  return found;
}

static void iterate(finder *f) {
  for (size_t s = 0; s < f->domain->segments.count; ++s)
    f->idom[s] = -1;
  f->idom[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t i = f->count - 2; i >= 0; --i) {
      int32_t s = f->order[i], found = immediate(f, s);
      changed |= f->idom[s] != found;
      f->idom[s] = found;
    }
  }
}

// In reverse postorder a segment comes after its dominator, so sizes of subtrees add up backwards
// and intervals are given out forwards.
static void number_tree(finder *f) {
  stow_own_segment *segments = f->domain->segments.at;
  int32_t *size = f->stack, *used = f->next;
  for (int32_t i = 0; i < f->count; ++i)
    size[f->order[i]] = 1, used[f->order[i]] = 0;
  for (int32_t i = 0; i < f->count - 1; ++i)
    size[f->idom[f->order[i]]] += size[f->order[i]];
  segments[0].enter = 0;
  segments[0].leave = size[0];
  for (int32_t i = f->count - 2; i >= 0; --i) {
    int32_t s = f->order[i], parent = f->idom[s];
    segments[s].dominator = parent;
    segments[s].enter = segments[parent].enter + 1 + used[parent];
    segments[s].leave = segments[s].enter + size[s];
    used[parent] += size[s];
  }
}

void stow_find_dominators(stow_domain *domain) {
  size_t n = domain->segments.count;
  finder f = {.domain = domain,
              .order = stow_allocate(n, sizeof *f.order),
              .number = stow_allocate(n, sizeof *f.number),
              .idom = stow_allocate(n, sizeof *f.idom),
              .stack = stow_allocate(n, sizeof *f.stack),
              .next = stow_allocate(n, sizeof *f.next)};
  if (n > 0) {
    find_postorder(&f);
    note_turns(&f);
    iterate(&f);
    number_tree(&f);
  }
  free(f.order), free(f.number), free(f.idom), free(f.stack), free(f.next);
}
