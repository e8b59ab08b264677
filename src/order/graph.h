//===- graph.h - a problem as lists by node -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all strategies read. All memory of a computation hangs on one stow_order_memory,
// so that a function that fails half way just returns.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ORDER_GRAPH_H
#define STOWAGE_ORDER_GRAPH_H

#include "stowage/order.h"

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

typedef struct stow_order_block stow_order_block;

// A zeroed one is empty.
typedef struct stow_order_memory {
  stow_order_block *blocks;
} stow_order_memory;

// Zeroed; NULL: no memory. Never NULL for a count of zero alone.
void *stow_order_take(stow_order_memory *memory, size_t count, size_t size);
void stow_order_give_back(stow_order_memory *memory);

//===----------------------------------------------------------------------===//
// graph.c
//===----------------------------------------------------------------------===//

// Of row i: items[first[i]] up to but not items[first[i + 1]].
typedef struct stow_order_rows {
  size_t *first, *items;
} stow_order_rows;

// Each item of a row, in order.
#define STOW_ORDER_EACH(item, rows, row)                                                           \
  for (size_t item##_at = (rows).first[row], item;                                                 \
       item##_at < (rows).first[(row) + 1] && (item = (rows).items[item##_at], true); ++item##_at)

typedef struct stow_order_graph {
  const stow_order_problem *problem;
  size_t count;                  // nodes
  stow_order_rows before, after; // by node: nodes; the same one may stand there twice
  stow_order_rows touched;       // by node: buffers
} stow_order_graph;

bool stow_order_read(const stow_order_problem *problem, stow_order_memory *memory,
                     stow_order_graph *out_graph);

static inline uint64_t stow_order_inside(const stow_order_problem *problem, size_t node) {
  return problem->inside ? problem->inside[node] : 0;
}

// The bytes alive while each node of an order runs; `users` is room for a number per buffer.
void stow_order_levels(const stow_order_graph *graph, const size_t *nodes, size_t *users,
                       uint64_t *out_levels);

// Nodes [first, end) of an order as a problem of their own, where node i is nodes[first + i], and
// the bytes that are alive all that time by buffers that they do not use.
bool stow_order_part_of(const stow_order_graph *graph, const size_t *nodes, size_t first,
                        size_t end, stow_order_memory *memory, stow_order_problem *out_problem,
                        uint64_t *out_base);

// The problem seen from the end: node i is the node that was i-th from the end, and each order is
// an order of the other problem, backwards, with the same peak. False: no memory.
bool stow_order_reverse(stow_order_problem *problem, stow_order_memory *memory);

//===----------------------------------------------------------------------===//
// simple.c: orders that cost next to nothing
//===----------------------------------------------------------------------===//

// What a node needs just before it, depth first.
bool stow_order_post_order(const stow_order_graph *graph, stow_order_memory *memory,
                           size_t *out_nodes);

// Always the node that leaves the fewest bytes, of those that do not raise the peak if there is
// one.
bool stow_order_greedy(const stow_order_graph *graph, stow_order_memory *memory, size_t *out_nodes);

#endif // STOWAGE_ORDER_GRAPH_H
