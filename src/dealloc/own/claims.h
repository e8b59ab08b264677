//===- claims.h - phis that are made to own -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frees of a program show who owns: a phi that is freed does. No other phi is made to
// own for them. So the pass finds the owners of its own output again, and adds nothing.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_CLAIMS_H
#define STOWAGE_DEALLOC_CLAIMS_H

#include "dealloc/own/owners.h"

// Makes all borrowing phis own that a ref is, or is a view of, and their incoming phis that may be
// one of several owners' buffers. False: there are none.
bool stow_claim_behind(stow_owners *owners, int32_t ref);

// What is freed, and may be one of several owners' buffers, is or comes from a phi that owns.
// False: no phi is made to own.
bool stow_claim_freed(const stow_domain *domain, stow_owners *owners);

// The owner is needed after the free. So the refs that may stand for it there must be other
// buffers, which were not freed: the first phis of it behind the free are made to own. False: there
// are none.
bool stow_claim_after_free(const stow_domain *domain, stow_owners *owners, int32_t owner,
                           const stow_own_mention *free);

#endif // STOWAGE_DEALLOC_CLAIMS_H
