//===- deallocation.h - buffer-deallocation, step by step -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_DEALLOCATION_H
#define STOWAGE_DEALLOC_DEALLOCATION_H

#include "dealloc/releases.h"
#include "ir/calls.h"

// A domain and all that is decided about it.
typedef struct stow_decision {
  stow_domain domain;
  stow_owners owners;
  stow_releases releases;
  stow_wish *wishes;
  size_t wish_count, wish_capacity;
  size_t tries;
  bool leaves; // something is not freed because it would have to be cloned, and cannot be
} stow_decision;

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
void stow_decision_free(stow_decision *decision);

// A clone of what may be an owner's buffer, made where that owner ends, is made only where it is
// not: last of all that is decided.
void stow_spare_clones(stow_decision *decision);

// What the decided function promises its callers. Freed with stow_contract_free.
stow_contract stow_contract_of(const stow_decision *decision);

// That of a function that does nothing.
stow_contract stow_contract_empty(MlirOperation function);

// Whether the program itself frees what an argument, of which it was promised that the function
// owns it, is on every path, but for those on which it becomes an owned result.
bool stow_frees_argument(const stow_decision *decision, size_t argument);

// Whether a clone of what may be an argument is made.
bool stow_clones_argument(const stow_decision *decision, size_t argument);

// Makes a contract promise what another one does, too, of as many arguments and results. True: it
// did not before.
bool stow_contract_join(stow_contract *contract, const stow_contract *other);

void stow_contract_free(stow_contract *contract);

// Makes the choices, as scf.if, and tells the domain of them. First of all changes.
void stow_make_choices(stow_domain *domain);

// Last of all changes.
void stow_erase_dead_selects(const stow_decision *decision);

// Makes the clones and the deallocs. `largest_promise`: of the module, see promises.h.
void stow_apply_decision(stow_decision *decision, uint64_t largest_promise);

// Tells what was cloned and what is left alone.
void stow_remark_decision(const stow_decision *decision);

#endif // STOWAGE_DEALLOC_DEALLOCATION_H
