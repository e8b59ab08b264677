//===- results.c - calls functions whose results became arguments ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "results.h"

#include <stdio.h>

static _Alignas(64) unsigned char arena[256];
static float x[4], r[4], s[4];

static void prepare(void) {
  for (int i = 0; i < 4; ++i) {
    x[i] = (float)(i % 2 ? i + 1 : -i - 1);
    r[i] = s[i] = 99;
  }
}

static int expect(const char *name, const float *got, int first, int count, float positive,
                  float itself) {
  for (int i = 0; i < count; ++i) {
    const float value = x[first + i], size = value < 0 ? -value : value;
    if (got[i] != positive * size + itself * value) {
      printf("%s: element %d is %f\n", name, i, got[i]);
      return 1;
    }
  }
  return 0;
}

#define RUN(call, ...) (prepare(), call, expect(#call, __VA_ARGS__))

int main(void) {
  int wrong = 0;
  wrong += RUN(twice(x, r, arena), r, 0, 4, 1, 0);
  wrong += RUN(selected(1, x, r, arena), r, 0, 4, 1, 0);
  wrong += RUN(selected(0, x, r, arena), r, 0, 4, 0, 1);
  wrong += RUN(branch(1, x, r, arena), r, 0, 4, 1, 0);
  wrong += RUN(branch(0, x, r, arena), r, 0, 4, 0, -1);
  wrong += RUN(carried(2, x, r, s, arena), r, 0, 4, 1, 0) + expect("carried 1", s, 0, 4, 0, -1);
  wrong += RUN(carried(3, x, r, s, arena), r, 0, 4, 0, -1) + expect("carried 1", s, 0, 4, 1, 0);
  wrong += RUN(blocks(1, x, r, arena), r, 0, 4, 1, 0);
  wrong += RUN(blocks(0, x, r, arena), r, 0, 4, 0, 1);
  wrong += RUN(argument(x, arena), x, 0, 4, 0, 1);
  wrong += RUN(part(x, r, arena), r + 2, 2, 2, 1, 0);
  wrong += RUN(somewhere(x, 1, r, arena), r, 1, 2, 1, 0);
  wrong += RUN(called(1, x, r, arena), r, 0, 4, 1, 1);
  wrong += RUN(called(0, x, r, arena), r, 0, 4, 0, 1);
  printf("results: %d wrong\n", wrong);
  return wrong;
}
