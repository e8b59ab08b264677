//===- owners.h - who owns what a value stands for ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At every point of the program each tracked buffer has one *owner*: a ref in whose
// name it is freed, or from which it is moved to the next. Refs that own are
// allocations, results of calls, and targets for which no owner outside of them will
// do. All others are *lent*: the owners they may stand for outlive them.
//
// A target can be lent from an owner that reaches it: whose definition stands on
// every way to it, and which can be mentioned there. (Then the target is the buffer
// of the owner's latest definition; a proof is in docs/buffer-deallocation.md.) Every
// other target owns. Targets fed by one operand are decided together, as a *band*.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWNERS_H
#define STOWAGE_DEALLOC_OWNERS_H

#include "dealloc/domain.h"

// Refs in ascending order.
typedef struct stow_ref_set {
  int32_t *items;
  size_t count, capacity;
} stow_ref_set;

typedef struct stow_owners {
  const stow_domain *domain;
  bool *owns;         // per ref, of targets: it owns
  int32_t *left;      // per ref: the flight that takes it out of our hands, or -1
  bool *mixed;        // per ref: it may be memory that nobody here owns
  stow_ref_set *sets; // per ref: the owners it may stand for
  bool claimed;       // since the last propagation began
  stow_index behind;  // by owner: the refs that may stand for it, as items of `behind_refs`
  int32_t *behind_refs;
} stow_owners;

stow_owners stow_owners_create(stow_domain *domain);
void stow_owners_free(stow_owners *owners);

// Decides all targets anew. What was set in `owns` before stays so; flights that were added to the
// domain count.
void stow_owners_find(stow_owners *owners);

// The only owner that the ref can stand for, or -1.
int32_t stow_only_owner(const stow_owners *owners, int32_t ref);

// Makes a target and its band own.
void stow_owners_claim(stow_owners *owners, int32_t target);

#endif // STOWAGE_DEALLOC_OWNERS_H
