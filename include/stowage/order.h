//===- stowage/order.h - an order of nodes that needs the fewest bytes ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WHAT. Nodes run one after the other, in any order that keeps the edges between them.
// A buffer is alive from the first of its users to the last one, both included. The
// bytes alive at the worst moment, the *peak*, depend on the order:
//
//     a -> b -> e    a and c make 8 bytes each, for b and d, which make 1 byte of them for e
//     c -> d -> e    a c b d e needs 17 bytes, a b c d e needs 10
//
// HOW. Two nodes are joined into one if running one right after the other never costs bytes. A
// pair gets an edge if one of them can come first at no cost. The graph is cut at each node that
// has a path to or from every other node. A part between two nodes that shares no tensor with
// nodes that can run meanwhile has an order that is best in every context (src/order/modules.c):
// it becomes a chain. The rest is searched. A state is a set of executed nodes; states with the
// lowest peak so far are expanded first, so the first complete one is optimal. A state is on an
// optimal path if it has no more live bytes than an earlier state on its way, and the fewest of all
// states with its peak. When the effort is spent, heuristics follow: a beam of states, then exact
// search in windows of the order.
//
// PROMISES. As in plan.h: no printing, no clock, no globals; equal input gives equal output.
// The order that is found never has a higher peak than the given one. Functions that
// allocate return false when memory runs out.
//
// SOURCES. Dynamic programming over sets of nodes with a budget: Ahn et al., "Ordering
// Chaos: Memory-Aware Scheduling of Irregularly Wired Neural Networks for Edge Devices",
// MLSys 2020. Hills and valleys: Liu, "An application of generalized tree pebbling to
// sparse matrix factorization", SIAM J. Algebraic Discrete Methods 1987; Kayaaslan et
// al., "Scheduling series-parallel task graphs to minimize peak memory", Theoretical
// Computer Science 2018.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ORDER_H
#define STOWAGE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stow_order_edge {
  size_t before, after; // before < after
} stow_order_edge;

typedef struct stow_order_buffer {
  uint64_t bytes;
  const size_t *users; // nodes, ascending; one at least
  size_t user_count;
  bool from_start; // alive before the first node
  bool to_end;     // alive after the last one
} stow_order_buffer;

// All bytes together are below 2^62.
typedef struct stow_order_problem {
  size_t node_count;
  const uint64_t
      *inside; // per node: bytes that it needs while it runs, beside its buffers; or NULL
  const stow_order_edge *edges;
  size_t edge_count;
  const stow_order_buffer *buffers;
  size_t buffer_count;
} stow_order_problem;

#define STOW_ORDER_EFFORT UINT64_C(100000000)

typedef struct stow_order_options {
  uint64_t max_effort; // steps, about one per buffer of a node that is looked at; 0:
                       // STOW_ORDER_EFFORT
} stow_order_options;

typedef struct stow_order {
  size_t *nodes;       // in the order that was found
  uint64_t peak;       // of it
  uint64_t given;      // of nodes 0, 1, 2, ...
  uint64_t post_order; // of the order that makes what each node needs just before it, depth first
  uint64_t bound;      // no order has a lower peak; equal to `peak`: proven
  uint64_t effort;     // steps taken
} stow_order;

// Freed with stow_order_free, also after false. No options: the defaults.
bool stow_order_find(const stow_order_problem *problem, const stow_order_options *options,
                     stow_order *out_order);
void stow_order_free(stow_order *order);

//===----------------------------------------------------------------------===//
// The checker
//===----------------------------------------------------------------------===//

typedef enum stow_order_verdict {
  STOW_ORDER_HOLDS,
  STOW_ORDER_NO_PERMUTATION, // a node is missing, or there twice
  STOW_ORDER_BROKEN_EDGE,
  STOW_ORDER_OTHER_PEAK,
  STOW_ORDER_NO_MEMORY,
} stow_order_verdict;

// Whether `nodes` is an order of the problem with that peak, from the definition. Shares nothing
// with what found it.
stow_order_verdict stow_order_verify(const stow_order_problem *problem, const size_t *nodes,
                                     uint64_t peak);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_ORDER_H
