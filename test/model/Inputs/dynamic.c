//===- dynamic.c - calls a model with batches of several sizes ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NET_ARENA_BYTES
#define BYTES(n) net_arena_bytes()
#else
#define BYTES(n) net_arena_bytes(n)
#endif

enum { MOST = 40, GUARD = 64 };

static _Alignas(NET_STATE_ALIGNMENT) int8_t state[NET_STATE_BYTES];
static float x[MOST][3], y[MOST + 1][3], sum[3], expected[3];

static stowage_memref_float_2 rows(float (*data)[3], intptr_t n) {
  return (stowage_memref_float_2){data[0], data[0], 0, {n, 3}, {3, 1}};
}

static void fill(intptr_t n) {
  for (intptr_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      x[i][k] = (float)(i - 2 * k);
      expected[k] += x[i][k];
    }
  memset(y, 0xA5, sizeof y);
}

static int wrong_results(intptr_t n) {
  float behind[3];
  int wrong = memcmp(sum, expected, sizeof sum) != 0;
  memset(behind, 0xA5, sizeof behind);
  wrong += memcmp(y[n], behind, sizeof behind) != 0;
  for (intptr_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      wrong += y[i][k] != 4 * x[i][k];
  return wrong;
}

static int call(intptr_t n) {
  const intptr_t bytes = BYTES(n), alignment = net_arena_alignment();
  int8_t *const memory =
      aligned_alloc((size_t)alignment, (size_t)(bytes + GUARD + alignment - 1) / (size_t)alignment *
                                           (size_t)alignment);
  int wrong = 0;
  memset(memory + bytes, 0x5A, GUARD);
  fill(n);
  stowage_memref_float_2 in = rows(x, n), out = rows(y, n);
  stowage_memref_float_1 total = {sum, sum, 0, {3}, {1}};
  stowage_memref_int8_t_1 kept = {state, state, 0, {NET_STATE_BYTES}, {1}},
                          arena = {memory, memory, 0, {bytes}, {1}};
  _mlir_ciface_net(&in, &kept, &out, &total, &arena);
  for (int i = 0; i < GUARD; i++)
    wrong += memory[bytes + i] != 0x5A;
  free(memory);
  return wrong + wrong_results(n);
}

int main(void) {
  stowage_memref_int8_t_1 kept = {state, state, 0, {NET_STATE_BYTES}, {1}};
  memset(state, 0xA5, sizeof state);
  _mlir_ciface_net_state_init(&kept);
  int wrong = 0;
  for (intptr_t n = 1; n <= MOST; n += 13)
    wrong += call(n);
  wrong += call(0);
  printf("dynamic: %d wrong, bytes for 1 and 40: %d %d\n", wrong, (int)BYTES(1), (int)BYTES(40));
  return wrong != 0;
}
