//===- paths.h - where each memory may be, node by node -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices, read memory by memory. A *cell* is a memory and a node. Of any choices, it says
//
// - whether the memory is *in front*: whether its buffer is alive between the node's choices and
//   the node before, as something touches it before it is renewed;
// - how it *comes*: whether it is renewed for the node, and how. What is renewed is not in front,
// as
//   its old buffer is not touched any more.
//
// The cells of a memory are a path over the nodes: in front of the next node is only what was in
// front of this one, or came for it. What a node accesses is in front of it or comes for it, and so
// is what is read by nodes that run again for it. A memory has cells from the node behind its first
// access to the last node for which something may be computed from it. Memories that stay until the
// end have none: they are always there, as are those that no node touches.
//
// What is *open* of a cell is kept here, and taken away where it can be no part of choices that fit
// and cost less than the best known. Nothing else is assumed of choices: what is taken away follows
// from what any walk does (walk.h).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_PATHS_H
#define STOWAGE_BUDGET_PATHS_H

#include "budget/walk.h"

enum {
  STOW_BUDGET_AWAY = 1,     // of `front`, bits
  STOW_BUDGET_IN_FRONT = 2, //
  STOW_BUDGET_EITHER = 3,
};

// Of `comes`, a bit per choice.
#define STOW_BUDGET_COMES(CHOICE) ((uint8_t)(1 << (CHOICE)))

enum {
  STOW_BUDGET_MAY_STAY = 1 << STOW_BUDGET_STAYS,
  STOW_BUDGET_MAY_COMPUTE = 1 << STOW_BUDGET_COMPUTED,
  STOW_BUDGET_MAY_SPILL = 1 << STOW_BUDGET_SPILLED,
  STOW_BUDGET_MAY_RENEW = STOW_BUDGET_MAY_COMPUTE | STOW_BUDGET_MAY_SPILL,
};

typedef struct stow_budget_life {
  size_t born; // the first node in front of which it may be
  size_t last; // the last node that accesses it
  size_t end;  // the last node in front of which it may be of use
  size_t cell; // of `born`
} stow_budget_life;

// What a cell was.
typedef struct stow_budget_was {
  size_t cell;
  uint8_t front, comes;
} stow_budget_was;

typedef struct stow_budget_paths {
  stow_budget_walk *walk;   // of no choices
  stow_budget_walk alone;   // of one node
  uint64_t capacity, limit; // bytes; up to which effort of the walk more is taken away
  stow_budget_life *lives;  // per memory
  bool whole;               // memories are followed as long as they may be of use
  size_t cell_count;
  // Per cell.
  size_t *memory, *node;
  bool *accessed;
  uint8_t *front, *comes;             // what is open
  size_t *first_source, source_count; // per cell, and one more: cells of what it is computed from
  size_t *sources, source_room;
  size_t *writer; // the node that writes it, with the most bytes of those that run again
  // Per node, and one more.
  size_t *first_at, *at; // its cells
  int64_t *room;         // bytes for those cells that wait behind it
  int64_t *others;       // bytes of memories without cells that are alive in front of it
  // What changed.
  stow_budget_was *trail;
  size_t trail_count, trail_room;
  bool *memory_changed, *node_changed;
  size_t *stamps, stamp; // per memory
  uint64_t *levels;      // of a stage's steps
  size_t level_room;
  bool no_memory;
} stow_budget_paths;

// *Requires* the walk of no choices, and that no memory may be placed. False where memory ran out.
// Freed with stow_budget_paths_end, also after false. With more than `most_cells`, there are none.
bool stow_budget_paths_begin(stow_budget_walk *walk, uint64_t capacity, uint64_t limit,
                             size_t most_cells, stow_budget_paths *out);
void stow_budget_paths_end(stow_budget_paths *paths);

static inline bool stow_budget_is_followed(const stow_budget_paths *p, size_t memory, size_t node) {
  return p->lives[memory].born <= node && node <= p->lives[memory].end;
}

static inline size_t stow_budget_path_cell(const stow_budget_paths *p, size_t memory, size_t node) {
  return p->lives[memory].cell + node - p->lives[memory].born;
}

static inline uint64_t stow_budget_path_bytes(const stow_budget_paths *p, size_t cell) {
  return p->walk->problem->memories[p->memory[cell]].bytes;
}

static inline bool stow_budget_is_last(const stow_budget_paths *p, size_t cell) {
  return p->node[cell] == p->lives[p->memory[cell]].end;
}

// What may be in front of the next node.
static inline uint8_t stow_budget_behind(const stow_budget_paths *p, size_t cell) {
  return stow_budget_is_last(p, cell) ? STOW_BUDGET_AWAY : p->front[cell + 1];
}

// What was written last into the memory in front of the cell, which some node wrote.
static inline const size_t *stow_budget_paths_version(const stow_budget_paths *p, size_t cell) {
  const stow_budget_writers w = stow_budget_writers_at(p->walk, p->memory[cell], p->node[cell]);
  return w.nodes + w.count;
}

// Leaves of a cell what is in both. False: nothing is open.
bool stow_budget_paths_limit(stow_budget_paths *paths, size_t cell, uint8_t front, uint8_t comes);

// Takes away all that follows, or what of it is found within the effort. False: no choices are
// left, or memory ran out.
bool stow_budget_paths_settle(stow_budget_paths *paths);

// Opens again what was taken away since the trail had this length.
void stow_budget_paths_take_back(stow_budget_paths *paths, size_t trail_count);

// What the nodes that run again for a cell touch at once, with the memory: bytes, besides
// `others`; and these memories get the newest stamp.
int64_t stow_budget_paths_touched(stow_budget_paths *paths, size_t cell);

#endif // STOWAGE_BUDGET_PATHS_H
