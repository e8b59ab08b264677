//===- owner_liveness.h - where an owner is needed ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An owner is needed from its definition to every mention of a ref that may stand for
// it: that is its live range. It is found for one owner at a time, by walking backwards
// from the mentions, at a cost that is the size of the range.
//
// Moments within a segment are numbers: op p is at 2p + 1, the op at the segment's end
// reads what it forwards at 2p, and the segment starts at STOW_START.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWNER_LIVENESS_H
#define STOWAGE_DEALLOC_OWNER_LIVENESS_H

#include "dealloc/own/owners.h"

enum { STOW_UNTOUCHED = -2, STOW_START = -1 };

typedef struct stow_live_segment {
  int32_t attempt;  // in which this was found; stale if it is not the last
  int64_t last;     // the last moment inside at which the owner is needed
  bool in, out;     // live-in: needed where the segment begins; live-out: on an edge from its end
  int32_t frees;    // of the program, inside
  int64_t freed_at; //
  bool moves;       // for releases.c: it is moved or cloned on an edge
  bool dies;        // it dies on all edges to the segment; a dealloc is placed
  bool lives;       // it does not, on some edge
} stow_live_segment;

typedef struct stow_owner_liveness {
  const stow_domain *domain;
  const stow_owners *owners;
  int32_t owner, attempt;
  stow_live_segment *of; // per segment
  int32_t *touched, *work;
  size_t touched_count, work_count;
} stow_owner_liveness;

// Valid while the owners do not change. Freed with stow_owner_liveness_free.
stow_owner_liveness stow_owner_liveness_create(const stow_owners *owners);
void stow_owner_liveness_free(stow_owner_liveness *needs);

// Finds where the owner is needed, as if it were also mentioned where the `held` segments begin.
void stow_owner_liveness_find(stow_owner_liveness *needs, int32_t owner, const int32_t *held,
                              size_t held_count);

// Of the owner that was found last: a segment's entry, and whether it is needed on an edge.
stow_live_segment *stow_live_segment_of(stow_owner_liveness *needs, int32_t segment);
bool stow_dealloc_is_live_on(const stow_owner_liveness *needs, int32_t edge);

// The moment at which the end of a segment reads what it forwards.
int64_t stow_dealloc_end_of(const stow_domain *domain, int32_t segment);

#endif // STOWAGE_DEALLOC_OWNER_LIVENESS_H
