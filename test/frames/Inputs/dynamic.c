//===- dynamic.c - calls a network whose arena the sizes of its arguments say ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef stowage_memref_int8_t_1 bytes;
enum { GUARD = 64 };

// So many bytes and no more, between bytes that must not change.
typedef struct memory {
  int8_t *first;
  intptr_t size;
} memory;

static memory take(intptr_t size, intptr_t alignment) {
  const size_t before = (size_t)alignment, all = before + (size_t)size + GUARD;
  int8_t *first = aligned_alloc(before, (all + before - 1) / before * before);
  memset(first, 0x5A, all);
  return (memory){first + before, size};
}

static int give_back(memory m, intptr_t alignment) {
  int wrong = 0;
  for (intptr_t i = 0; i < GUARD; i++)
    wrong += m.first[m.size + i] != 0x5A;
  for (intptr_t i = 1; i <= alignment; i++)
    wrong += m.first[-i] != 0x5A;
  free(m.first - alignment);
  return wrong;
}

static int wrong, taken;

#ifdef CALLBACK
void _mlir_ciface_stowage_arena(bytes *out, intptr_t size, intptr_t alignment);
void _mlir_ciface_stowage_arena_release(bytes *given);

void _mlir_ciface_stowage_arena(bytes *out, intptr_t size, intptr_t alignment) {
  const memory m = take(size, alignment);
  *out = (bytes){m.first, m.first, 0, {size}, {1}};
  taken++;
}

void _mlir_ciface_stowage_arena_release(bytes *given) {
  wrong += give_back((memory){given->aligned, given->sizes[0]}, NET_ARENA_ALIGNMENT);
}
#endif

static stowage_memref_float_1 row(float *data, intptr_t size) {
  return (stowage_memref_float_1){data, data, 0, {size}, {1}};
}

static void call(stowage_memref_float_1 *x, stowage_memref_float_1 *y, intptr_t k) {
#ifdef CALLBACK
  _mlir_ciface_net(x, y, k, 0.5f);
#else
  const intptr_t n = x->sizes[0], m = y->sizes[0];
  const memory arena = take(net_arena_bytes(n, m, k), net_arena_alignment());
  bytes given = {arena.first, arena.first, 0, {arena.size}, {1}};
  _mlir_ciface_net(x, y, k, 0.5f, &given);
  wrong += give_back(arena, net_arena_alignment());
#endif
}

static void run(intptr_t n, intptr_t m, intptr_t k) {
  static float x[5000], y[5000];
  stowage_memref_float_1 first = row(x, n), second = row(y, m);
  for (int i = 0; i < 5000; i++) {
    x[i] = (float)i;
    y[i] = (float)(2 * i);
  }
  call(&first, &second, k);
  for (int i = 0; i < 5000; i++)
    wrong += x[i] != (float)(i < n ? 9 * i : i) ||
             y[i] != (float)(i < m ? 18 * i : 2 * i) + (i == 0 && m > 0 ? 0.5f * (float)k : 0.0f);
}

int main(void) {
  static const intptr_t sizes[] = {0, 1, 7, 64, 1000, 4097};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  for (int a = 0; a < COUNT; a++)
    for (int b = 0; b < COUNT; b++)
      for (int c = 0; c < COUNT; c++)
        run(sizes[a], sizes[b], sizes[c]);
  printf("dynamic: %d wrong, taken %d\n", wrong, taken);
  printf("bytes: %d %d %d\n", (int)net_arena_bytes(64, 64, 0), (int)net_arena_bytes(1024, 64, 0),
         (int)net_arena_bytes(64, 2048, 16));
  return 0;
}
