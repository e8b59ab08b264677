// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused multiply-adds of 32 bits that this processor does in a second, at most: independent sums in
// registers, no memory. Compile with -O3 -march=native -ffp-contract=fast. Prints the most of many
// runs.

#include <stdio.h>
#include <time.h>

#ifdef __AVX512F__
enum { lanes = 16 };
#elif defined __AVX__
enum { lanes = 8 };
#else
enum { lanes = 4 };
#endif
enum { sums = 12, steps = 1 << 20, runs = 200 };

typedef float vector __attribute__((vector_size(4 * lanes)));

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static vector run(vector by, vector plus) {
  vector sum[sums], all = {0};
  for (int k = 0; k < sums; ++k)
    sum[k] = by + (float)k;
  for (long i = 0; i < steps; ++i)
    for (int k = 0; k < sums; ++k)
      sum[k] = sum[k] * by + plus;
  for (int k = 0; k < sums; ++k)
    all += sum[k];
  return all;
}

int main(void) {
  volatile float seed = 0.5f;
  double most = 0;
  vector kept = {0};
  for (int i = 0; i < runs; ++i) {
    double begun = now();
    kept += run(seed - (vector){0}, seed - (vector){0});
    double rate = (double)steps * sums * lanes / (now() - begun);
    most = rate > most ? rate : most;
  }
  printf("%.0f\n", most);
  return kept[0] == 0;
}
