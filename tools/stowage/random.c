//===- random.c - numbers from a seed -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "random.h"

#include <assert.h>

uint64_t tool_random_next(tool_random *random) {
  uint64_t z = random->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

uint64_t tool_random_between(tool_random *random, uint64_t least, uint64_t most) {
  assert(least <= most);
  const uint64_t range = most - least + 1;
  return range ? least + tool_random_next(random) % range : tool_random_next(random);
}

static unsigned log2_of(uint64_t value) {
  unsigned log = 0;
  while (value >>= 1)
    log++;
  return log;
}

uint64_t tool_random_magnitude(tool_random *random, uint64_t least, uint64_t most) {
  assert(least && least <= most);
  for (;;) {
    const unsigned log = (unsigned)tool_random_between(random, log2_of(least), log2_of(most));
    const uint64_t low = (uint64_t)1 << log;
    const uint64_t value = low + tool_random_next(random) % low;
    if (value >= least && value <= most)
      return value;
  }
}
