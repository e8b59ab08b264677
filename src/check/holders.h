//===- holders.h - sets of handles that stand for work --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which handles surely stand for one execution of work. A set is a number, and equal sets are one.
// Before a handle is made and behind its last use nobody asks for it: then it leaves the sets.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_HOLDERS_H
#define STOWAGE_CHECK_HOLDERS_H

#include "check/program.h"

enum { STOW_CHECK_NO_HOLDERS = -1 };

// The greatest handle of a set, and the set of the others.
typedef struct stow_check_holder_set {
  int32_t handle, others, count;
  int64_t from, until; // where nodes begin that may use all of these
} stow_check_holder_set;

typedef struct stow_check_holders {
  const stow_check_program *program;
  STOW_ARRAY(stow_check_holder_set) sets;
  stow_map set_of;      // by handle and the others
  int64_t *last_needed; // by handle: where the last node begins that may use it
  uint64_t *steps;
} stow_check_holders;

// `follows`: by node, the work whose op it is behind, or -1. Freed with stow_check_holders_close.
stow_check_holders stow_check_holders_open(const stow_check_program *program,
                                           const int32_t *follows, uint64_t *steps);
void stow_check_holders_close(stow_check_holders *holders);

bool stow_check_holders_have(const stow_check_holders *holders, int32_t set, int32_t handle);
bool stow_check_holders_have_all(const stow_check_holders *holders, int32_t set, int32_t of);

// The set with the handle, if that is none of -1 and the set not full; and without it.
int32_t stow_check_holders_with(stow_check_holders *holders, int32_t set, int32_t handle);
int32_t stow_check_holders_without(stow_check_holders *holders, int32_t set, int32_t handle);

// What is left where the node begins.
int32_t stow_check_holders_pruned(stow_check_holders *holders, int32_t set, int32_t node);

#endif // STOWAGE_CHECK_HOLDERS_H
