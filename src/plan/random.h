//===- random.h - numbers by chance, the same in every run ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_RANDOM_H
#define STOWAGE_PLAN_RANDOM_H

#include <stdint.h>

// SplitMix64. Any number is a state to begin with.
static inline uint64_t stow_plan_random_next(uint64_t *state) {
  uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

#endif // STOWAGE_PLAN_RANDOM_H
