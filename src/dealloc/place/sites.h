//===- sites.h - where the decided region's stretches and refs are -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices are decided of before they are there. When their scf.if is made, stretches lie in
// other blocks, end with other ops, and refs are other values than those that were read.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_SITES_H
#define STOWAGE_DEALLOC_SITES_H

#include "dealloc/own/decision.h"

typedef struct stow_sites {
  const stow_domain *domain;
  MlirBlock *blocks;      // per stretch
  MlirOperation *after;   // per stretch: the op with regions it begins behind, or null
  MlirOperation *ends;    // per stretch
  MlirValue *values;      // per ref
  MlirOperation *endings; // per ending
} stow_sites;

// Makes the choices, first of all changes. Freed with stow_sites_free.
stow_sites stow_sites_make(const stow_decision *decision);
void stow_sites_free(stow_sites *sites);

// Erases selects that choices took the place of. Last of all changes.
void stow_erase_dead_selects(const stow_decision *decision);

#endif // STOWAGE_DEALLOC_SITES_H
