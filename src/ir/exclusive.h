//===- exclusive.h - buffers that never are needed together ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where one of two buffers is chosen (both arms of a branch yield into one result), both
// are live from there on as far as positions tell, and yet no run needs both. Two
// buffers can share bytes as soon as neither is touched while the other is live: the
// interference of register allocation. And a touch through a name that stands for one
// of them does no harm to what is live through that same name only, because if it is
// the one, the name is not the other.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_EXCLUSIVE_H
#define STOWAGE_IR_EXCLUSIVE_H

#include "ir/ranges.h"

typedef struct stow_pair {
  int32_t first, second; // allocs; first < second
} stow_pair;

typedef STOW_ARRAY(stow_pair) stow_pairs; // ascending

// The pairs of wanted allocs whose pieces overlap and that can share bytes nevertheless. Looked for
// among buffers with a name in common, within the rest of `ranges`' budget. Freed with
// free(pairs.at).
stow_pairs stow_exclusive_pairs(const stow_flow *flow, stow_ranges *ranges, const bool *wanted);

#endif // STOWAGE_IR_EXCLUSIVE_H
