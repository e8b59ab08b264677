//===- ownership.h - who owns what in a module ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWNERSHIP_H
#define STOWAGE_DEALLOC_OWNERSHIP_H

#include "dealloc/deallocation.h"
#include "stowage/passes.h"

typedef struct stow_ownership_settings {
  bool unknown_ops_escape;
  stow_preferences prefer;
  const stow_map *ignored; // deallocs that free nothing, but tell who owned; NULL: none
  const struct stow_ownership
      *before; // with all ops: it tells which arguments functions own; or NULL
} stow_ownership_settings;

stow_ownership_settings stow_ownership_settings_of(const stow_deallocation_options *options);

typedef struct stow_ownership {
  stow_calls calls;
  stow_ownership_settings settings;
  stow_contract *contracts;  // per function; those that pointers may be to share one
  int32_t *shared;           // per function: the one whose contract is its, too
  bool *decided, *guessed;   // per function, while all are decided
  stow_decision **decisions; // one per domain
  size_t decision_count, decision_capacity;
} stow_ownership;

// Decides every function of a module. Changes nothing. Freed with stow_ownership_free.
stow_ownership stow_ownership_of(MlirOperation module, const stow_ownership_settings *settings);
void stow_ownership_free(stow_ownership *ownership);

// The owner that a free of the program ends, or -1 where that is not known.
int32_t stow_freed_owner(const stow_decision *decision, const stow_mention *free);

// Whether nothing takes an allocation's ownership over, needs a clone of it, or frees it but
// memref.dealloc.
bool stow_stays_with(const stow_decision *decision, int32_t owner);

typedef enum stow_placement {
  STOW_NOT_PLACED,      // the deallocs freed what would be left alone: nothing is changed
  STOW_PLACED,          // all that was added are deallocs
  STOW_PLACED_WITH_OPS, // and clones, bits or branches
} stow_placement;

// Decides anew as if the deallocs were not there, and puts others in their place.
stow_placement stow_place_deallocs_anew(MlirOperation module, const MlirOperation *deallocs,
                                        size_t count, const stow_ownership *before);

// What a pass adds may be placed around in the next round. That it takes more rounds than this is
// not known to happen.
enum { STOW_MAX_ROUNDS = 8 };

#endif // STOWAGE_DEALLOC_OWNERSHIP_H
