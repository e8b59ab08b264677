//===- needs.h - where an owner is needed ---------------------------------===//
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
// Moments within a stretch are numbers: op p is at 2p + 1, what the op at its end passes
// on is read at 2p, and the start of the stretch is STOW_START.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_NEEDS_H
#define STOWAGE_DEALLOC_NEEDS_H

#include "dealloc/own/owners.h"

enum { STOW_UNTOUCHED = -2, STOW_START = -1 };

typedef struct stow_need {
  int32_t attempt;     // that this is of; another one: it is stale
  int64_t last;        // the last moment inside at which the owner is needed
  bool in, out;        // live-in: needed where the stretch begins; live-out: on a path from its end
  int32_t frees;       // of the program, inside
  int64_t freed_at;    //
  bool leaves, placed; // for releases.c: it is moved or cloned on a path; a dealloc is placed
} stow_need;

typedef struct stow_needs {
  const stow_domain *domain;
  const stow_owners *owners;
  stow_index uses, frees; // mentions by ref
  int32_t owner, attempt;
  stow_need *of; // per stretch
  int32_t *touched, *work;
  size_t touched_count, work_count;
} stow_needs;

// Valid while the owners do not change. Freed with stow_needs_free.
stow_needs stow_needs_create(const stow_domain *domain, const stow_owners *owners);
void stow_needs_free(stow_needs *needs);

// Finds where the owner is needed, and besides, as if it were mentioned there, where the `held`
// stretches begin.
void stow_needs_find(stow_needs *needs, int32_t owner, const int32_t *held, size_t held_count);

// Of the owner that was found last: a stretch's entry, and whether it is needed on a path.
stow_need *stow_need_in(stow_needs *needs, int32_t stretch);
bool stow_is_needed_on(const stow_needs *needs, int32_t path);

// The moment at which the end of a stretch reads what it passes on.
int64_t stow_end_of(const stow_domain *domain, int32_t stretch);

#endif // STOWAGE_DEALLOC_NEEDS_H
