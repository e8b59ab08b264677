//===- alive.h - which bytes of a buffer are needed, and when -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time is counted in *moments*. A statement that runs as a whole is one. A step of a stream has
// one for each statement in it, and then one for each window that moves.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_ALIVE_H
#define STOWAGE_STREAM_ALIVE_H

#include "stowage/stream.h"

// From a moment on, until the next entry: bytes [low, end) of a buffer, or of its window, are
// touched, or hold what somebody has yet to touch. low == end: none.
typedef struct stow_stream_alive {
  uint64_t from;
  int64_t low, end;
} stow_stream_alive;

// By ascending moments; nothing is alive before the first entry.
typedef struct stow_stream_profile {
  stow_stream_alive *entries;
  size_t count, capacity;
} stow_stream_profile;

// A profile per buffer of the problem, empty for those that are not asked for. `streams` in program
// order. False: no memory. Freed with stow_stream_profiles_free, also then.
bool stow_stream_find_profiles(const stow_stream_problem *problem,
                               const stow_stream_schedule *streams, size_t stream_count,
                               const bool *asked, stow_stream_profile **out_profiles);
void stow_stream_profiles_free(const stow_stream_problem *problem, stow_stream_profile *profiles);

#endif // STOWAGE_STREAM_ALIVE_H
