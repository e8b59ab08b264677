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

#include "stream/scheduler.h"

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

// Statements [first, end), of which some are streams. Without spans nothing else touches the
// buffers; with them, they may be alive before and after.
typedef struct stow_stream_scope {
  const stow_stream_problem *problem;
  const stow_stream_schedule *streams; // in program order
  size_t stream_count;
  size_t first, end;
  const size_t *buffers; // asked for
  size_t buffer_count;
  const stow_stream_span *spans; // per buffer of the problem, or NULL
} stow_stream_scope;

// A profile per buffer that is asked for; `profiles` is zeroed before. False: no memory. Freed with
// stow_stream_profiles_free, also then. `index` has an entry per buffer of the problem, SIZE_MAX,
// before and afterwards.
bool stow_stream_find_profiles(const stow_stream_scope *scope, size_t *index,
                               stow_stream_profile *profiles);
void stow_stream_profiles_free(stow_stream_profile *profiles, size_t count);

// How many moments the range of a stream has.
uint64_t stow_stream_moments(const stow_stream_schedule *stream);

#endif // STOWAGE_STREAM_ALIVE_H
