/* Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "memories.h"
#include "plain.h"

#include <stdio.h>
#include <string.h>

/* What a linker script would put into its section. */
static _Alignas(WAITS_ARENA_ALIGNMENT_SRAM) unsigned char sram[WAITS_ARENA_BYTES_SRAM];
static _Alignas(WAITS_ARENA_ALIGNMENT) unsigned char dram[WAITS_ARENA_BYTES];
static _Alignas(PLAIN_ARENA_ALIGNMENT) unsigned char whole[PLAIN_ARENA_BYTES];

int main(void) {
  static float x[64], m[64 * 64], y[64], z[64];
  for (int i = 0; i < 64; ++i)
    x[i] = (float)(i - 32) / 16;
  for (int i = 0; i < 64 * 64; ++i)
    m[i] = (float)(i % 37 - 18) / 64;
  memset(sram, 0xa5, sizeof sram);
  memset(dram, 0xa5, sizeof dram);
  waits(x, m, y, sram, dram);
  plain(x, m, z, whole);
  printf("%s\n", memcmp(y, z, sizeof y) == 0 ? "equal" : "different");
  return 0;
}
