// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Inputs that vary by index, and digests of outputs.
#ifndef INPUTS_H
#define INPUTS_H

#include <stdint.h>

// As examples/generate.py fills its input: the upper bits of a hash.
static inline int8_t hashed(uint32_t index, uint32_t seed) {
  uint32_t h = index + seed;
  for (int round = 0; round < 2; ++round) {
    h *= 739982445;
    h ^= h >> 15;
  }
  return (int8_t)(h >> 24);
}

static inline void fill_input(int8_t *input, uint32_t count, uint32_t seed) {
  for (uint32_t i = 0; i < count; ++i)
    input[i] = hashed(i, seed);
}

// FNV-1a.
static inline uint64_t digest(const void *bytes, uint32_t count) {
  uint64_t hash = 0xCBF29CE484222325;
  for (uint32_t i = 0; i < count; ++i)
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211;
  return hash;
}

#endif
