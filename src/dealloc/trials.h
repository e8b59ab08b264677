//===- trials.h - targets that had better own -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target to which everything can be lent need not own, but it may be better if it
// does. Whether it is shows when all is decided anew; if it is not, that is taken back.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_TRIALS_H
#define STOWAGE_DEALLOC_TRIALS_H

#include "dealloc/deallocation.h"

// Finds owners and releases for what is claimed.
void stow_decide_claimed(stow_decision *decision);

// Lets lent targets own that are handed over, where fewer clones are made then.
void stow_try_sparing_clones(stow_decision *decision);

// Lets lent targets own that stand for one of several owners: those that they are not are freed
// before. No clone and no bit is added for that.
void stow_try_moving(stow_decision *decision);

#endif // STOWAGE_DEALLOC_TRIALS_H
