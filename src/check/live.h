//===- live.h - the contents that are needed at one point -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The set that moves backwards through a node: a fact per name, and an index from the bytes of
// arenas to the names whose contents are needed there. In the index, leaves are sorted by
// address, and a tree over them has, for each stretch, the highest end of those needed. So each
// name that a write overlaps is found in logarithmic time.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_LIVE_H
#define STOWAGE_CHECK_LIVE_H

#include "check/program.h"

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

#endif // STOWAGE_CHECK_LIVE_H
