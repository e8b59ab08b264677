//===- walk.h - what a set of choices does --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk runs the nodes in order, and before each what was chosen for it. It *requires* that every
// choice is allowed, and *computes* the steps, their cost, and the bytes alive at each.
//
// An *epoch* is what a memory's buffer is between two renewals: it is alive from the first step
// that touches it to the last.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_WALK_H
#define STOWAGE_BUDGET_WALK_H

#include "stowage/budget.h"

// Whether and how a memory comes anew just before a node. The node count stands for no node.
typedef enum stow_budget_choice {
  STOW_BUDGET_STAYS,
  STOW_BUDGET_COMPUTED, // by the nodes that wrote it
  STOW_BUDGET_SPILLED,
  STOW_BUDGET_PLACED, // before no node: it lies elsewhere all the time
  STOW_BUDGET_CHOICES
} stow_budget_choice;

typedef struct stow_budget_epoch {
  size_t memory;
  size_t first, last; // steps; first > last: none yet
} stow_budget_epoch;

typedef struct stow_budget_touch {
  size_t epoch, step;
} stow_budget_touch;

// A step that a walk takes, for the node `stage`; STORE steps are kept apart, as nothing is alive
// longer for them: `after` is the step that they follow.
typedef struct stow_budget_taken {
  stow_budget_step step;
  size_t stage, after;
} stow_budget_taken;

// A memory that is being renewed: which access of which of its writers comes next.
typedef struct stow_budget_renewal {
  size_t memory, writer, access;
} stow_budget_renewal;

typedef struct stow_budget_walk {
  const stow_budget_problem *problem;
  size_t *first_writer, *writers; // per memory, and one more: where its writers begin; nodes
  size_t *since;    // per writer: the first of those that made what is there behind it
  uint64_t *placed; // per memory: what it costs at least to place it
  uint8_t *choices; // per memory and node, and one more for no node
  // Of the last walk.
  stow_budget_taken *steps, *stores;
  stow_budget_epoch *epochs;
  stow_budget_touch *touches; // by step
  uint64_t *levels;           // bytes alive, per step
  size_t step_count, store_count, epoch_count, touch_count;
  size_t step_room, store_room, epoch_room, touch_room, level_room;
  uint64_t peak, cost;
  size_t peak_step;
  uint64_t effort; // of all walks
  // While it runs, per memory.
  size_t *epoch_of;
  size_t *renewed;              // the node, plus one, that it was last renewed for
  bool *stored;                 // the second memory has its value
  stow_budget_renewal *pending; // each for the one before it
  size_t pending_count, pending_room;
  bool failed; // memory ran out
} stow_budget_walk;

// False where memory ran out. Freed with stow_budget_walk_free, also after false.
bool stow_budget_walk_begin(const stow_budget_problem *problem, stow_budget_walk *out);
void stow_budget_walk_free(stow_budget_walk *walk);

// The place of a choice in tables.
static inline size_t stow_budget_cell(const stow_budget_walk *w, size_t memory, size_t node) {
  return memory * (w->problem->node_count + 1) + node;
}

static inline size_t stow_budget_cells(const stow_budget_walk *w) {
  return w->problem->memory_count * (w->problem->node_count + 1);
}

static inline bool stow_budget_is_placed(const stow_budget_walk *w, size_t memory) {
  return w->choices[stow_budget_cell(w, memory, w->problem->node_count)];
}

// The bytes that a memory takes where it is alive.
static inline uint64_t stow_budget_bytes(const stow_budget_walk *w, size_t memory) {
  return stow_budget_is_placed(w, memory) ? 0 : w->problem->memories[memory].bytes;
}

typedef struct stow_budget_writers {
  const size_t *nodes;
  size_t count;
} stow_budget_writers;

// The nodes that made what is in a memory before this node, which some node wrote.
stow_budget_writers stow_budget_writers_at(const stow_budget_walk *walk, size_t memory,
                                           size_t node);

// Whether the choice is possible for the memory just before the node.
bool stow_budget_allows(const stow_budget_walk *walk, size_t memory, size_t node,
                        stow_budget_choice choice);

// What the choice costs at least, whatever else is chosen.
uint64_t stow_budget_price(const stow_budget_walk *walk, size_t memory, size_t node,
                           stow_budget_choice choice);

// Walks with the choices as they are. False where memory ran out.
bool stow_budget_take(stow_budget_walk *walk);

// Walks over one node alone, as if all memories were in the second memory; nothing is known of
// bytes. A walk is used for this or for all nodes. False where memory ran out.
bool stow_budget_take_alone(stow_budget_walk *walk, size_t node);

// The steps from which to which an epoch of the last walk is alive, the second not included. False:
// nothing touched it.
bool stow_budget_is_alive(const stow_budget_walk *walk, size_t epoch, size_t *out_begin,
                          size_t *out_end);

// The bytes above the capacity, over all steps.
uint64_t stow_budget_excess(const stow_budget_walk *walk, uint64_t capacity);

#endif // STOWAGE_BUDGET_WALK_H
