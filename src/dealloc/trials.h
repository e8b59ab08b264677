//===- trials.h - targets that had better own -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target that can borrow need not own, but it may be better if it does. To find out,
// all is decided anew as if it owned; if that is no better, it is undone.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_TRIALS_H
#define STOWAGE_DEALLOC_TRIALS_H

#include "dealloc/deallocation.h"

// Finds owners and releases for what is claimed.
void stow_decide_claimed(stow_decision *decision);

// Lets borrowing targets that are passed on own, where fewer clones are made then.
void stow_try_sparing_clones(stow_decision *decision);

// Lets targets own that borrow from one of several owners: the buffers that they are not are freed
// earlier. No clone and no bit is added for that.
void stow_try_moving(stow_decision *decision);

#endif // STOWAGE_DEALLOC_TRIALS_H
