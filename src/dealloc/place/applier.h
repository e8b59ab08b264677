//===- applier.h - what clones and deallocs are made with -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_APPLIER_H
#define STOWAGE_DEALLOC_APPLIER_H

#include "dealloc/place/bits.h"
#include "ir/size.h"

//===----------------------------------------------------------------------===//
// alignments.c: how aligned a clone must be
//===----------------------------------------------------------------------===//

typedef struct stow_promises {
  const stow_domain *domain;
  stow_layout layout;
  uint64_t largest;
  stow_walk readers, sources; // of the last clone
} stow_promises;

// `largest`: of the module. Freed with stow_promises_free.
stow_promises stow_promises_of(const stow_domain *domain, uint64_t largest);
void stow_promises_free(stow_promises *promises);

// The alignment to ask for, in bytes, where a forwarded operand clones; 0: none.
uint64_t stow_dealloc_clone_alignment(stow_promises *promises, const stow_forwarded *forwarded);

//===----------------------------------------------------------------------===//
// apply.c: what clones and deallocs are made with
//===----------------------------------------------------------------------===//

typedef struct stow_applier {
  const stow_domain *domain;
  const stow_owners *owners;
  const stow_releases *releases;
  stow_sites sites;
  MlirOperation *before; // per release
  MlirBlock *detours;    // per edge: the block that splits it, or null
  stow_bits bits;
  stow_promises promises;
  MlirValue
      *moved; // per forwarded operand that moves on an edge or is elidable: whether its phi owns
  MlirValue *remains; // per edge_move: whether its owner moved to no phi
} stow_applier;

//===----------------------------------------------------------------------===//
// deallocs.c: deallocs of owners
//===----------------------------------------------------------------------===//

// A dealloc of an owner, by its bit if it is conditional; or by another bit.
void stow_dealloc_make(const stow_applier *a, int32_t owner, MlirOperation before);
void stow_dealloc_make_if(const stow_applier *a, int32_t owner, MlirValue bit,
                          MlirOperation before);

//===----------------------------------------------------------------------===//
// move_on_edge.c: owners that move to one of several phis
//===----------------------------------------------------------------------===//

// Finds which owner moves to which phi; and frees the owners that move to none.
void stow_dealloc_move_on_edges(stow_applier *a);
void stow_dealloc_free_what_did_not_move(const stow_applier *a);

#endif // STOWAGE_DEALLOC_APPLIER_H
