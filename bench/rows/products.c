// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One matrix product, C += A * B, by each road, in turns: the least time of each. A is filled here,
// B is read from the file that the generated code has its constant from.
//
//   products M N K B-FILE MILLISECONDS

#include <dnnl.h>
#include <libxsmm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 64 }; // rows that a call of libxsmm takes

static int m, n, k;
static float *a, *b, *packed_a, *packed_b;

void generated(float *a, float *c);
void packed(float *a, float *b, float *c);

static libxsmm_smmfunction whole, rest;

static libxsmm_smmfunction kernel(int rows) {
  const float one = 1;
  return libxsmm_smmdispatch(n, rows, k, NULL, NULL, NULL, &one, &one, NULL, NULL);
}

static void by_libxsmm(float *c) {
  int row = 0; // its matrices are column by column: the transposes change places
  for (; row + TILE <= m; row += TILE)
    whole(b, a + (size_t)row * k, c + (size_t)row * n);
  if (row < m)
    rest(b, a + (size_t)row * k, c + (size_t)row * n);
}

static void by_onednn(float *c) { dnnl_sgemm('N', 'N', m, n, k, 1, a, k, b, n, 1, c, n); }
static void by_vectors(float *c) { generated(a, c); }
static void by_mmt4d(float *c) { packed(packed_a, packed_b, c); }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static float *filled(size_t count) {
  float *at = aligned_alloc(64, (count * sizeof *at + 63) / 64 * 64);
  for (size_t i = 0; at && i < count; ++i)
    at[i] = (float)(i * 7 % 31) / 16 - 1;
  return at;
}

static float *zeros(size_t count) {
  float *at = aligned_alloc(64, (count * sizeof *at + 63) / 64 * 64);
  if (at)
    memset(at, 0, count * sizeof *at);
  return at;
}

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  m = atoi(argv[1]);
  n = atoi(argv[2]);
  k = atoi(argv[3]);
  const size_t results = (size_t)m * n, weights = (size_t)k * n;
  a = filled((size_t)m * k);
  b = zeros(weights);
  packed_a = filled((size_t)(m + 8) * k);
  packed_b = filled(weights + 32 * (size_t)k);
  FILE *file = fopen(argv[4], "rb");
  if (!a || !b || !packed_a || !packed_b || !file || fread(b, sizeof *b, weights, file) != weights)
    return 1;
  fclose(file);
  whole = kernel(TILE);
  rest = m % TILE ? kernel(m % TILE) : NULL;
  const struct road {
    const char *name;
    void (*run)(float *);
  } roads[] = {
      {"vectors", by_vectors}, {"mmt4d", by_mmt4d}, {"libxsmm", by_libxsmm}, {"onednn", by_onednn}};
  enum { ROADS = sizeof roads / sizeof *roads };
  float *c[ROADS];
  double least[ROADS];
  for (int r = 0; r < ROADS; ++r) {
    c[r] = zeros(results + 8 * (size_t)n + 256 * (size_t)m);
    if (!c[r] || (roads[r].run == by_libxsmm && (!whole || (m % TILE && !rest))))
      return 1;
    least[r] = INFINITY;
    roads[r].run(c[r]);
  }
  for (size_t i = 0; i < results; ++i) // what mmt4d has is in another order
    for (int r = 2; r < ROADS; ++r)
      if (fabsf(c[r][i] - c[0][i]) > 1e-4f * (float)k) {
        fprintf(stderr, "%s differs at %zu: %g, %g\n", roads[r].name, i, c[r][i], c[0][i]);
        return 1;
      }
  for (const double end = now() + atof(argv[5]) / 1000; now() < end;)
    for (int r = 0; r < ROADS; ++r) {
      const double begin = now();
      roads[r].run(c[r]);
      const double time = now() - begin;
      least[r] = time < least[r] ? time : least[r];
    }
  for (int r = 0; r < ROADS; ++r)
    printf("%s %.3f\n", roads[r].name, least[r] * 1e6);
  return 0;
}
