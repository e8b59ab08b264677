//===- types.c - arguments of all element types ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "types.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 128, GUARD = 64 };

static _Alignas(64) unsigned char arena[MOST + GUARD], from[MOST], to[MOST];

static void clear(void) {
  memset(to, 0, sizeof to);
  memset(arena, 0xA5, sizeof arena);
}

#ifdef BARE
// Nothing behind the result or the arena was written.
static void tell(const char *name, size_t bytes, size_t arena_bytes) {
  int wrong = memcmp(from, to, bytes) != 0;
  for (size_t i = bytes; i < sizeof to; i++)
    wrong |= to[i] != 0;
  for (size_t i = arena_bytes; i < sizeof arena; i++)
    wrong |= arena[i] != 0xA5;
  printf("%s: %s\n", name, wrong ? "wrong" : "right");
  clear();
}

#define TRY(name, type, bytes)                                                                     \
  (copy_##name((type *)(void *)from, (type *)(void *)to, arena),                                   \
   tell(#name, bytes, (size_t)copy_##name##_arena_bytes()))

static void try_all(void) {
  TRY(f16, uint16_t, 10);
  TRY(bf16, uint16_t, 10);
  TRY(f64, double, 40);
  TRY(i1, uint8_t, 5);
  TRY(i4, int8_t, 5);
  TRY(ui16, uint16_t, 10);
  TRY(i24, int32_t, 20);
  TRY(index, intptr_t, 5 * sizeof(intptr_t));
  TRY(complex, unsigned char, 40);
  TRY(vector, unsigned char, 80);
  TRY(i128, unsigned char, 80);
  TRY(point, float, 4);
  TRY(none, float, 0);
}
#else
// The second column of three rows goes behind the first element of what is returned.
static void try_all(void) {
  float x[] = {-1, -1, 0, 1, 0, 0, 2, 0, 0, 3}, y[5] = {9, 9, 9, 9, 9};
  stowage_memref_float_2 matrix = {x, x, 2, {3, 2}, {3, 1}};
  stowage_memref_float_1 row = {y, y, 0, {5}, {1}};
  stowage_memref_int8_t_1 bytes = {(int8_t *)arena, (int8_t *)arena, 0, {COLUMN_ARENA_BYTES}, {1}};
  column_results results;
  _mlir_ciface_column(&results, &matrix, &row, &bytes);
  printf("column: %d %d, %g %g %g %g %g\n", results.result0, results.result1.aligned == y, y[0],
         y[1], y[2], y[3], y[4]);
}
#endif

int main(void) {
  for (size_t i = 0; i < sizeof from; i++)
    from[i] = (unsigned char)(i % 2);
  clear();
  try_all();
  return 0;
}
