//===- stowage/budget.h - the cheapest way to run nodes within a capacity -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WHAT. Nodes run in a given order and pass values through memories. A memory is alive from its
// first access to its last. Where too many are alive at once, one that waits may go and come back:
//
//     computed again   the nodes that wrote it run once more, into a new buffer, just before the
//                      node that needs it
//     spilled          it is copied to a second memory behind its last access, and from there into
//                      a new buffer
//
// Or a memory lies elsewhere all the time, where it takes none of the bytes that are counted:
//
//     placed           each access of it costs more; what it costs to fill it may be saved
//
// Each costs time. The cheapest choice is searched for with which no more bytes than the capacity
// are alive at any moment.
//
// HOW. A *choice* is a memory and a node: the memory is renewed just before that node, because the
// node or another choice needs it. Or it is a memory alone, which is placed elsewhere. So nothing
// is renewed earlier than needed, or twice for one node. If a node overwrites a memory, make it two
// memories in the problem: then the first is not kept until the node. A choice keeps alive what it
// reads, so lives are found by a walk over the nodes with all choices, never by a formula.
//
// First greedily: the choice that lowers the excess most for its cost is taken until there is no
// excess; then superfluous choices are dropped. Then exactly: at the moment with the most bytes,
// one of the memories that wait there must go, and each is tried. It is renewed where it is needed
// next; or earlier, if another choice reads it there, so such choices between the two are tried as
// well. Earlier it may also be renewed where what it is computed from changes before its next use.
// The bound on the cost of a branch is the cost of its choices and of the cheapest part of what
// must still go (a fractional knapsack at that moment). If the exact search does not end within its
// part of the effort, choices are made, taken back and moved at random, a few at a time, by
// simulated annealing, which allows too many bytes for a while. Where memories may be placed
// elsewhere, the choices around some node are taken back and made again instead, greedily, again
// and again. A bound on all choices is found memory by memory: each takes the shortest path over
// the nodes, with prices for the bytes at each node and for what something is computed from (a
// Lagrangian relaxation). Of few memories, it is proven by a dynamic program that no choices cost
// less: node by node, all sets of memories that may be alive in front of it, each at its least cost
// and without those that cost too much by the bound. What is known may cost far more than the best,
// so at first little more than the bound is too much. Where these are too many, or memories, and of
// few nodes, by branch and bound: some memory is alive in front of some node, or not, and each is
// tried. What costs too much by the bound, or has no room, is left out in between. If the bound is
// that cost, the search ends.
//
// PROMISES. As in plan.h: no printing, no clock, no globals; equal input gives equal output.
// Functions that allocate return false when memory runs out.
//
// SOURCES. To compute in stages, where any value may be computed again before any node: Jain et
// al., "Checkmate: Breaking the Memory Wall with Optimal Tensor Rematerialization", MLSys 2020.
// Gaps of lives as what is decided: Bartan et al., "MOCCASIN: Efficient Tensor Rematerialization
// for Neural Networks", ICML 2023. Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated
// Annealing", Science 1983.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_H
#define STOWAGE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stow_budget_access {
  size_t memory;
  bool writes;     // and may read it, too
  bool overwrites; // all of it, and reads nothing of it
  uint64_t placed; // cost of the access where the memory is placed elsewhere, beyond the node's
} stow_budget_access;

typedef struct stow_budget_node {
  const stow_budget_access *accesses; // each memory once
  size_t access_count;
  uint64_t inside; // bytes that it needs while it runs, beside its memories
  uint64_t cost;   // of one run
  bool repeatable; // it writes one memory, needs no bytes inside, and what it writes follows from
                   // what it reads
} stow_budget_node;

typedef struct stow_budget_memory {
  uint64_t bytes;  // 0: it lies elsewhere
  bool from_start; // alive before the first node
  bool to_end;     // alive after the last one
  bool renewable;  // another buffer may take its place between two nodes; not if `to_end`
  bool spillable;  // and be filled from a second memory
  bool placeable;  // it may lie elsewhere
  uint64_t spill;  // cost of one copy to the second memory, or from it
  uint64_t saved;  // cost saved where it lies elsewhere; at most what its accesses cost more
} stow_budget_memory;

// All bytes together are below 2^62, and so is the cost of all nodes, accesses and spills, times
// the number of nodes.
typedef struct stow_budget_problem {
  const stow_budget_node *nodes; // in the order in which they run
  size_t node_count;
  const stow_budget_memory *memories;
  size_t memory_count;
} stow_budget_problem;

#define STOW_BUDGET_EFFORT UINT64_C(100000000)

typedef struct stow_budget_options {
  uint64_t capacity;   // bytes
  uint64_t max_effort; // steps, about one per access of a node that is walked over; 0:
                       // STOW_BUDGET_EFFORT
} stow_budget_options;

typedef enum stow_budget_action {
  STOW_BUDGET_RUN,   // the node runs
  STOW_BUDGET_FRESH, // a new buffer takes the memory's place
  STOW_BUDGET_AGAIN, // the node runs once more
  STOW_BUDGET_STORE, // the memory is copied to the second memory
  STOW_BUDGET_LOAD,  // and from there
  STOW_BUDGET_PLACE, // the memory lies elsewhere; in front of all other steps
} stow_budget_action;

typedef struct stow_budget_step {
  stow_budget_action action;
  size_t node;   // that runs
  size_t memory; // of the other actions; of AGAIN: that it writes
} stow_budget_step;

typedef enum stow_budget_outcome {
  STOW_BUDGET_FITS,    // within the capacity
  STOW_BUDGET_CANNOT,  // proven: no choice does
  STOW_BUDGET_UNKNOWN, // none was found within the effort
} stow_budget_outcome;

typedef struct stow_budget_plan {
  stow_budget_outcome outcome;
  stow_budget_step *steps; // where it fits: all that is done, in order
  size_t step_count;
  uint64_t given;    // bytes at the peak with no choice
  uint64_t peak;     // bytes at the peak of the steps
  uint64_t cost;     // of the steps, beyond one run of each node
  uint64_t bound;    // no plan that fits costs less; equal to `cost`: proven
  uint64_t effort;   // steps taken
  uint64_t least;    // bytes that some node needs by itself: no plan has fewer
  size_t least_node; // it
} stow_budget_plan;

// Freed with stow_budget_plan_free, also after false.
bool stow_budget_find(const stow_budget_problem *problem, const stow_budget_options *options,
                      stow_budget_plan *out_plan);
void stow_budget_plan_free(stow_budget_plan *plan);

//===----------------------------------------------------------------------===//
// The checker
//===----------------------------------------------------------------------===//

typedef enum stow_budget_verdict {
  STOW_BUDGET_HOLDS,
  STOW_BUDGET_OTHER_NODES, // not each node runs, once and in order
  STOW_BUDGET_OTHER_VALUE, // a node finds another value than in the given order
  STOW_BUDGET_FORBIDDEN,   // an action that the problem does not allow
  STOW_BUDGET_OTHER_PEAK,
  STOW_BUDGET_OTHER_COST,
  STOW_BUDGET_NO_MEMORY,
} stow_budget_verdict;

// Replays the steps: whether every access finds the value that it had in the given order, with that
// peak and cost. Shares nothing with what found them.
stow_budget_verdict stow_budget_verify(const stow_budget_problem *problem,
                                       const stow_budget_step *steps, size_t step_count,
                                       uint64_t peak, uint64_t cost);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BUDGET_H
