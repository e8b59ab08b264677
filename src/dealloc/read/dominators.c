//===- dominators.c - which stretches dominate others ---------------------===//
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
  int32_t *order;  // reachable stretches in postorder
  int32_t *number; // of each stretch in it, or -1
  int32_t *idom;   // by stretch
  int32_t *stack, *next;
  int32_t count;
} finder;

static void find_postorder(finder *f) {
  const stow_domain *domain = f->domain;
  int32_t height = 0;
  for (size_t s = 0; s < domain->stretches.count; ++s)
    f->number[s] = -1;
  f->stack[height++] = 0;
  domain->stretches.at[0].reachable = true;
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
    int32_t to = domain->paths.at[domain->leaving.items[p]].to;
    if (!domain->stretches.at[to].reachable) {
      domain->stretches.at[to].reachable = true;
      f->stack[height++] = to;
    }
  }
}

static void note_turns(const finder *f) {
  for (int32_t i = 0; i < f->count; ++i)
    f->domain->stretches.at[f->order[i]].turn = f->count - 1 - i;
}

static int32_t meet(const finder *f, int32_t a, int32_t b) {
  while (a != b)
    if (f->number[a] < f->number[b])
      a = f->idom[a];
    else
      b = f->idom[b];
  return a;
}

static int32_t immediate(const finder *f, int32_t stretch) {
  const stow_domain *domain = f->domain;
  int32_t found = -1;
  const stow_index *entering = &domain->entering;
  for (int32_t p = entering->first[stretch]; p < entering->first[stretch + 1]; ++p) {
    int32_t from = domain->paths.at[entering->items[p]].from;
    if (f->number[from] >= 0 && f->idom[from] >= 0)
      found = found < 0 ? from : meet(f, found, from);
  }
  return found;
}

static void iterate(finder *f) {
  for (size_t s = 0; s < f->domain->stretches.count; ++s)
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

// In reverse postorder a stretch comes after its dominator, so sizes of subtrees add up backwards
// and the intervals are dealt out forwards.
static void number_tree(finder *f) {
  stow_stretch *stretches = f->domain->stretches.at;
  int32_t *size = f->stack, *used = f->next;
  for (int32_t i = 0; i < f->count; ++i)
    size[f->order[i]] = 1, used[f->order[i]] = 0;
  for (int32_t i = 0; i < f->count - 1; ++i)
    size[f->idom[f->order[i]]] += size[f->order[i]];
  stretches[0].enter = 0;
  stretches[0].leave = size[0];
  for (int32_t i = f->count - 2; i >= 0; --i) {
    int32_t s = f->order[i], parent = f->idom[s];
    stretches[s].dominator = parent;
    stretches[s].enter = stretches[parent].enter + 1 + used[parent];
    stretches[s].leave = stretches[s].enter + size[s];
    used[parent] += size[s];
  }
}

void stow_find_dominators(stow_domain *domain) {
  size_t n = domain->stretches.count;
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
