//===- decision.h - one region decided, step by step ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_DECISION_H
#define STOWAGE_DEALLOC_DECISION_H

#include "dealloc/own/owners.h"

//===----------------------------------------------------------------------===//
// releases.c: where ownership ends
//===----------------------------------------------------------------------===//
//
// An owner's buffer is *needed* from its definition to every mention of a ref that
// may stand for it. Where it is needed no longer, ownership ends: in a move to a
// phi that owns, in a free that the program has, or in a dealloc placed there.

typedef enum stow_spot {
  STOW_AFTER_OP,   // right after the op at `at`, a position
  STOW_AT_START,   // where segment `at` begins
  STOW_BEFORE_END, // before the op that ends segment `at`, and after the clones made there
  STOW_ON_EDGE,    // on edge `at`
} stow_spot;

typedef struct stow_release {
  int32_t owner, segment; // in which it lies, or from which its edge leads
  stow_spot spot;
  int64_t at;
} stow_release;

// An owner that ends where it is found at run time which phi becomes its successor: at the end of
// `segment`, on `edge`, or on whichever edge is taken (-1).
typedef struct stow_edge_move {
  int32_t owner, segment, edge;
} stow_edge_move;

typedef struct stow_releases {
  STOW_ARRAY(stow_release) items;
  STOW_ARRAY(stow_edge_move) edge_moves;
} stow_releases;

// Finds the owners, decides all transfers and where to free. Phis that were made to own before do
// so.
void stow_releases_find(stow_owners *owners, stow_releases *out_releases);

// The edge on which a forwarded operand's clone and bits must stand, if its branch has others; or
// -1.
int32_t stow_dealloc_edge_of(const stow_domain *domain, const stow_forwarded *forwarded);

void stow_releases_free(stow_releases *releases);

//===----------------------------------------------------------------------===//
// decide.c: one region decided, step by step
//===----------------------------------------------------------------------===//

typedef struct stow_decision {
  stow_region_control control;
  stow_domain domain; // const, once it is read
  stow_owners owners;
  stow_releases releases;
  STOW_ARRAY(stow_own_split) splits;
  size_t tries;
  bool leaks; // something is not freed because it would have to be cloned, and cannot be
} stow_decision;

void stow_decision_free(stow_decision *decision);

//===----------------------------------------------------------------------===//
// observe.c: whether a clone can be told from its source
//===----------------------------------------------------------------------===//

// Answers whether clones can be observed; valid while the owners and transfers do not change. Freed
// with stow_observer_free, which takes null as well.
typedef struct stow_observer stow_observer;
stow_observer *stow_observer_create(const stow_decision *decision);
void stow_observer_free(stow_observer *observer);

// Whether the program can tell the clone of a forwarded operand from its source, because one of the
// two is written while the other is alive.
bool stow_dealloc_clone_shows(stow_observer *observer, const stow_forwarded *forwarded);

// Whether a forwarded operand becomes a result of the function, and is freed nowhere.
bool stow_dealloc_becomes_result(stow_observer *observer, const stow_forwarded *forwarded);

//===----------------------------------------------------------------------===//
// speculate.c: phis that need not own, but should
//===----------------------------------------------------------------------===//

// Makes borrowing phis that are forwarded own, if that elides clones.
void stow_dealloc_speculate_on_clones(stow_decision *decision);

// Makes phis own that borrow from one of several owners, if others' buffers are freed earlier then.
// No clone and no bit is added for that.
void stow_dealloc_speculate_on_frees(stow_decision *decision);

//===----------------------------------------------------------------------===//
// clone_elision.c: clones that may prove needless at run time
//===----------------------------------------------------------------------===//

// Where an owner ends, a clone of what may be its buffer is only made if it is another one. Last of
// all decisions.
void stow_dealloc_elide_clones(stow_decision *decision);

//===----------------------------------------------------------------------===//
// audit.c: each owner's memory is freed once on every path
//===----------------------------------------------------------------------===//

#ifndef NDEBUG
void stow_dealloc_audit_releases(const stow_domain *domain, const stow_owners *owners,
                                 const stow_releases *releases);
#else
static inline void stow_dealloc_audit_releases(const stow_domain *domain, const stow_owners *owners,
                                               const stow_releases *releases) {
  (void)domain;
  (void)owners;
  (void)releases;
}
#endif

//===----------------------------------------------------------------------===//
// decide.c: all of that
//===----------------------------------------------------------------------===//

// What to do where there is a choice.
typedef struct stow_preferences {
  bool clone_first; // rather than bits
  bool free_early;  // phis own where other buffers are freed earlier then
} stow_preferences;

// Reads and decides a region. If it is a function's, `promised` says which results its callers own,
// and which arguments it owns itself; else it is NULL. Freed with stow_decision_free.
void stow_dealloc_decide(MlirOperation op, MlirRegion region, const stow_domain_context *context,
                         const stow_contract *promised, const stow_preferences *prefer,
                         stow_decision *out_decision);

//===----------------------------------------------------------------------===//
// promise.c, takeover.c: what a decided function promises its callers
//===----------------------------------------------------------------------===//

// What the decided function promises its callers. Freed with stow_contract_free.
stow_contract stow_contract_of(const stow_decision *decision);

// Whether something that may be an argument is cloned.
bool stow_dealloc_clones_argument(const stow_decision *decision, size_t argument);

// Whether an argument that was promised to be owned is freed by the program itself, or becomes an
// owned result, on every path.
bool stow_dealloc_frees_argument(const stow_decision *decision, size_t argument);

#endif // STOWAGE_DEALLOC_DECISION_H
