//===- ownership.h - who owns what in a module ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   region --read--> domain    segments, edges, refs, what goes along each edge   read/
//          --own---> owners    which phis own, what each value may stand for      owners.c,
//          escaped.c
//                    releases  where owners are live; moves, clones, deallocs     releases.c,
//                    owner_liveness.c decision  bits, clones, until nothing changes decide.c,
//                    speculate.c
//          --place-> IR        choices, deallocs, clones, bits                    place/
//
// Functions are decided callees first, so that a call knows its callee's promises (read/contract.c,
// promise.c, takeover.c), and none is rewritten before all are decided. A phi owns only if it
// cannot borrow (owners.c), if a dealloc of the program asks for it (forced_owners.c), or where a
// trial shows that clones are spared or buffers freed earlier (speculate.c). The pass chooses the
// same owners when it reads its own output, so that a second run changes nothing; the exception are
// some modules whose functions call each other and free or return their arguments on some paths
// only.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWNERSHIP_H
#define STOWAGE_DEALLOC_OWNERSHIP_H

#include "dealloc/own/decision.h"
#include "ir/calls.h"
#include "stowage/passes.h"

typedef struct stow_ownership_settings {
  const char *pass; // that decides, for its remarks
  bool unknown_ops_escape;
  stow_preferences prefer;
  const stow_map *ignored; // deallocs to be placed anew, with their names: they only show who
                           // owned; or NULL
  const struct stow_ownership
      *before; // with these deallocs: which arguments functions own; or NULL
} stow_ownership_settings;

stow_ownership_settings stow_ownership_settings_of(const char *pass,
                                                   const stow_deallocation_options *options);

typedef struct stow_ownership {
  stow_calls calls;
  stow_ownership_settings settings;
  stow_contract *contracts;              // per function; those that one pointer may call share one
  stow_contract *alone;                  // per function: what a call by its name sees
  stow_contract *next, *proven;          // per function: while they are decided
  stow_contract *by_address;             // per call by address: of those that it may call
  int32_t *shared;                       // per function: the function whose contract it shares
  bool *decided, *guessed;               // per function, while all are decided
  bool *seen;                            // per function: it was decided at least once
  STOW_ARRAY(stow_decision *) decisions; // one per domain
} stow_ownership;

// Decides every function of a module. Changes nothing. Freed with stow_ownership_free.
stow_ownership stow_ownership_of(MlirOperation module, const stow_ownership_settings *settings);
void stow_ownership_free(stow_ownership *ownership);

// The owner that a free of the program ends, or -1 where that is not known.
int32_t stow_dealloc_freed_owner(const stow_decision *decision, const stow_own_mention *free);

// Adds the deallocs that end the owners for which `wanted` is true; NULL: all owners. Behind them
// the names of buffers that only they mention, each behind the ops that use it.
void stow_dealloc_add(const stow_decision *decision, const bool *wanted, stow_op_list *deallocs);

// Whether an allocation's ownership moves nowhere, nothing is cloned of it, and nothing but
// memref.dealloc frees it.
bool stow_dealloc_stays_with(const stow_decision *decision, int32_t owner);

#endif // STOWAGE_DEALLOC_OWNERSHIP_H
