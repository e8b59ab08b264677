// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A thousand calls of a network from eight threads, each with an arena of its own: every output is
// the one that a single thread computes. Two calls at once in one arena, as with -DSHARED, are the
// caller's mistake.

#include "inputs.h"
#include "network.h"

#include <pthread.h>
#include <stdio.h>

#ifndef CALLS
#define CALLS 1000
#endif

enum { THREADS = 8, INPUTS = 5 };

typedef struct worker {
  _Alignas(FORWARD_ARENA_ALIGNMENT) uint8_t arena[FORWARD_ARENA_BYTES];
  int8_t input[INPUT_BYTES], output[OUTPUT_BYTES];
  int number, different;
} worker;

static worker workers[THREADS];
static uint64_t expected[INPUTS];

static uint64_t call(worker *w, int which) {
#ifdef SHARED
  uint8_t *arena = workers[0].arena;
#else
  uint8_t *arena = w->arena;
#endif
  fill_input(w->input, sizeof w->input, SEED + which);
  forward(w->input, w->output, arena);
  return digest(w->output, sizeof w->output);
}

static void *work(void *argument) {
  worker *w = argument;
  for (int i = w->number; i < CALLS; i += THREADS)
    w->different += call(w, i % INPUTS) != expected[i % INPUTS];
  return NULL;
}

int main(void) {
  for (int i = 0; i < INPUTS; ++i)
    expected[i] = call(&workers[0], i);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    workers[i].number = i;
    if (pthread_create(&threads[i], NULL, work, &workers[i]))
      return 2;
  }
  int different = 0;
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    different += workers[i].different;
  }
  printf("%d calls, %d outputs differ\n", CALLS, different);
  return different != 0;
}
