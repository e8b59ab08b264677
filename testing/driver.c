//===- driver.c - runs the programs of a batch and watches their memory ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     driver BATCH.so MANIFEST PATTERN [threads] [large]
//
// Each line of the manifest names a program, its buffers, and the buffers that
// it returns:
//
//     name count {element-bytes bit-mask rank dim...}... count {element-bytes rank}...
//
// A bit mask of 256 makes floats: small numbers, of either sign.
//
// Each program runs in a process of its own, three times with different inputs,
// and prints one line:
//
//     name ok HASH faults=N leaks=N allocs=N peak=BYTES total=BYTES
//     name use-after-free | out-of-bounds | too-large | signal NUMBER
//
// HASH covers every byte of every argument and result after every run. A result
// that is a whole allocation belongs to the caller, who frees it.
//
// A program's stack is small, so that one whose stack grows with each iteration of
// a loop ends with a signal.
//
// With `threads`, iterations and tasks run beside each other, and a pause that
// programs make in their midst takes a while, so that they do so indeed.
//
// The allocator gives every block pages of its own, up to the last byte of
// which the block reaches; the page behind it, and all pages of a block that was
// freed, cannot be touched. So a read or write after free, or far out of bounds,
// stops the program, whatever it does with what it reads. It fills what it gives
// with PATTERN, so that a read of what was never written changes HASH between two
// patterns; the bytes around a block on its own pages are guards, and a write
// there is counted as a fault when the block is freed or the program ends, like
// a free of what is no block, or no more.
//
// With `large`, blocks may have terabytes, as those have that are for the largest sizes of all; of
// one of more than 64 MiB only the first and the last are filled.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, MAX_ARGS = 6, MAX_RESULTS = 3, MAX_RANK = 4, SECONDS = 20, PATIENCE = 300 };
enum { FLOATS = 256, GUARD = 64, PAGE = 4096, MAX_BLOCKS = 1 << 18 };
static const size_t large_bytes = (size_t)1 << 44, filled_bytes = (size_t)1 << 20;
static size_t heap_bytes = (size_t)1 << 29;
static const size_t stack_bytes = (size_t)1 << 18;

// The allocator. Invariant: the pages of a block lie in [first, end) of the heap
// and are open until it is freed; all others are closed.

typedef struct {
  uint8_t *first, *payload, *end;
  size_t size;
  int freed;
} block;

static block blocks[MAX_BLOCKS];
static size_t block_count, allocs, live_bytes, peak_bytes, total_bytes, faults;
static uint8_t *heap, *heap_top;
static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t fresh_pattern = 0xA5;
static const uint8_t guard_pattern = 0x3C;

static const char *running; // the name of the program

static void give_up(const char *what) {
  char line[300];
  int length = snprintf(line, sizeof line, "%s %s\n", running, what);
  _exit(write(STDOUT_FILENO, line, (size_t)length) == length ? 0 : 3);
}

static uint8_t *open_pages(size_t size) {
  if (!heap) {
    void *all =
        mmap(NULL, heap_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
      _exit(3);
    heap = heap_top = all;
  }
  const size_t bytes = (size + PAGE - 1) / PAGE * PAGE;
  if (block_count == MAX_BLOCKS || heap_top + bytes + PAGE > heap + heap_bytes)
    give_up("too-large");
  uint8_t *first = heap_top;
  heap_top += bytes + PAGE;
  if (mprotect(first, bytes, PROT_READ | PROT_WRITE)) // as many mappings as a process may have
    give_up("too-large");
  return first;
}

// As near to the end of its pages as the alignment allows, and aligned as asked
// and no better, so that a lucky alignment hides nothing.
static uint8_t *place(uint8_t *end, size_t alignment, size_t size) {
  uint8_t *at = (uint8_t *)((uintptr_t)(end - size) & ~(uintptr_t)(alignment - 1));
  return (uintptr_t)at % (2 * alignment) ? at : at - alignment;
}

static void fill_fresh(uint8_t *payload, size_t size) {
  if (size <= 64 * filled_bytes) {
    memset(payload, fresh_pattern, size);
  } else {
    memset(payload, fresh_pattern, filled_bytes);
    memset(payload + size - filled_bytes, fresh_pattern, filled_bytes);
  }
}

static void *give(size_t alignment, size_t size) {
  if (alignment > PAGE)
    _exit(3);
  if (size > heap_bytes)
    give_up("too-large");
  pthread_mutex_lock(&heap_lock);
  uint8_t *first = open_pages(GUARD + size + 2 * alignment);
  uint8_t *payload = place(heap_top - PAGE, alignment, size);
  memset(first, guard_pattern, (size_t)(payload - first));
  memset(payload + size, guard_pattern, (size_t)(heap_top - PAGE - payload - size));
  fill_fresh(payload, size);
  blocks[block_count++] = (block){first, payload, heap_top - PAGE, size, 0};
  allocs++;
  live_bytes += size;
  total_bytes += size;
  if (live_bytes > peak_bytes)
    peak_bytes = live_bytes;
  pthread_mutex_unlock(&heap_lock);
  return payload;
}

static int is_guard(const uint8_t *bytes, const uint8_t *end) {
  while (bytes < end)
    if (*bytes++ != guard_pattern)
      return 0;
  return 1;
}

static int guards_intact(const block *b) {
  return is_guard(b->first, b->payload) && is_guard(b->payload + b->size, b->end);
}

static block *block_at(const void *pointer) {
  for (size_t i = block_count; i-- > 0;)
    if (blocks[i].payload == pointer)
      return &blocks[i];
  return NULL;
}

static void take_back(void *pointer) {
  pthread_mutex_lock(&heap_lock);
  block *b = block_at(pointer);
  if (!b || b->freed || !guards_intact(b)) {
    faults++;
  } else {
    b->freed = 1;
    live_bytes -= b->size;
    mprotect(b->first, (size_t)(b->end - b->first), PROT_NONE);
  }
  pthread_mutex_unlock(&heap_lock);
}

static size_t count_leaks_and_faults(void) {
  size_t leaks = 0;
  for (size_t i = 0; i < block_count; i++)
    if (!blocks[i].freed) {
      leaks++;
      faults += !guards_intact(&blocks[i]);
    }
  return leaks;
}

// A touch of closed pages ends the program with one line about it.

static const char *what_is_at(const uint8_t *address) {
  if (!heap || address < heap || address >= heap + heap_bytes)
    return NULL;
  for (size_t i = 0; i < block_count; i++)
    if (blocks[i].freed && address >= blocks[i].first && address < blocks[i].end)
      return "use-after-free";
  return "out-of-bounds";
}

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  const char *what = what_is_at(info->si_addr);
  if (what)
    give_up(what);
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_faults(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
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
void _mlir_ciface_stow_fuzz_pause(void);
int64_t _mlir_ciface_stow_fuzz_recall(void);
void _mlir_ciface_stow_fuzz_revise(int64_t word);
int64_t _mlir_ciface_stow_fuzz_peek(uintptr_t address);
void _mlir_ciface_stow_fuzz_poke(uintptr_t address, int64_t word);
void _mlir_ciface_stow_fuzz_echo(byte_row *result, byte_row *row);
#define GIVES(name) void _mlir_ciface_##name(byte_row *result, int64_t size, int64_t alignment)
#define TAKES_BACK(name) void _mlir_ciface_##name(byte_row *row)
GIVES(stowage_arena);
GIVES(stowage_arena_1);
GIVES(stowage_arena_2);
TAKES_BACK(stowage_arena_release);
TAKES_BACK(stowage_arena_release_1);
TAKES_BACK(stowage_arena_release_2);

void *_mlir_memref_to_llvm_alloc(size_t size) { return give(16, size); }
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) {
  return give(alignment, size);
}
void _mlir_memref_to_llvm_free(void *pointer) { take_back(pointer); }

// What merge-alloc{arena=callback} takes memory from, in each memory space.

static byte_row row_of(size_t alignment, size_t size) {
  int8_t *memory = give(alignment, size);
  return (byte_row){memory, memory, 0, (int64_t)size, 1};
}

GIVES(stowage_arena) { *result = row_of((size_t)alignment, (size_t)size); }
GIVES(stowage_arena_1) { *result = row_of((size_t)alignment, (size_t)size); }
GIVES(stowage_arena_2) { *result = row_of((size_t)alignment, (size_t)size); }
TAKES_BACK(stowage_arena_release) { take_back(row->allocated); }
TAKES_BACK(stowage_arena_release_1) { take_back(row->allocated); }
TAKES_BACK(stowage_arena_release_2) { take_back(row->allocated); }

void _mlir_ciface_stow_fuzz_touch(byte_row *row, int64_t word) {
  uint8_t carry = (uint8_t)word;
  for (int64_t i = 0; i < row->size; i++) {
    int8_t *at = row->aligned + row->offset + i * row->stride;
    carry = (uint8_t)(carry * 5u + (uint8_t)*at + 1u);
    *at = (int8_t)carry;
  }
}

static int threads;

// The asynchronous runtime takes as many threads as it sees processors, and a
// thread that waits for what it started itself is lost to it meanwhile: nested
// loops would wait forever. So it sees many.
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  (void)process;
  memset(set, 0, size);
  for (size_t i = 0; i < (threads ? 512 : 4); i++)
    CPU_SET_S(i, size, set);
  return 0;
}

void _mlir_ciface_stow_fuzz_pause(void) {
  const struct timespec while_ = {.tv_nsec = 2000000};
  if (threads)
    nanosleep(&while_, NULL);
}

static byte_row kept;

void _mlir_ciface_stow_fuzz_keep(byte_row *row) { kept = *row; }

int64_t _mlir_ciface_stow_fuzz_recall(void) {
  uint64_t sum = 1;
  for (int64_t i = 0; i < kept.size; i++)
    sum = sum * 31 + (uint8_t)kept.aligned[kept.offset + i * kept.stride];
  return (int64_t)sum;
}

void _mlir_ciface_stow_fuzz_revise(int64_t word) { _mlir_ciface_stow_fuzz_touch(&kept, word); }

int64_t _mlir_ciface_stow_fuzz_peek(uintptr_t address) { return *(const uint8_t *)address; }

void _mlir_ciface_stow_fuzz_poke(uintptr_t address, int64_t word) {
  *(uint8_t *)address = (uint8_t)word;
}

void _mlir_ciface_stow_fuzz_echo(byte_row *result, byte_row *row) { *result = *row; }

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

typedef struct {
  size_t bytes;
  int rank;
} result;

typedef struct {
  const char *name;
  argument args[MAX_ARGS];
  result results[MAX_RESULTS];
  int arg_count, result_count;
} program;

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

static void fill_bytes(char *bytes, unsigned mask, size_t size, uint64_t seed) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (char)(scramble(seed + i) & mask);
}

// In [-4, 4), with 10 bits.
static void fill_floats(char *bytes, size_t width, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++) {
    const double wide = (double)(scramble(seed + i) % 1024) / 128 - 4;
    const float narrow = (float)wide;
    memcpy(bytes + i * width, width == sizeof wide ? (const void *)&wide : &narrow, width);
  }
}

static descriptor make_argument(const argument *a, int position, int run) {
  descriptor d = {0};
  size_t size = argument_bytes(a);
  d.allocated = d.aligned = aligned_alloc(64, (size + 127) / 64 * 64);
  if (!d.allocated)
    _exit(3);
  const uint64_t seed = ((uint64_t)(run + 1) << 40) + ((uint64_t)position << 32) + 1;
  if (a->mask == FLOATS)
    fill_floats(d.aligned, a->bytes, size / a->bytes, seed);
  else
    fill_bytes(d.aligned, a->mask, size, seed);
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

// Results: descriptors one behind the other, as the callee's struct has them.

static uint64_t hash_elements(uint64_t hash, const char *at, const int64_t *sizes,
                              const int64_t *strides, int rank, size_t bytes) {
  if (rank == 0)
    return hash_bytes(hash, at, bytes);
  for (int64_t i = 0; i < sizes[0]; i++)
    hash = hash_elements(hash, at + i * strides[0] * (int64_t)bytes, sizes + 1, strides + 1,
                         rank - 1, bytes);
  return hash;
}

static uint64_t hash_results(uint64_t hash, const program *p, char **words, char *owned[]) {
  for (int i = 0; i < p->result_count; i++) {
    const result *r = &p->results[i];
    int64_t *numbers = (int64_t *)(words + 2);
    const char *first = words[1] + numbers[0] * (int64_t)r->bytes;
    hash = hash_elements(hash, first, numbers + 1, numbers + 1 + r->rank, r->rank, r->bytes);
    owned[i] = words[0];
    words += 3 + 2 * r->rank;
  }
  return hash;
}

// Two results may be one buffer, and a result may be an argument.
static void free_results(char *owned[], int count) {
  for (int i = 0; i < count; i++) {
    const block *b = block_at(owned[i]);
    if (b && !b->freed)
      take_back(owned[i]);
  }
}

// Programs.

static void call(void *function, int results, char **words, descriptor *d) {
  typedef void plain(descriptor *, descriptor *, descriptor *, descriptor *, descriptor *,
                     descriptor *);
  typedef void giving(char **, descriptor *, descriptor *, descriptor *, descriptor *, descriptor *,
                      descriptor *);
  plain *run;
  giving *run_giving;
  memcpy(&run, &function, sizeof run);
  memcpy(&run_giving, &function, sizeof run_giving);
  if (results)
    run_giving(words, &d[0], &d[1], &d[2], &d[3], &d[4], &d[5]);
  else
    run(&d[0], &d[1], &d[2], &d[3], &d[4], &d[5]);
}

static uint64_t run_all(void *function, const program *p) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (int r = 0; r < RUNS; r++) {
    descriptor d[MAX_ARGS] = {0};
    char *words[MAX_RESULTS * (3 + 2 * MAX_RANK)] = {0}, *owned[MAX_RESULTS];
    for (int i = 0; i < p->arg_count; i++)
      d[i] = make_argument(&p->args[i], i, r);
    call(function, p->result_count, words, d);
    for (int i = 0; i < p->arg_count; i++)
      hash = hash_bytes(hash, d[i].aligned, argument_bytes(&p->args[i]));
    hash = hash_results(hash, p, words, owned);
    free_results(owned, p->result_count);
  }
  return hash;
}

static void run_program(void *library, const program *p) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "_mlir_ciface_%s", p->name);
  void *function = dlsym(library, symbol);
  if (!function) {
    printf("%s missing\n", p->name);
    return;
  }
  running = p->name;
  catch_faults();
  const struct rlimit limit = {SECONDS, SECONDS}, stack = {stack_bytes, stack_bytes};
  setrlimit(RLIMIT_CPU, &limit);
  setrlimit(RLIMIT_STACK, &stack);
  alarm(PATIENCE);
  uint64_t hash = run_all(function, p);
  size_t leaks = count_leaks_and_faults();
  printf("%s ok %016llx faults=%zu leaks=%zu allocs=%zu peak=%zu total=%zu\n", p->name,
         (unsigned long long)hash, faults, leaks, allocs, peak_bytes, total_bytes);
}

static void run_apart(void *library, const program *p) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run_program(library, p);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    printf("%s signal %d\n", p->name, WTERMSIG(status));
  else if (WEXITSTATUS(status))
    printf("%s exit %d\n", p->name, WEXITSTATUS(status));
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

static int read_program(FILE *in, program *p) {
  if (fscanf(in, "%d", &p->arg_count) != 1 || p->arg_count < 0 || p->arg_count > MAX_ARGS)
    return 0;
  for (int i = 0; i < p->arg_count; i++)
    if (!read_argument(in, &p->args[i]))
      return 0;
  if (fscanf(in, "%d", &p->result_count) != 1 || p->result_count < 0 ||
      p->result_count > MAX_RESULTS)
    return 0;
  for (int i = 0; i < p->result_count; i++)
    if (fscanf(in, "%zu %d", &p->results[i].bytes, &p->results[i].rank) != 2 ||
        p->results[i].rank > MAX_RANK)
      return 0;
  return 1;
}

static int run_manifest(void *library, FILE *in) {
  char name[200];
  while (fscanf(in, "%199s", name) == 1) {
    program p = {.name = name};
    if (!read_program(in, &p))
      return 2;
    run_apart(library, &p);
  }
  return 0;
}

static void small_stacks(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: driver BATCH.so MANIFEST PATTERN [threads] [large]\n");
    return 2;
  }
  for (int i = 4; i < argc; i++) {
    threads |= strcmp(argv[i], "threads") == 0;
    heap_bytes = strcmp(argv[i], "large") == 0 ? large_bytes : heap_bytes;
  }
  small_stacks();
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
