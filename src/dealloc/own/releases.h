//===- releases.h - where ownership ends ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An owner's buffer is *needed* from its definition to every mention of a ref that
// may stand for it. Where it is needed no longer, ownership ends: in a move to a
// phi that owns, in a free that the program has, or in a dealloc placed there.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_RELEASES_H
#define STOWAGE_DEALLOC_RELEASES_H

#include "dealloc/own/owners.h"

typedef enum stow_spot {
  STOW_AFTER_OP,   // right after the op at `at`, a position
  STOW_AT_START,   // where segment `at` begins
  STOW_BEFORE_END, // before the op that ends segment `at`, and after the clones made there
  STOW_ON_EDGE,    // on edge `at`
} stow_spot;

typedef struct stow_release {
  int32_t owner, segment; // in which it lies, or from which its edge leads
  stow_spot spot;
  int64_t at;
} stow_release;

// An owner that ends where it is found at run time which phi becomes its successor: at the end of
// `segment`, on `edge`, or on whichever edge is taken (-1).
typedef struct stow_settlement {
  int32_t owner, segment, edge;
} stow_settlement;

typedef struct stow_releases {
  STOW_ARRAY(stow_release) items;
  STOW_ARRAY(stow_settlement) settlements;
} stow_releases;

// Finds the owners, decides all transfers and where to free. Phis that were made to own before do
// so.
void stow_releases_find(stow_owners *owners, stow_releases *out_releases);

// The edge on which a forwarded operand's clone and bits must stand, if its branch has others; or
// -1.
int32_t stow_edge_of(const stow_domain *domain, const stow_forwarded *forwarded);

void stow_releases_free(stow_releases *releases);

#endif // STOWAGE_DEALLOC_RELEASES_H
