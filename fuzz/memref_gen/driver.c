//===- driver.c - runs the programs of a batch and watches their memory ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     driver BATCH.so MANIFEST PATTERN
//
// Each line of the manifest names a program and its buffers:
//
//     name count {element-bytes bit-mask rank dim...}...
//
// Each program runs in a process of its own, three times with different inputs,
// and prints one line:
//
//     name ok HASH faults=N leaks=N allocs=N peak=BYTES
//     name signal NUMBER
//
// HASH covers every byte of every argument after every run. The allocator fills
// what it gives with PATTERN and what it takes back with another pattern, gives
// nothing out twice, and puts guards around every block: so a read of what was
// never written, or was freed, changes HASH between two patterns, and a write
// there is counted as a fault.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 3, MAX_ARGS = 6, MAX_RANK = 4, GUARD = 64, MAX_BLOCKS = 1 << 16, SECONDS = 20 };

// The allocator.

typedef struct {
  uint8_t *payload;
  size_t size;
  int freed;
} block;

static block blocks[MAX_BLOCKS];
static size_t block_count, allocs, live_bytes, peak_bytes, faults;
static uint8_t fresh_pattern = 0xA5;

static uint8_t freed_pattern(void) { return (uint8_t)~fresh_pattern; }
static const uint8_t guard_pattern = 0x3C;

static void *give(size_t alignment, size_t size) {
  if (block_count == MAX_BLOCKS || alignment > 4096)
    _exit(3);
  // Aligned as asked and no better, so that a lucky alignment hides nothing.
  uint8_t *base = aligned_alloc(8192, (GUARD + size + GUARD + 4 * 8192) / 8192 * 8192);
  if (!base)
    _exit(3);
  size_t ahead = alignment > GUARD ? alignment : GUARD;
  if (ahead % (2 * alignment) == 0)
    ahead += alignment;
  uint8_t *payload = base + ahead;
  memset(payload - GUARD, guard_pattern, GUARD);
  memset(payload, fresh_pattern, size);
  memset(payload + size, guard_pattern, GUARD);
  blocks[block_count++] = (block){payload, size, 0};
  allocs++;
  live_bytes += size;
  if (live_bytes > peak_bytes)
    peak_bytes = live_bytes;
  return payload;
}

static int filled_with(const uint8_t *bytes, size_t size, uint8_t pattern) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != pattern)
      return 0;
  return 1;
}

static int guards_intact(const block *b) {
  return filled_with(b->payload - GUARD, GUARD, guard_pattern) &&
         filled_with(b->payload + b->size, GUARD, guard_pattern);
}

static void take_back(void *pointer) {
  for (size_t i = block_count; i-- > 0;) {
    block *b = &blocks[i];
    if (b->payload != pointer)
      continue;
    if (b->freed || !guards_intact(b)) {
      faults++;
      return;
    }
    b->freed = 1;
    live_bytes -= b->size;
    memset(b->payload, freed_pattern(), b->size);
    return;
  }
  faults++;
}

static size_t count_leaks_and_faults(void) {
  size_t leaks = 0;
  for (size_t i = 0; i < block_count; i++) {
    leaks += !blocks[i].freed;
    faults += !guards_intact(&blocks[i]);
    if (blocks[i].freed)
      faults += !filled_with(blocks[i].payload, blocks[i].size, freed_pattern());
  }
  return leaks;
}

// What the lowered programs call.

typedef struct {
  int8_t *allocated, *aligned;
  int64_t offset, size, stride;
} byte_row;

void *_mlir_memref_to_llvm_alloc(size_t size);
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size);
void _mlir_memref_to_llvm_free(void *pointer);
void _mlir_ciface_stow_fuzz_touch(byte_row *row, int64_t word);
void _mlir_ciface_stow_fuzz_keep(byte_row *row);
int64_t _mlir_ciface_stow_fuzz_recall(void);
int64_t _mlir_ciface_stow_fuzz_peek(uintptr_t address);

void *_mlir_memref_to_llvm_alloc(size_t size) { return give(16, size); }
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) {
  return give(alignment, size);
}
void _mlir_memref_to_llvm_free(void *pointer) { take_back(pointer); }

void _mlir_ciface_stow_fuzz_touch(byte_row *row, int64_t word) {
  uint8_t carry = (uint8_t)word;
  for (int64_t i = 0; i < row->size; i++) {
    int8_t *at = row->aligned + row->offset + i * row->stride;
    carry = (uint8_t)(carry * 5u + (uint8_t)*at + 1u);
    *at = (int8_t)carry;
  }
}

static byte_row kept;

void _mlir_ciface_stow_fuzz_keep(byte_row *row) { kept = *row; }

int64_t _mlir_ciface_stow_fuzz_recall(void) {
  uint64_t sum = 1;
  for (int64_t i = 0; i < kept.size; i++)
    sum = sum * 31 + (uint8_t)kept.aligned[kept.offset + i * kept.stride];
  return (int64_t)sum;
}

int64_t _mlir_ciface_stow_fuzz_peek(uintptr_t address) { return *(const uint8_t *)address; }

// Arguments.

typedef struct {
  size_t bytes;
  unsigned mask;
  int rank;
  int64_t dims[MAX_RANK];
} argument;

typedef struct {
  char *allocated, *aligned;
  int64_t numbers[1 + 2 * MAX_RANK];
} descriptor;

static size_t argument_bytes(const argument *a) {
  size_t total = a->bytes;
  for (int i = 0; i < a->rank; i++)
    total *= (size_t)a->dims[i];
  return total;
}

static uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static descriptor make_argument(const argument *a, int position, int run) {
  descriptor d = {0};
  size_t size = argument_bytes(a);
  d.allocated = d.aligned = aligned_alloc(64, (size + 127) / 64 * 64);
  if (!d.allocated)
    _exit(3);
  for (size_t i = 0; i < size; i++) {
    uint64_t word = scramble(((uint64_t)(run + 1) << 40) + ((uint64_t)position << 32) + i + 1);
    d.aligned[i] = (char)(word & a->mask);
  }
  int64_t stride = 1;
  for (int i = a->rank; i-- > 0;) {
    d.numbers[1 + i] = a->dims[i];
    d.numbers[1 + a->rank + i] = stride;
    stride *= a->dims[i];
  }
  return d;
}

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001B3);
  return hash;
}

// Programs.

typedef void entry(descriptor *, descriptor *, descriptor *, descriptor *, descriptor *,
                   descriptor *);

static uint64_t run_all(entry *run, const argument *args, int count) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (int r = 0; r < RUNS; r++) {
    descriptor d[MAX_ARGS] = {0};
    for (int i = 0; i < count; i++)
      d[i] = make_argument(&args[i], i, r);
    run(&d[0], &d[1], &d[2], &d[3], &d[4], &d[5]);
    for (int i = 0; i < count; i++)
      hash = hash_bytes(hash, d[i].aligned, argument_bytes(&args[i]));
  }
  return hash;
}

static void run_program(void *library, const char *name, const argument *args, int count) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "_mlir_ciface_%s", name);
  void *address = dlsym(library, symbol);
  if (!address) {
    printf("%s missing\n", name);
    return;
  }
  entry *run;
  memcpy(&run, &address, sizeof run);
  alarm(SECONDS);
  uint64_t hash = run_all(run, args, count);
  size_t leaks = count_leaks_and_faults();
  printf("%s ok %016llx faults=%zu leaks=%zu allocs=%zu peak=%zu\n", name, (unsigned long long)hash,
         faults, leaks, allocs, peak_bytes);
}

static void run_apart(void *library, const char *name, const argument *args, int count) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run_program(library, name, args, count);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    printf("%s signal %d\n", name, WTERMSIG(status));
  else if (WEXITSTATUS(status))
    printf("%s exit %d\n", name, WEXITSTATUS(status));
}

static int read_argument(FILE *in, argument *a) {
  if (fscanf(in, "%zu %u %d", &a->bytes, &a->mask, &a->rank) != 3 || a->rank > MAX_RANK)
    return 0;
  for (int i = 0; i < a->rank; i++) {
    long long dim;
    if (fscanf(in, "%lld", &dim) != 1)
      return 0;
    a->dims[i] = dim;
  }
  return 1;
}

static int run_manifest(void *library, FILE *in) {
  char name[200];
  int count;
  while (fscanf(in, "%199s %d", name, &count) == 2) {
    argument args[MAX_ARGS];
    if (count < 0 || count > MAX_ARGS)
      return 2;
    for (int i = 0; i < count; i++)
      if (!read_argument(in, &args[i]))
        return 2;
    run_apart(library, name, args, count);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: driver BATCH.so MANIFEST PATTERN\n");
    return 2;
  }
  fresh_pattern = (uint8_t)strtoul(argv[3], NULL, 0);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "driver: %s\n", dlerror());
    return 2;
  }
  FILE *in = fopen(argv[2], "r");
  if (!in) {
    perror(argv[2]);
    return 2;
  }
  int status = run_manifest(library, in);
  fclose(in);
  return status;
}
