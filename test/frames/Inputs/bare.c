//===- bare.c - calls a network by bare pointers, with an arena of its own --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "network.h"

#include <stdio.h>
#include <string.h>

enum { GUARD = 64 };

// The arena is used up to its last byte at most, and tells its size as the header does.
int main(void) {
  static _Alignas(NET_ARENA_ALIGNMENT) unsigned char arena[NET_ARENA_BYTES + GUARD];
  static _Alignas(128) float x[32], y[32];
  memset(arena, 0xA5, sizeof arena);
  for (int i = 0; i < 32; i++)
    x[i] = (float)i;
  net(x, 0.5f, y, arena);
  for (int i = 0; i < 32; i++)
    if (y[i] != 2 * x[i]) {
      printf("y[%d] is %f\n", i, y[i]);
      return 1;
    }
  for (int i = 0; i < GUARD; i++)
    if (arena[NET_ARENA_BYTES + i] != 0xA5) {
      printf("byte %d behind the arena was written\n", i);
      return 1;
    }
  printf("bare: %d bytes\n", NET_ARENA_BYTES);
  return net_arena_bytes() != NET_ARENA_BYTES || net_arena_alignment() != NET_ARENA_ALIGNMENT;
}
