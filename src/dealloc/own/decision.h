//===- decision.h - one region decided, step by step ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_DECISION_H
#define STOWAGE_DEALLOC_DECISION_H

#include "dealloc/own/releases.h"

typedef struct stow_decision {
  stow_domain domain; // const, once it is read
  stow_owners owners;
  stow_releases releases;
  STOW_ARRAY(stow_wish) wishes;
  size_t tries;
  bool leaves; // something is not freed because it would have to be cloned, and cannot be
} stow_decision;

// Finds owners and releases for what is claimed.
void stow_decision_find(stow_decision *decision);

// Frees all but the wishes, so that the region can be read again; or all.
void stow_decision_forget(stow_decision *decision);
void stow_decision_free(stow_decision *decision);

//===----------------------------------------------------------------------===//
// observe.c: whether a clone can be told from its source
//===----------------------------------------------------------------------===//

// Answers whether clones can be observed; valid while the owners and the manners of handovers do
// not change. Freed with stow_observer_free, which takes null as well.
typedef struct stow_observer stow_observer;
stow_observer *stow_observer_create(const stow_decision *decision);
void stow_observer_free(stow_observer *observer);

// Whether somebody may see that the target of a handover, which copies, is a clone and not the
// source itself, because one of the two is written while the other is alive.
bool stow_clone_shows(stow_observer *observer, const stow_handover *handover);

// Whether the value passed here becomes a result of the function, and is freed nowhere.
bool stow_becomes_result(stow_observer *observer, const stow_handover *handover);

//===----------------------------------------------------------------------===//
// trials.c: targets that had better own
//===----------------------------------------------------------------------===//

// Lets borrowing targets that are passed on own, where fewer clones are made then.
void stow_try_sparing_clones(stow_decision *decision);

// Lets targets own that borrow from one of several owners: the buffers that they are not are freed
// earlier. No clone and no bit is added for that.
void stow_try_moving(stow_decision *decision);

//===----------------------------------------------------------------------===//
// spare.c: clones that are made only where nothing can be taken
//===----------------------------------------------------------------------===//

// A clone of what may be an owner's buffer, made where that owner ends, is made only where it is
// not: last of all that is decided.
void stow_spare_clones(stow_decision *decision);

//===----------------------------------------------------------------------===//
// audit.c: that each owner's memory is freed once on every path
//===----------------------------------------------------------------------===//

#ifndef NDEBUG
void stow_audit_releases(const stow_domain *domain, const stow_owners *owners,
                         const stow_releases *releases);
#else
static inline void stow_audit_releases(const stow_domain *domain, const stow_owners *owners,
                                       const stow_releases *releases) {
  (void)domain, (void)owners, (void)releases;
}
#endif

//===----------------------------------------------------------------------===//
// decide.c: all of that
//===----------------------------------------------------------------------===//

// What to do where there is a choice.
typedef struct stow_preferences {
  bool clone_first; // rather than bits
  bool free_early;  // borrowing targets own where that frees buffers that they are not earlier
} stow_preferences;

// Reads and decides a region; those results of a function that `promised` says are owned, or NULL,
// are given to its caller whatever they are, and such arguments are the function's to free. Freed
// with stow_decision_free.
void stow_decide(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                 const stow_contract *promised, const stow_preferences *prefer,
                 stow_decision *out_decision);

//===----------------------------------------------------------------------===//
// promise.c, takeover.c: what a decided function promises its callers
//===----------------------------------------------------------------------===//

// What the decided function promises its callers. Freed with stow_contract_free.
stow_contract stow_contract_of(const stow_decision *decision);

// Whether a clone of what may be an argument is made.
bool stow_clones_argument(const stow_decision *decision, size_t argument);

// Whether the program itself frees what an argument, of which it was promised that the function
// owns it, is on every path, but for those on which it becomes an owned result.
bool stow_frees_argument(const stow_decision *decision, size_t argument);

#endif // STOWAGE_DEALLOC_DECISION_H
