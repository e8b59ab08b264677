//===- bf16.c - calls a network of bf16 -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bf16.h"

#include <stdio.h>
#include <string.h>

static uint16_t half_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16);
}

// x * x + x of numbers whose squares have no more than eight digits.
int main(void) {
  static _Alignas(64) uint16_t x[4], y[4];
  static _Alignas(64) unsigned char arena[SQUARES_ARENA_BYTES + 1];
  for (int i = 0; i < 4; ++i)
    x[i] = half_of((float)i - 1.5f);
  squares(x, y, arena);
  for (int i = 0; i < 4; ++i) {
    const float value = (float)i - 1.5f;
    if (y[i] != half_of(value * value + value)) {
      printf("y[%d] is %04x\n", i, y[i]);
      return 1;
    }
  }
  printf("bf16: right\n");
  return 0;
}
