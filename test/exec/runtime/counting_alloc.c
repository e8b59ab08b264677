//===- counting_alloc.c - the heap of executed tests ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code lowered with finalize-memref-to-llvm{use-generic-functions=1} takes its
// memory from the three functions at the end of this file. They count what the
// program really holds, and make misuse show:
//
//  * A block lies between two guards, and is aligned to what was asked for and
//    to no more, so that a missing alignment cannot pass by luck.
//  * Fresh bytes are 0xff (a NaN in every float type, -1 in every integer);
//    freed bytes are 0x7f (huge in f32 and f64) and stay in quarantine, where a
//    late write is seen when the block leaves it.
//  * With STOWAGE_ALLOC_PROTECT=1 blocks have pages of their own, which are closed
//    when the block is freed: so a late read is seen as well, at once, and ends
//    the program. Each block then costs a page and two system calls.
//  * Freeing twice, freeing what was never allocated or lies inside a block, and
//    broken guards are errors: said on stderr at once, counted, and exit status 66 at the end.
//    Blocks never freed are counted, not judged.
//
// At exit one line of key=value pairs goes to the file named by
// STOWAGE_ALLOC_REPORT, or to stderr. STOWAGE_ALLOC_POISON=0 keeps the counting
// alone, for measuring time.
//
// A heap belongs to its process, so this one is a static object behind a lock.
// Invariant: a block is in the table from its allocation until it leaves the
// quarantine; `live` is the sum of the sizes of blocks in the table not freed.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { FRESH = 0xff, FREED = 0x7f, GUARD = 0xc9 };
enum { MIN_ALIGNMENT = 16, PAGE = 4096, BUCKETS = 1 << 16, EXIT_MISUSED = 66 };
static const size_t quarantine_limit = (size_t)64 << 20;

typedef struct block {
  unsigned char *raw;  // what the C library gave
  unsigned char *data; // what the program got: raw + guard
  size_t size;
  size_t guard; // bytes of guard on either side
  size_t bytes; // from raw on
  bool freed;
  struct block *chain;   // next in the same bucket
  struct block *younger; // next in quarantine
} block;

static struct {
  pthread_mutex_t lock;
  bool poison, protect, configured;
  block *table[BUCKETS];
  block *oldest, *youngest; // the quarantine, first in first out
  size_t quarantined;
  uint64_t allocs, frees, total, live, peak;
  uint64_t double_frees, unknown_frees, overruns, late_writes, late_touches;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void catch_touches(void);

static void configure(void) {
  if (heap.configured)
    return;
  const char *poison = getenv("STOWAGE_ALLOC_POISON"), *protect = getenv("STOWAGE_ALLOC_PROTECT");
  heap.poison = !poison || strcmp(poison, "0") != 0;
  heap.protect = heap.poison && protect && strcmp(protect, "0") != 0;
  if (heap.protect)
    catch_touches();
  heap.configured = true;
}

static void misuse(uint64_t *counter, const char *what, const void *address, size_t size) {
  ++*counter;
  fprintf(stderr, "counting_alloc: %s at %p (%zu bytes)\n", what, address, size);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static block **bucket_of(const void *data) {
  const uint64_t mixed = (uint64_t)(uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15);
  return &heap.table[mixed >> 48];
}

// The link that points to the block, or to the null at the end of its chain.
static block **find(const void *data) {
  block **link = bucket_of(data);
  while (*link && (*link)->data != data)
    link = &(*link)->chain;
  return link;
}

static void insert(block *b) {
  block **bucket = bucket_of(b->data);
  b->chain = *bucket;
  *bucket = b;
}

static const block *block_around(const unsigned char *address) {
  for (size_t i = 0; i < BUCKETS; i++)
    for (const block *b = heap.table[i]; b; b = b->chain)
      if (address >= b->raw && address < b->raw + b->bytes)
        return b;
  return NULL;
}

static void discard(block *b) {
  *find(b->data) = b->chain;
  free(b->raw);
  free(b);
}

//===----------------------------------------------------------------------===//
// Guards and quarantine
//===----------------------------------------------------------------------===//

static bool holds_only(const unsigned char *bytes, size_t size, unsigned char value) {
  return size == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static void paint(const block *b) {
  memset(b->raw, GUARD, b->guard);
  memset(b->data, FRESH, b->size);
  memset(b->data + b->size, GUARD, b->guard);
}

static void check_guards(const block *b) {
  if (!holds_only(b->raw, b->guard, GUARD))
    misuse(&heap.overruns, "write before a block", b->data, b->size);
  if (!holds_only(b->data + b->size, b->guard, GUARD))
    misuse(&heap.overruns, "write past a block", b->data, b->size);
}

static void release_oldest(void) {
  block *b = heap.oldest;
  heap.oldest = b->younger;
  if (!heap.oldest)
    heap.youngest = NULL;
  heap.quarantined -= b->size;
  if (heap.protect)
    mprotect(b->raw, b->bytes, PROT_READ | PROT_WRITE);
  if (!holds_only(b->data, b->size, FREED))
    misuse(&heap.late_writes, "write after free", b->data, b->size);
  discard(b);
}

static void quarantine(block *b) {
  memset(b->data, FREED, b->size);
  if (heap.protect)
    mprotect(b->raw, b->bytes, PROT_NONE);
  if (heap.youngest)
    heap.youngest->younger = b;
  else
    heap.oldest = b;
  heap.youngest = b;
  heap.quarantined += b->size;
  while (heap.quarantined > quarantine_limit)
    release_oldest();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

// raw is a multiple of twice the guard, and the guard a power of two: data is
// aligned to the guard and to nothing larger.
static block *new_block(size_t alignment, size_t size) {
  const size_t guard = alignment < MIN_ALIGNMENT ? MIN_ALIGNMENT : alignment;
  size_t bytes;
  if ((guard & (guard - 1)) != 0 || __builtin_add_overflow(size, 2 * guard, &bytes))
    return NULL;
  const size_t unit = heap.protect ? PAGE : 1;
  if (__builtin_add_overflow(bytes, unit - 1, &bytes))
    return NULL;
  bytes -= bytes % unit;
  block *b = calloc(1, sizeof *b);
  void *raw = NULL;
  if (!b || posix_memalign(&raw, 2 * guard < unit ? unit : 2 * guard, bytes) != 0) {
    free(b);
    return NULL;
  }
  *b = (block){.raw = raw,
               .data = (unsigned char *)raw + guard,
               .size = size,
               .guard = guard,
               .bytes = bytes};
  return b;
}

static void *allocate(size_t alignment, size_t size) {
  pthread_mutex_lock(&heap.lock);
  configure();
  block *b = new_block(alignment, size);
  if (b) {
    insert(b);
    if (heap.poison)
      paint(b);
    heap.allocs++;
    heap.total += size;
    heap.live += size;
    if (heap.live > heap.peak)
      heap.peak = heap.live;
  }
  pthread_mutex_unlock(&heap.lock);
  return b ? b->data : NULL;
}

static void retire(block *b) {
  b->freed = true;
  heap.frees++;
  heap.live -= b->size;
  if (heap.poison) {
    check_guards(b);
    quarantine(b);
  } else {
    discard(b);
  }
}

static void release(void *data) {
  if (!data)
    return;
  pthread_mutex_lock(&heap.lock);
  block *b = *find(data);
  if (!b)
    misuse(&heap.unknown_frees,
           block_around(data) ? "free of a pointer into a block" : "free of an unknown pointer",
           data, 0);
  else if (b->freed)
    misuse(&heap.double_frees, "second free", data, b->size);
  else
    retire(b);
  pthread_mutex_unlock(&heap.lock);
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

static void check_survivors(void) {
  for (size_t i = 0; i < BUCKETS; i++)
    for (const block *b = heap.table[i]; b; b = b->chain)
      check_guards(b);
}

static void write_summary(void) {
  const char *path = getenv("STOWAGE_ALLOC_REPORT");
  FILE *out = path ? fopen(path, "w") : NULL;
  fprintf(out ? out : stderr,
          "counting_alloc: allocs=%" PRIu64 " frees=%" PRIu64 " total_bytes=%" PRIu64
          " peak_bytes=%" PRIu64 " leaked_bytes=%" PRIu64 " double_frees=%" PRIu64
          " unknown_frees=%" PRIu64 " overruns=%" PRIu64 " late_writes=%" PRIu64
          " late_touches=%" PRIu64 "\n",
          heap.allocs, heap.frees, heap.total, heap.peak, heap.live, heap.double_frees,
          heap.unknown_frees, heap.overruns, heap.late_writes, heap.late_touches);
  if (out)
    fclose(out);
}

// The lock is not taken: whoever touches what is freed is not in here.
static void on_touch(int number, siginfo_t *info, void *context) {
  (void)context;
  const block *b = block_around(info->si_addr);
  if (!b || !b->freed) {
    signal(number, SIG_DFL);
    return;
  }
  misuse(&heap.late_touches, "use after free", info->si_addr, b->size);
  write_summary();
  fflush(NULL);
  _exit(EXIT_MISUSED);
}

static void catch_touches(void) {
  const struct sigaction action = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
}

__attribute__((destructor)) static void finish(void) {
  pthread_mutex_lock(&heap.lock);
  while (heap.oldest)
    release_oldest();
  if (heap.poison)
    check_survivors();
  write_summary();
  const bool misused = heap.double_frees || heap.unknown_frees || heap.overruns || heap.late_writes;
  pthread_mutex_unlock(&heap.lock);
  if (misused) {
    fflush(NULL);
    _exit(EXIT_MISUSED);
  }
}

//===----------------------------------------------------------------------===//
// What lowered code calls
//===----------------------------------------------------------------------===//

EXPORT void *_mlir_memref_to_llvm_alloc(uint64_t size);
EXPORT void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size);
EXPORT void _mlir_memref_to_llvm_free(void *data);

void *_mlir_memref_to_llvm_alloc(uint64_t size) { return allocate(MIN_ALIGNMENT, size); }

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  return allocate(alignment, size);
}

void _mlir_memref_to_llvm_free(void *data) { release(data); }

// In place of the one in MLIR's runtime: the processor's time, whatever else the machine does.
EXPORT double rtclock(void);

double rtclock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
