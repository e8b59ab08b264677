//===- rates.h - what choices cost at least, memory by memory -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Lagrangian relaxation of paths (paths.h). What ties memories together are *ties*, each with a
// *rate* that is never negative:
//
// - of a node: so many bytes must not wait there. A memory counts for no more than these.
// - of a cell and one that it is computed from: where the one is computed, the other is in front or
//   comes, too.
// - of a cell that is computed: then so many bytes must not be kept there, that is, in front of the
//   node, and accessed there or behind it.
//
// Each says that some sum is at least 0. What is missing of that is paid for with its rate. Then
// each memory is decided by itself: its cheapest path is a shortest path over its nodes. All these
// paths cost no more than any choices that fit, for which no sum is below 0. Rates are improved by
// subgradients.
//
// By the shortest paths through a cell it is known what it costs at least to be in front there, or
// to come. What costs as much as the best choices known is taken away from the paths.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_RATES_H
#define STOWAGE_BUDGET_RATES_H

#include "budget/paths.h"

typedef struct stow_budget_rate {
  double best, tried, slope;
  double lack; // of its sum, on the paths of the rates that are tried
} stow_budget_rate;

// Where the cell `from` is computed, `to` is in front or comes.
typedef struct stow_budget_tie {
  size_t from, to;
} stow_budget_tie;

// Where the cell is computed, more bytes must not be kept, of other cells.
typedef struct stow_budget_crowd {
  size_t cell, first, count; // of `others`
  double always, more;       // bytes that must not be kept in any case, and where it is computed
  double most;               // as which another cell counts
} stow_budget_crowd;

enum {
  STOW_BUDGET_TAKEN_THERE = 1, // on the shortest path: it is in front or comes,
  STOW_BUDGET_TAKEN_COMPUTED = 2,
  STOW_BUDGET_TAKEN_WAITS = 4, // is not accessed, and in front of the next node,
  STOW_BUDGET_TAKEN_KEPT = 8,
};

typedef struct stow_budget_rates {
  stow_budget_paths *paths;
  double best;  // what the best choices cost that are known
  double scale; // the bytes for which a rate is paid
  double bound, doubt;
  stow_budget_rate *rates; // of nodes, then ties, then crowds
  size_t rate_count;
  size_t *active, active_count; // rates of which the sum may be below 0
  stow_budget_tie *ties;
  size_t tie_count;
  stow_budget_crowd *crowds;
  size_t crowd_count, crowd_room;
  size_t *others, other_count, other_room; // cells
  size_t *open, open_count;                // memories with more than one path
  double settled;                          // what the others cost
  // Per cell.
  double *there, *missing;               // what is paid from the node on
  double *there_before, *missing_before; // and before it
  double *computed, *load;               // what it costs to come so
  double *wish, *kept; // what is saved where it is there, and paid where it is kept
  double *counts;      // bytes as which it counts where it waits
  uint8_t *taken;
  double *lacks; // per node: bytes that must not wait, less all that may
  double *paid;  // per node: what its rates pay in any case
} stow_budget_rates;

// False where memory ran out. Freed with stow_budget_rates_end, also after false.
bool stow_budget_rates_begin(stow_budget_paths *paths, uint64_t best, stow_budget_rates *out);
void stow_budget_rates_end(stow_budget_rates *rates);

// Adds crowds for all cells that may be computed. False where memory ran out.
bool stow_budget_rates_crowd(stow_budget_rates *rates);

// The most that choices cost at least, of what is open. Takes about so many rounds, and no more
// effort than to the limit.
double stow_budget_rates_bound(stow_budget_rates *rates, size_t rounds, uint64_t limit);

// The rates of the best bound, from malloc, to begin with them again. NULL: no memory.
double *stow_budget_rates_copy(const stow_budget_rates *rates);
void stow_budget_rates_restore(stow_budget_rates *rates, const double *copy);

// Takes away what costs as much as the best, by the last bound. False: no choices are left, or
// memory ran out.
bool stow_budget_rates_settle(stow_budget_rates *rates);

// Prices all memories by the best rates: `there` and `missing` of each cell. Per node, and one
// more: what rates pay in any case from it on.
void stow_budget_rates_spread(stow_budget_rates *rates, double *out_paid);

#endif // STOWAGE_BUDGET_RATES_H
