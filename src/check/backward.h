//===- backward.h - what is needed, and what is lost, before an event -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transfer functions of the dataflow in solve.c: what holds before an event, from
// what holds after it. Facts are changed in place.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_BACKWARD_H
#define STOWAGE_CHECK_BACKWARD_H

#include "check/program.h"
#include "check/steps.h"

//===----------------------------------------------------------------------===//
// relate.c: whether two names can be the same, or meet
//===----------------------------------------------------------------------===//
//
// Two values that exist at one moment were chosen on one path. So whether they can be one view,
// or two views with bytes in common, is decided along paths, as if phis were undone: first that
// of the younger value, edge by edge; phis of one block together, along the same edge. Views from
// exclusive branches never meet.
//
// A view made anew in each iteration and the one of the iteration before are two views.

enum {
  STOW_CHECK_SAME = 1,    // they may be one view, or one be cut from the other
  STOW_CHECK_OVERLAP = 2, // they may be two views with bytes in common
};

typedef struct stow_check_relations {
  const stow_check_program *program;
  stow_map known; // by pair
  uint64_t *steps;
} stow_check_relations;

// `across_iterations`: one of them is from an earlier iteration of a loop than the other.
unsigned stow_check_relate(stow_check_relations *relations, int32_t a, int32_t b,
                           bool across_iterations);

// Whether the memory of a root is other memory than at the position `since`, before control came
// back: each execution of what makes it makes other.
bool stow_check_is_made_since(const stow_check_program *program, int32_t root, int64_t since);

// Whether two places may have bytes in common. What was made behind the position `since` was made
// anew between the two: memory that is made there is other memory.
bool stow_check_places_meet(stow_check_relations *relations, stow_check_place a, stow_check_place b,
                            int64_t since);

//===----------------------------------------------------------------------===//
// live.c: the contents that are needed at one point
//===----------------------------------------------------------------------===//
//
// The set that moves backwards through a node: a fact per name, and an index from the bytes of
// arenas to the names whose contents are needed there. In the index, leaves are sorted by
// address, and a tree over them has, for each stretch, the highest end of those needed. So each
// name that a write overlaps is found in logarithmic time.

#define STOW_CHECK_NO_OP (-1)

typedef struct stow_check_fact {
  int32_t name;
  stow_check_bytes need; // a read of these may follow,
  int32_t reader;        // by this op
  stow_check_bytes
      lost; // a read of these may follow, but only after another view has written there:
  int32_t lost_reader, lost_by, lost_through; // the reader, the op that wrote, the name it used
  bool lost_later;                            // that write was in a later iteration than this point
  bool lost_to_many;                          // and other names were used, too
  int32_t used;  // an op that may use the arena later (kept for roots, and choices of several)
  int32_t freed; // a dealloc that may follow
} stow_check_fact;

typedef struct stow_check_hit {
  int32_t name;
  stow_check_bytes bytes; // of that name
} stow_check_hit;

typedef struct stow_check_live {
  const stow_check_program *program;
  stow_check_fact *facts; // by name
  int32_t *present;       // the names with facts
  int32_t *slot;          // by name: its index there, or -1
  size_t present_count;
  // The index of needs. Ranks are positions in the order by root, anchor and address.
  size_t leaf_count, tree_size;
  int32_t *leaf_at, *rank_of;        // by rank; by name
  size_t *anchor_first, *anchor_end; // by name, for anchors: their ranks
  size_t *root_first, *root_end;     // by name, for roots
  int64_t *highest;                  // the tree
  int32_t *head, *next, *previous;   // by rank; by origin: lists of origins of needed names
  int32_t *owner;                    // by origin: its name
  bool *indexed;                     // by name
  int32_t *family_head, *family_next, *family_previous; // lists of names with lost bytes
  bool *in_family;
  STOW_ARRAY(stow_check_hit) hits; // the answer to the last question
  uint64_t *steps;
} stow_check_live;

void stow_check_live_create(stow_check_live *live, const stow_check_program *program,
                            uint64_t *steps);
void stow_check_live_free(stow_check_live *live);
void stow_check_live_clear(stow_check_live *live);

stow_check_fact stow_check_live_get(const stow_check_live *live, int32_t name);

// Takes over a fact, in place of what was known of its name.
void stow_check_live_set(stow_check_live *live, stow_check_fact fact);

// Finds the names of which bytes are needed that bytes of `name` may be: live->hits.
void stow_check_live_meet(stow_check_live *live, int32_t name, stow_check_bytes bytes);

stow_check_fact stow_check_fact_none(int32_t name);
void stow_check_fact_join(stow_check_fact *into, const stow_check_fact *from);

//===----------------------------------------------------------------------===//
// backward.c: what is needed, and what is lost, before an event
//===----------------------------------------------------------------------===//

typedef struct stow_check_backward {
  const stow_check_program *program;
  stow_check_live live; // what holds at the event that is looked at
  stow_check_relations relations;
  bool noting; // faults
  STOW_ARRAY(stow_check_fault) faults;
  uint64_t steps;
} stow_check_backward;

void stow_check_backward_pass(stow_check_backward *backward, const stow_check_event *event);

// What comes from several sides holds all together.
void stow_check_backward_join(stow_check_backward *backward, const stow_check_fact *fact);

// What holds of a choice holds of what it stands for: the sources [first, end).
void stow_check_backward_move(stow_check_backward *backward, const stow_check_fact *fact,
                              size_t first, size_t end);

// `op` reads the place, or STOW_CHECK_NO_OP: the caller does.
void stow_check_backward_read(stow_check_backward *backward, stow_check_place place, int32_t op);

#endif // STOWAGE_CHECK_BACKWARD_H
