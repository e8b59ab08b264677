//===- random.h - numbers from a seed -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_RANDOM_H
#define STOWAGE_TOOL_RANDOM_H

#include <stdint.h>

// The state of a SplitMix64 generator; any value is a seed. Integers only, so that a seed gives the
// same numbers on every machine.
typedef struct tool_random {
  uint64_t state;
} tool_random;

uint64_t tool_random_next(tool_random *random);

// Uniform in [least, most].
uint64_t tool_random_between(tool_random *random, uint64_t least, uint64_t most);

// Near log-uniform in [least, most], 0 < least: the power of two is uniform, then what is between.
uint64_t tool_random_magnitude(tool_random *random, uint64_t least, uint64_t most);

#endif // STOWAGE_TOOL_RANDOM_H
