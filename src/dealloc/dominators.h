//===- dominators.h - which stretches dominate others ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_DOMINATORS_H
#define STOWAGE_DEALLOC_DOMINATORS_H

#include "dealloc/domain.h"

// Fills `reachable`, `enter` and `leave` of every stretch; the domain's first one is the entry.
void stow_find_dominators(stow_domain *domain);

#endif // STOWAGE_DEALLOC_DOMINATORS_H
