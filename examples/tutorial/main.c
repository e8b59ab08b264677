// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls the network of network.mlir. All memory that it works in is the array `arena`.

#include "network.h" // written with the network

#include <stdio.h>

static _Alignas(CLASSIFY_ARENA_ALIGNMENT) uint8_t arena[CLASSIFY_ARENA_BYTES];

int main(void) {
  float input[4] = {1.0f, -2.0f, 0.5f, 3.0f}, output[3];
  classify(input, output, arena);
  printf("%g %g %g\n", output[0], output[1], output[2]);
  return 0;
}
