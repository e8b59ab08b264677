//===- applier.h - what is at hand while clones and deallocs are made ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_APPLIER_H
#define STOWAGE_DEALLOC_APPLIER_H

#include "dealloc/place/alignments.h"
#include "dealloc/place/bits.h"

typedef struct stow_applier {
  const stow_domain *domain;
  const stow_owners *owners;
  const stow_releases *releases;
  stow_sites sites;
  MlirOperation *before; // per release
  MlirBlock *detours;    // per path: the block that was put on it, or null
  stow_bits bits;
  stow_promises promises;
  MlirValue *settled; // per handover that settles or is spared: whether its target took an owner
  MlirValue *remains; // per settlement: whether nobody took its owner
} stow_applier;

//===----------------------------------------------------------------------===//
// deallocs.c
//===----------------------------------------------------------------------===//

// Marks what a bit decides on, for another run.
void stow_mark_by_bit(MlirOperation op);

// A dealloc of an owner, if that has it, or if `bit` says so.
void stow_make_dealloc(const stow_applier *a, int32_t owner, MlirOperation before);
void stow_make_dealloc_if(const stow_applier *a, int32_t owner, MlirValue bit,
                          MlirOperation before);

//===----------------------------------------------------------------------===//
// settle.c: owners that end in one of several targets
//===----------------------------------------------------------------------===//

// Where settlements find who takes which owner, and where they free what nobody took.
void stow_settle_owners(stow_applier *a);
void stow_settle_deallocs(const stow_applier *a);

#endif // STOWAGE_DEALLOC_APPLIER_H
