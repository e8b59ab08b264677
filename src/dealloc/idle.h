//===- idle.h - names that no buffer depends on ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_IDLE_H
#define STOWAGE_DEALLOC_IDLE_H

#include "dealloc/domain.h"

// Marks handovers to idle targets of what the program frees; with `all`, of anything.
void stow_find_idle(stow_domain *domain, bool all);

// Marks refs that ops only look at.
void stow_find_mere_names(stow_domain *domain);

#endif // STOWAGE_DEALLOC_IDLE_H
