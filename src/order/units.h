//===- units.h - nodes that may as well run together ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *unit* is a sequence of nodes that run one right after the other. Invariant: some best order of
// the nodes is an order of the units. Each rule that joins two units, or orders them, preserves it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ORDER_UNITS_H
#define STOWAGE_ORDER_UNITS_H

#include "order/graph.h"

//===----------------------------------------------------------------------===//
// Sets of units
//===----------------------------------------------------------------------===//

static inline bool stow_order_set_has(const uint64_t *set, size_t i) {
  return set[i / 64] >> i % 64 & 1;
}
static inline void stow_order_set_add(uint64_t *set, size_t i) {
  set[i / 64] |= UINT64_C(1) << i % 64;
}
static inline void stow_order_set_drop(uint64_t *set, size_t i) {
  set[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static inline void stow_order_set_join(uint64_t *set, const uint64_t *with, size_t words) {
  for (size_t w = 0; w < words; ++w)
    set[w] |= with[w];
}

// Whether a, without `but`, is in b.
static inline bool stow_order_set_inside(const uint64_t *a, const uint64_t *b, size_t but,
                                         size_t words) {
  for (size_t w = 0; w < words; ++w) {
    const uint64_t drop = w == but / 64 ? UINT64_C(1) << but % 64 : 0;
    if (a[w] & ~drop & ~b[w])
      return false;
  }
  return true;
}

static inline size_t stow_order_set_size(const uint64_t *set, size_t words) {
  size_t size = 0;
  for (size_t w = 0; w < words; ++w)
    size += (size_t)__builtin_popcountll(set[w]);
  return size;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

// A buffer that a unit uses, from step `first` to `last` of its sequence.
typedef struct stow_order_use {
  size_t buffer, first, last;
} stow_order_use;

typedef struct stow_order_units {
  const stow_order_graph *graph;
  size_t count, words;    // units, and 64-bit words of a set of them
  size_t *nodes, *begins; // of unit u: nodes[begins[u]] up to but not nodes[begins[u + 1]]
  uint64_t *before;       // per unit, `words` each: all that must run before it
  uint64_t *users;        // per buffer, the same: who uses it
  stow_order_use *uses;   // by unit
  size_t *use_begins;     // count + 1
} stow_order_units;

// Units come in an order that keeps the edges. Takes steps off `effort`; at 0 units stay as they
// are. False: no memory.
bool stow_order_make_units(const stow_order_graph *graph, stow_order_memory *memory,
                           uint64_t *effort, stow_order_units *out_units);

//===----------------------------------------------------------------------===//
// search.c
//===----------------------------------------------------------------------===//

typedef struct stow_order_found {
  bool any;        // nodes holds an order whose peak is below the limit
  uint64_t peak;   // of it
  uint64_t bound;  // no order has a lower peak
  uint64_t effort; // steps taken
} stow_order_found;

// Looks for an order with a peak below `limit`, and is content with `enough`, which is a bound of
// some problem that this one is a part of. `base` is alive all the time. False: no memory.
bool stow_order_search(const stow_order_problem *problem, uint64_t base, uint64_t enough,
                       uint64_t limit, uint64_t effort, size_t *out_nodes,
                       stow_order_found *out_found);

// All nodes in an order that goes from valley to valley: the first `out_settled` of them stand so
// in some best order of any problem that this one is a module of (modules.c). Takes steps off
// `effort`; without `out_found` they did not do. False: no memory.
bool stow_order_walk(const stow_order_problem *problem, uint64_t *effort, size_t *out_nodes,
                     size_t *out_settled, bool *out_found);

//===----------------------------------------------------------------------===//
// modules.c
//===----------------------------------------------------------------------===//

// Per node, `words` each: the sets of all nodes that come before and after it.
typedef struct stow_order_relations {
  size_t words;
  uint64_t *before, *after;
} stow_order_relations;

// Makes chains of modules, inner ones first: some best order of all nodes keeps them. `out_order`
// is an order of all nodes with the chains, `out_next` is per node the one behind it in its chain,
// or SIZE_MAX. Takes steps off `effort`. False: no memory.
bool stow_order_chain_modules(const stow_order_graph *graph, const stow_order_relations *relations,
                              stow_order_memory *memory, uint64_t *effort, size_t *out_order,
                              size_t *out_next, size_t *out_chained);

// Adds the chains to a problem of these nodes, where node i is nodes[i]; `places` is room for a
// number per node of the whole. False: no memory.
bool stow_order_add_chains(const size_t *nodes, size_t count, const size_t *next, size_t *places,
                           stow_order_memory *memory, stow_order_problem *problem);

#endif // STOWAGE_ORDER_UNITS_H
