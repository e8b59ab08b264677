//===- ref_walk.h - refs to visit, each once ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work list: refs that are added during the walk are visited, too. No caller depends on
// the order.
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

// Empties it, in constant time.
void stow_ref_walk_restart(stow_ref_walk *walk);

void stow_ref_walk_add(stow_ref_walk *walk, int32_t ref); // if it is not there yet
bool stow_ref_walk_has(const stow_ref_walk *walk, int32_t ref);

// The next ref to visit. False: all have been visited.
bool stow_ref_walk_next(stow_ref_walk *walk, int32_t *out_ref);

// Whether a walk follows a forwarded operand to its phis, or back.
typedef bool (*stow_follows_fn)(const void *user, const stow_forwarded *forwarded);

// Adds what the ref is a view of and its incoming values; or its views and the phis it is forwarded
// to. `follows`: NULL for all forwarded operands.
void stow_dealloc_walk_backward(stow_ref_walk *walk, int32_t ref, stow_follows_fn follows,
                                const void *user);
void stow_dealloc_walk_forward(stow_ref_walk *walk, int32_t ref, stow_follows_fn follows,
                               const void *user);

// Adds arguments that calls took over and may have returned as the ref; or the results as which
// calls may return it.
void stow_dealloc_walk_to_call_arguments(stow_ref_walk *walk, int32_t ref);
void stow_dealloc_walk_to_call_results(stow_ref_walk *walk, int32_t ref);

#endif // STOWAGE_DEALLOC_REF_WALK_H
