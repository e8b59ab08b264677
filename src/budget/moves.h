//===- moves.h - what one choice more or less changes ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same numbers as a walk of all nodes, kept up to date while choices before single nodes
// change. A *stage* is a node with what comes anew for it. A memory that a stage touches has one
// life there. It *came* if it was alive before, and *stays* if it is needed behind the stage, and
// does not come anew there. Between two stages that touch it, a memory is alive or not as a whole:
// so a choice changes its own stage, and for each memory which that touches now and did not before,
// or the other way round, the bytes of the stages up to the next ones that touch it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_MOVES_H
#define STOWAGE_BUDGET_MOVES_H

#include "budget/walk.h"

// The life of a memory in a stage: from its first step there to the last.
typedef struct stow_budget_part {
  size_t memory, first, last;
  bool fresh, loaded; // it begins with a new buffer, filled from the second memory
  bool came, stays;
} stow_budget_part;

typedef struct stow_budget_stage {
  stow_budget_part *parts;
  uint64_t *levels; // bytes of the parts, per step, and those that the node needs inside
  size_t part_count, part_room, step_count, step_room;
  uint64_t highest; // of the levels
  uint64_t excess;  // bytes above the capacity, over its steps
  uint64_t cost;    // all but copies to the second memory
} stow_budget_stage;

// That a stage touches a memory.
typedef struct stow_budget_visit {
  size_t stage;
  bool fresh;
} stow_budget_visit;

typedef struct stow_budget_visits {
  stow_budget_visit *items; // in order
  size_t count, room;
} stow_budget_visits;

typedef struct stow_budget_moves {
  stow_budget_walk walk; // its choices are those that count
  uint64_t capacity;
  uint64_t cost, excess;
  stow_budget_stage *stages;  // per node
  uint64_t *peaks;            // per stage: its highest level, with what is alive and not touched
  stow_budget_visits *visits; // per memory
  size_t *full, full_count;   // stages with excess
  size_t *full_at;            // per stage: its place among them
  size_t *copies;             // per writer: how many stages load what it wrote
  size_t *part_of;            // per memory: its part, plus one, of a stage that is made
  stow_budget_part *before;   // the parts that the stage had
  size_t before_count, before_room;
  size_t *dropped; // memories that the stage no longer touches
  size_t dropped_count;
} stow_budget_moves;

// With the choices of the table. False where memory ran out. Freed with stow_budget_moves_end, also
// after false.
bool stow_budget_moves_begin(const stow_budget_problem *problem, uint64_t capacity,
                             const uint8_t *choices, stow_budget_moves *out);
void stow_budget_moves_end(stow_budget_moves *moves);

// Makes the stage as its choices are now. No memory's place changes. False where memory ran out.
bool stow_budget_moves_remake(stow_budget_moves *moves, size_t stage);

// The place among a memory's visits of the first at the stage or behind it.
size_t stow_budget_visit_at(const stow_budget_moves *moves, size_t memory, size_t stage);

#endif // STOWAGE_BUDGET_MOVES_H
