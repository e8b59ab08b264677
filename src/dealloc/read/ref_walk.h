//===- ref_walk.h - refs to visit, each once ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work list of searches over refs: what is added while the walk goes on is visited,
// too. In which order refs are visited must not matter to who walks.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_REF_WALK_H
#define STOWAGE_DEALLOC_REF_WALK_H

#include "dealloc/read/domain.h"

typedef struct stow_ref_walk {
  const stow_domain *domain;
  int32_t *added; // per ref: the last round in which it was added
  int32_t *items; // in the order in which they were added
  size_t count, next;
  int32_t round;
} stow_ref_walk;

// Freed with stow_ref_walk_free.
stow_ref_walk stow_ref_walk_create(const stow_domain *domain);
void stow_ref_walk_free(stow_ref_walk *walk);

// Empties it, at no cost.
void stow_ref_walk_restart(stow_ref_walk *walk);

void stow_ref_walk_add(stow_ref_walk *walk, int32_t ref); // where it was not added before
bool stow_ref_walk_has(const stow_ref_walk *walk, int32_t ref);

// The next ref to visit. False: all have been visited.
bool stow_ref_walk_next(stow_ref_walk *walk, int32_t *out_ref);

// Whether a walk follows a handover.
typedef bool (*stow_follows_fn)(const void *user, const stow_handover *handover);

// Adds what the ref is a view of and what is passed to it, or its views and what it is passed to.
// `follows`: NULL for all handovers.
void stow_walk_to_sources(stow_ref_walk *walk, int32_t ref, stow_follows_fn follows,
                          const void *user);
void stow_walk_to_targets(stow_ref_walk *walk, int32_t ref, stow_follows_fn follows,
                          const void *user);

// Adds what calls took over and may have given back as the ref, or what they may give back of it.
void stow_walk_to_call_arguments(stow_ref_walk *walk, int32_t ref);
void stow_walk_to_call_results(stow_ref_walk *walk, int32_t ref);

#endif // STOWAGE_DEALLOC_REF_WALK_H
