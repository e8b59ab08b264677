//===- state.c - calls a model whose state it keeps -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "state.h"

#include <stdio.h>
#include <string.h>

enum { GUARD = 64 };
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

typedef struct state {
  _Alignas(MODEL_0_STATE_ALIGNMENT) unsigned char bytes[MODEL_0_STATE_BYTES + GUARD];
} state;

enum {
  ARENA_BYTES =
      LARGER(LARGER(MODEL_0_ARENA_BYTES, CALLS_SO_FAR_ARENA_BYTES), DOUBLED_ARENA_BYTES) + 1
};
static _Alignas(MODEL_0_ARENA_ALIGNMENT) unsigned char arena[ARENA_BYTES];

static int64_t calls_in(state *s, bool more) {
  int64_t calls;
  calls_so_far(more, s->bytes, &calls, arena);
  return calls;
}

// One call, against what a program of another language would do.
static int step(state *s, int8_t expected[3], bool before, int8_t x, bool bit, int64_t count) {
  int8_t window[3];
  uint8_t was, given = bit;
  int64_t calls;
  model_0(&x, &given, s->bytes, window, &was, &calls, arena);
  memmove(expected, expected + 1, 2);
  expected[2] = x;
  return memcmp(window, expected, 3) != 0 || was != before || calls != count;
}

static int run(state *s, int64_t first) {
  int8_t expected[3] = {0, 7, 8};
  int wrong = 0;
  for (int i = 0; i < 6; i++)
    wrong += step(s, expected, i == 0 || i % 3 == 0, (int8_t)(3 * i - 5), (i + 1) % 3 == 0,
                  first + i + 1);
  return wrong;
}

static int stores_twice(state *s) {
  int8_t given[2] = {3, 4}, sum[2];
  twice(given, s->bytes, sum, arena);
  return sum[0] != 6 || sum[1] != 8;
}

static int stores_what_it_loaded(state *s) {
  int8_t sum[2];
  doubled(s->bytes, sum, arena);
  doubled(s->bytes, sum, arena);
  return sum[0] != 6 || sum[1] != 8;
}

static int guards_written(const state *s) {
  int written = 0;
  for (int i = 0; i < GUARD; i++)
    written += s->bytes[MODEL_0_STATE_BYTES + i] != 0xA5;
  return written;
}

// Two states know nothing of each other, and each begins anew where it is told.
int main(void) {
  static state one, other;
  memset(&one, 0xA5, sizeof one);
  memset(&other, 0xA5, sizeof other);
  model_0_state_init(one.bytes);
  calls_so_far_state_init(other.bytes);
  int wrong = run(&one, 100) + run(&other, 100);
  wrong += calls_in(&one, false) != 106;
  wrong += calls_in(&one, true) != 107;
  wrong += calls_in(&one, false) != 108;
  wrong += calls_in(&other, false) != 106;
  wrong += stores_twice(&other);
  wrong += stores_what_it_loaded(&other);
  model_0_state_init(one.bytes);
  wrong += run(&one, 100);
  wrong += guards_written(&one) + guards_written(&other);
  printf("state: %d wrong\n", wrong);
  return wrong != 0;
}
