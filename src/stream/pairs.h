//===- pairs.h - how far apart buffers lie that are alive together --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers that are alive together at some moment are so far apart that in no moment a
// byte of both is: one begins at least so many bytes before the other, or so many behind it.
// Rows that die while others are made need no more than the difference.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_PAIRS_H
#define STOWAGE_STREAM_PAIRS_H

#include "stream/alive.h"

// How a buffer may lie to another one: it begins at least `behind` bytes behind it, or `before`
// bytes before it. Below 0: so many at most on the other side.
typedef struct stow_stream_distance {
  int64_t before, behind;
} stow_stream_distance;

// Two profiles, a < b, alive together at some moment; the distance is that of a to b.
typedef struct stow_stream_pair {
  size_t a, b;
  stow_stream_distance apart;
} stow_stream_pair;

typedef struct stow_stream_pairs {
  stow_stream_pair *at;
  size_t count, capacity;
  uint64_t alive_bytes; // at the worst moment: all together take no fewer
  uint64_t effort;      // how often two were compared
  uint64_t entries;     // of any two whose lives, from first to last entry, meet
  bool complete;        // not left early, as too many are alive together
} stow_stream_pairs;

// False: no memory. Freed with stow_stream_pairs_free, also then.
bool stow_stream_find_pairs(const stow_stream_profile *profiles, size_t count,
                            stow_stream_pairs *out);
void stow_stream_pairs_free(stow_stream_pairs *pairs);

#endif // STOWAGE_STREAM_PAIRS_H
