//===- interface.c - calls a network by MLIR's C interface -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "network.h"

#include <stdio.h>
#include <stdlib.h>

// The callbacks of arena=callback.
typedef stowage_memref_int8_t_1 bytes;
void _mlir_ciface_stowage_arena(bytes *out, intptr_t size, intptr_t alignment);
void _mlir_ciface_stowage_arena_release(bytes *memory);
static int taken, released;

void _mlir_ciface_stowage_arena(bytes *out, intptr_t size, intptr_t alignment) {
  int8_t *memory =
      aligned_alloc((size_t)alignment, (size_t)((size + alignment - 1) / alignment * alignment));
  *out = (bytes){memory, memory, 0, {size}, {1}};
  printf("taken: %d bytes\n", (int)size);
  taken++;
}

void _mlir_ciface_stowage_arena_release(bytes *memory) {
  free(memory->allocated);
  released++;
}

static stowage_memref_float_2 matrix(float *data) {
  return (stowage_memref_float_2){data, data, 0, {8, 4}, {4, 1}};
}

int main(void) {
  static _Alignas(128) float x[32], y[32];
  stowage_memref_float_2 in = matrix(x), out = matrix(y);
  for (int i = 0; i < 32; i++)
    x[i] = (float)i;
#ifdef CALLBACK
  _mlir_ciface_net(&in, 0.5f, &out);
#else
  static _Alignas(NET_ARENA_ALIGNMENT) int8_t memory[NET_ARENA_BYTES];
  bytes arena = {memory, memory, 0, {NET_ARENA_BYTES}, {1}};
  _mlir_ciface_net(&in, 0.5f, &out, &arena);
#endif
  for (int i = 0; i < 32; i++)
    if (y[i] != 2 * x[i]) {
      printf("y[%d] is %f\n", i, y[i]);
      return 1;
    }
  printf("interface: taken %d, released %d\n", taken, released);
  return 0;
}
