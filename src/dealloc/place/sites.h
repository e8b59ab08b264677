//===- sites.h - where the decided region's segments and refs are ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices are part of a domain before their ops exist. When their scf.ifs are made, some
// segments lie in other blocks and end with other ops, and some refs are other values,
// than was read.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_SITES_H
#define STOWAGE_DEALLOC_SITES_H

#include "dealloc/own/decision.h"

typedef struct stow_sites {
  const stow_domain *domain;
  MlirBlock *blocks;      // per segment
  MlirOperation *after;   // per segment: the op with regions it begins behind, or null
  MlirOperation *ends;    // per segment
  MlirValue *values;      // per ref
  MlirOperation *endings; // per ending
} stow_sites;

// Makes the choices, first of all changes. Freed with stow_sites_free.
stow_sites stow_sites_make(const stow_decision *decision);
void stow_sites_free(stow_sites *sites);

// Erases the selects that were split. Last of all changes.
void stow_erase_dead_selects(const stow_decision *decision);

#endif // STOWAGE_DEALLOC_SITES_H
