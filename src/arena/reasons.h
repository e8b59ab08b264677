//===- reasons.h - why what could be planned is not -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reasons beside those of ir/reason.h, with the same columns: those of options, of kernels, and
// those that arenas have.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_REASONS_H
#define STOWAGE_ARENA_REASONS_H

#include "ir/reason.h"

#define STOW_ARENA_REASONS(X)                                                                      \
  X(STOW_NOT_CERTAIN, "not-certain",                                                               \
    "it may not be allocated when the region around it runs, or outlives that region", NULL, 0)    \
  X(STOW_DIVERGENT, "divergent-barrier",                                                           \
    "some threads may reach '%s' without the others, or more often",                               \
    "move it to the kernel's own blocks", 0)                                                       \
  X(STOW_NO_KERNEL, "not-a-kernel", "its function may be called again while threads still use it", \
    "inline it into its kernels", 0)                                                               \
  X(STOW_ATTRIBUTES, "attributes", "it has attributes other than an alignment", NULL, 0)           \
  X(STOW_NO_DEALLOC, "no-dealloc", "nothing deallocates it", "run buffer-deallocation",            \
    STOW_BY_REQUIRE_DEALLOC)                                                                       \
  X(STOW_OTHER_SPACE, "memory-space", "its memory space is not among memory-spaces", NULL, 0)      \
  X(STOW_NOT_ASKED, "not-asked", "the pass does not plan such memory, or not yet", NULL, 0)        \
  X(STOW_HEAP_PEAK, "heap-peak",                                                                   \
    "with it, arenas and other allocations would exceed max-heap-overhead", NULL,                  \
    STOW_BY_HEAP_OVERHEAD)                                                                         \
  X(STOW_TRACER, "tracer", "the tracer leaves it alone", NULL, 0)                                  \
  X(STOW_SMALL, "small", "it is smaller than min-size-in-bytes", NULL, 0)                          \
  X(STOW_EMPTY, "empty", "it holds no bytes", NULL, 0)                                             \
  X(STOW_NO_GAIN, "no-gain", "aligned slices would take more bytes than separate buffers", NULL,   \
    STOW_BY_ALIGNMENT | STOW_BY_POOL_ALL)                                                          \
  X(STOW_NO_PARTNER, "no-partner", "no other planned buffer can share bytes with it", NULL,        \
    STOW_BY_POOL_ALL)

enum {
  STOW_ARENA_REASONS_BEFORE = STOW_REASON_COUNT - 1,
#define STOW_REASON_ENUMERATOR(ENUM, CODE, CLAUSE, ADVICE, OPTIONS) ENUM,
  STOW_ARENA_REASONS(STOW_REASON_ENUMERATOR)
#undef STOW_REASON_ENUMERATOR
      STOW_ARENA_REASON_COUNT
};

// Of a reason of either table.
const stow_reason_row *stow_arena_reason_row(stow_reason reason);

#endif // STOWAGE_ARENA_REASONS_H
