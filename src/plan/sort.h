//===- sort.h - stable sorting of indices by 64-bit keys ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SORT_H
#define STOWAGE_PLAN_SORT_H

#include "memory.h"

typedef struct stow_sort_pair {
  uint64_t key;
  uint32_t index;
} stow_sort_pair;

// Sorts `pairs` by ascending key and keeps the order of equal keys. `scratch` has room for as many.
// An order over several keys is several calls, the least significant key first.
void stow_sort_pairs(stow_sort_pair *pairs, stow_sort_pair *scratch, size_t count);

// A signed time as a key that sorts alike.
static inline uint64_t stow_plan_sort_signed(int64_t value) {
  return (uint64_t)value ^ (UINT64_C(1) << 63);
}

#endif // STOWAGE_PLAN_SORT_H
