//===- releases.h - where ownership ends ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An owner's buffer is *needed* from its definition to every mention of a ref that
// may stand for it. Where it is needed no longer, ownership ends: in a move to a
// target that owns, in a free that the program has, or in a dealloc placed there.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_RELEASES_H
#define STOWAGE_DEALLOC_RELEASES_H

#include "dealloc/own/owners.h"

typedef enum stow_spot {
  STOW_AFTER_OP,   // right after the op at `at`, a position
  STOW_AT_START,   // where stretch `at` begins
  STOW_BEFORE_END, // before the op that ends stretch `at`, and after the clones made there
  STOW_ON_PATH,    // on path `at`
} stow_spot;

typedef struct stow_release {
  int32_t owner, stretch; // that it lies in, or that its path leaves
  stow_spot spot;
  int64_t at;
} stow_release;

// An owner that ends where handovers settle who owns what: at the end of `stretch`, on `path`, or
// whichever path is taken (-1).
typedef struct stow_settlement {
  int32_t owner, stretch, path;
} stow_settlement;

typedef struct stow_releases {
  STOW_ARRAY(stow_release) items;
  STOW_ARRAY(stow_settlement) settlements;
} stow_releases;

// Decides the manner of every handover and where to free. Returns false where the owners must be
// found anew: a free of the program that cannot be understood has become a flight, so that what it
// may free is left alone; or a target has become a conditional owner.
bool stow_releases_find(const stow_domain *domain, stow_owners *owners,
                        stow_releases *out_releases);

// The path on which what belongs to a handover must stand: that of a branch which has others; or
// -1.
int32_t stow_path_of(const stow_domain *domain, const stow_handover *handover);

void stow_releases_free(stow_releases *releases);

#endif // STOWAGE_DEALLOC_RELEASES_H
