//===- divide.c - costs in the largest unit that divides them all ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/divide.h"

#include <stdlib.h>

// What is paid: a node's cost where it may run again, that of an access and what is saved where the
// memory may lie elsewhere, a copy's where it may be spilled. All other costs are never paid.
static uint64_t paid_for_node(const stow_budget_node *n) { return n->repeatable ? n->cost : 0; }

static uint64_t paid_for_access(const stow_budget_problem *p, const stow_budget_access *a) {
  return p->memories[a->memory].placeable ? a->placed : 0;
}

static uint64_t paid_for_copy(const stow_budget_memory *m) { return m->spillable ? m->spill : 0; }

static uint64_t saved_by(const stow_budget_memory *m) { return m->placeable ? m->saved : 0; }

static uint64_t divisor_of(uint64_t a, uint64_t b) {
  while (b > 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// 0: nothing costs anything.
static uint64_t unit_of(const stow_budget_problem *p) {
  uint64_t unit = 0;
  for (size_t n = 0; n < p->node_count; ++n) {
    unit = divisor_of(unit, paid_for_node(&p->nodes[n]));
    for (size_t a = 0; a < p->nodes[n].access_count; ++a)
      unit = divisor_of(unit, paid_for_access(p, &p->nodes[n].accesses[a]));
  }
  for (size_t m = 0; m < p->memory_count; ++m)
    unit = divisor_of(divisor_of(unit, paid_for_copy(&p->memories[m])), saved_by(&p->memories[m]));
  return unit;
}

static size_t count_accesses(const stow_budget_problem *p) {
  size_t count = 0;
  for (size_t n = 0; n < p->node_count; ++n)
    count += p->nodes[n].access_count;
  return count;
}

static void fill(const stow_budget_problem *p, stow_budget_divided *d) {
  stow_budget_access *access = d->accesses;
  for (size_t n = 0; n < p->node_count; ++n) {
    const stow_budget_node *node = &p->nodes[n];
    d->nodes[n] = *node;
    d->nodes[n].cost /= d->unit;
    d->nodes[n].accesses = access;
    for (size_t a = 0; a < node->access_count; ++a, ++access) {
      *access = node->accesses[a];
      access->placed /= d->unit;
    }
  }
  for (size_t m = 0; m < p->memory_count; ++m) {
    d->memories[m] = p->memories[m];
    d->memories[m].spill /= d->unit;
    d->memories[m].saved = saved_by(&p->memories[m]) / d->unit;
  }
}

bool stow_budget_divide(const stow_budget_problem *p, stow_budget_divided *out) {
  *out = (stow_budget_divided){.problem = *p, .unit = unit_of(p)};
  if (out->unit <= 1) {
    out->unit = 1;
    return true;
  }
  out->nodes = malloc((p->node_count + 1) * sizeof *out->nodes);
  out->memories = malloc((p->memory_count + 1) * sizeof *out->memories);
  out->accesses = malloc((count_accesses(p) + 1) * sizeof *out->accesses);
  if (!out->nodes || !out->memories || !out->accesses)
    return false;
  fill(p, out);
  out->problem.nodes = out->nodes;
  out->problem.memories = out->memories;
  return true;
}

void stow_budget_divided_free(stow_budget_divided *d) {
  free(d->nodes);
  free(d->memories);
  free(d->accesses);
  *d = (stow_budget_divided){0};
}
