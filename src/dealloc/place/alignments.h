//===- alignments.h - how aligned a clone must be -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops promise the alignment of their operands (memref.assume_alignment, an `alignment` of
// a load), and elements of views have alignments of their own. A promise that holds for a
// buffer must hold for its clone.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_ALIGNMENTS_H
#define STOWAGE_DEALLOC_ALIGNMENTS_H

#include "dealloc/read/ref_walk.h"
#include "ir/size.h"

// The most that anything in a module relies on, in bytes.
uint64_t stow_largest_promise(MlirOperation module);

typedef struct stow_promises {
  const stow_domain *domain;
  stow_layout layout;
  stow_index uses; // by ref
  uint64_t largest;
  stow_ref_walk readers, sources; // of the last clone
} stow_promises;

// `largest`: of the module. Freed with stow_promises_free.
stow_promises stow_promises_of(const stow_domain *domain, uint64_t largest);
void stow_promises_free(stow_promises *promises);

// The alignment to ask for, in bytes, where a forwarded operand clones; 0: none.
uint64_t stow_clone_alignment(stow_promises *promises, const stow_forwarded *forwarded);

#endif // STOWAGE_DEALLOC_ALIGNMENTS_H
