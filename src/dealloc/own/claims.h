//===- claims.h - targets that are made to own ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frees of a program imply who owns. That is followed where it can be found: only
// those targets are made to own that a free asks for. So the pass reads its own output
// as it was meant, and adds nothing to it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_CLAIMS_H
#define STOWAGE_DEALLOC_CLAIMS_H

#include "dealloc/own/owners.h"

// Makes all borrowing targets own that a ref is, or is a view of, and those that pass these what
// may be one of several owners'. False: there are none.
bool stow_claim_behind(stow_owners *owners, int32_t ref);

// If a free may be of one of several owners' buffers, it is a free of a target that owns. False:
// none is claimed.
bool stow_claim_freed(const stow_domain *domain, stow_owners *owners);

// The owner is needed after the free: so the refs that may stand for it there must stand for other
// buffers, which were not freed. Claims the first targets that paths from the free lead to. False:
// none.
bool stow_claim_after_free(const stow_domain *domain, stow_owners *owners, int32_t owner,
                           const stow_mention *free);

#endif // STOWAGE_DEALLOC_CLAIMS_H
