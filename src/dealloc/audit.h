//===- audit.h - that each owner's memory is freed once on every path -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows each owner forward from its definition, while releases.c goes backward from
// its mentions. On every path ownership ends once: in a free of the program, in a move
// to another owner, or in a release; and nothing mentions the owner's buffer behind
// that. With NDEBUG nothing of it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_AUDIT_H
#define STOWAGE_DEALLOC_AUDIT_H

#include "dealloc/releases.h"

#ifndef NDEBUG
void stow_audit_releases(const stow_domain *domain, const stow_owners *owners,
                         const stow_releases *releases);
#else
static inline void stow_audit_releases(const stow_domain *domain, const stow_owners *owners,
                                       const stow_releases *releases) {
  (void)domain, (void)owners, (void)releases;
}
#endif

#endif // STOWAGE_DEALLOC_AUDIT_H
