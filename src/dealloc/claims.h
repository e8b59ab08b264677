//===- claims.h - targets that are made to own ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program frees, it has its own idea of who owns. It is kept to where it can be
// told: no target is made to own but those that its frees ask for. So what this pass
// wrote is read as it was meant, and nothing is added to it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_CLAIMS_H
#define STOWAGE_DEALLOC_CLAIMS_H

#include "dealloc/owners.h"

// Makes all lent targets own that a ref is, or a view of, and those that hand over to these what
// may be one of several owners'. False: there are none.
bool stow_claim_behind(stow_owners *owners, int32_t ref);

// A free of what may be one of several owners' is one of a target that owns. False: none is
// claimed.
bool stow_claim_freed(const stow_domain *domain, stow_owners *owners);

// The owner is needed behind the free: so what stands for it there must stand for others, those
// that were not freed. Claims the first targets that paths from the free lead to. False: none.
bool stow_claim_after_free(const stow_domain *domain, stow_owners *owners, int32_t owner,
                           const stow_mention *free);

#endif // STOWAGE_DEALLOC_CLAIMS_H
