// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls the network of network.mlir. All memory that it works in is the array `arena`.

#include "network.h" // written with the network

#include <stdio.h>

static _Alignas(CLASSIFY_ARENA_ALIGNMENT) uint8_t arena[CLASSIFY_ARENA_BYTES];

int main(void) {
  static float image[34 * 34];
  float scores[3];
  for (int i = 0; i < 34 * 34; i++)
    image[i] = (float)(i / 34 / 4 % 2); // horizontal stripes
  classify(image, scores, arena);
  printf("%g %g %g\n", scores[0], scores[1], scores[2]);
  return 0;
}
