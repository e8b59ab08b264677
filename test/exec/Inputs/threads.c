// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel of 16 threads, one thread after the other from barrier to barrier, in the order
// that the argument names: 0 as they are numbered, 1 backward, others at random. Copies of cp.async
// are done when they are started (orders that are even), or when they are waited for. Prints the
// bits of the result.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { THREADS = 16, ROW = 32, STACK = 1 << 16, COPIES = 256 };

typedef struct copy {
  void *to;
  const void *from;
} copy;

typedef struct thread {
  ucontext_t context;
  char stack[STACK];
  int done;
  copy copies[COPIES];
  int count, finished;      // copies that were started, and the first of these that are done
  int ends[COPIES], groups; // where groups end
} thread;

static thread threads[THREADS];
static ucontext_t scheduler;
static int current, late;
static float x[THREADS * ROW], y[THREADS * ROW], out[THREADS * THREADS];

#define MATRIX float *, float *, int64_t, int64_t, int64_t, int64_t, int64_t
void kernel(MATRIX, MATRIX, MATRIX);

static void finish(thread *t, int count) {
  for (; t->finished < count; ++t->finished)
    memcpy(t->copies[t->finished].to, t->copies[t->finished].from, 16);
}

int32_t nvvm_read_ptx_sreg_tid_x(void) { return current; }
int32_t nvvm_read_ptx_sreg_ntid_x(void) { return THREADS; }

void nvvm_barrier_cta_sync_aligned_all(int32_t id) {
  (void)id;
  swapcontext(&threads[current].context, &scheduler);
}

void nvvm_cp_async_ca_shared_global_16(void *to, const void *from) {
  thread *t = &threads[current];
  t->copies[t->count++] = (copy){to, from};
  if (!late)
    finish(t, t->count);
}

void nvvm_cp_async_commit_group(void) {
  thread *t = &threads[current];
  t->ends[t->groups++] = t->count;
}

void nvvm_cp_async_wait_group(int32_t left) {
  thread *t = &threads[current];
  if (t->groups > left)
    finish(t, t->ends[t->groups - 1 - left]);
}

static void run(void) {
  kernel(x, x, 0, THREADS, ROW, ROW, 1, y, y, 0, THREADS, ROW, ROW, 1, out, out, 0, THREADS,
         THREADS, THREADS, 1);
  finish(&threads[current], threads[current].count);
  threads[current].done = 1;
}

static void start(thread *t) {
  getcontext(&t->context);
  t->context.uc_stack.ss_sp = t->stack;
  t->context.uc_stack.ss_size = STACK;
  t->context.uc_link = &scheduler;
  makecontext(&t->context, run, 0);
}

static void put_in_order(int order[THREADS], int number) {
  for (int i = 0; i < THREADS; ++i)
    order[i] = number == 1 ? THREADS - 1 - i : i;
  for (int i = THREADS - 1; i > 0 && number > 1; --i) {
    const int j = rand() % (i + 1), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

int main(int argc, char **argv) {
  const int number = argc > 1 ? atoi(argv[1]) : 0;
  int order[THREADS], running = 1;
  late = number % 2;
  srand((unsigned)number);
  for (int i = 0; i < THREADS * ROW; ++i) {
    x[i] = (float)(i * 7 % 31) / 8;
    y[i] = (float)(i * 5 % 29) / 4;
  }
  for (int i = 0; i < THREADS; ++i)
    start(&threads[i]);
  while (running) {
    running = 0;
    put_in_order(order, number);
    for (int i = 0; i < THREADS; ++i) {
      current = order[i];
      if (!threads[current].done)
        swapcontext(&scheduler, &threads[current].context);
      running |= !threads[current].done;
    }
  }
  for (int i = 0; i < THREADS * THREADS; ++i) {
    uint32_t bits;
    memcpy(&bits, &out[i], sizeof bits);
    printf("%08x\n", (unsigned)bits);
  }
  return 0;
}
