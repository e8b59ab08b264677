//===- heap.c - bytes of a process's heap ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what is alive on the heap, at most since heap_begin. For LD_PRELOAD.
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own names
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);
// NOLINTEND(bugprone-reserved-identifier)

void heap_begin(void);
long heap_peak(void);

static _Atomic long live, peak, base;

static void *add(void *made) {
  const long size = (long)malloc_usable_size(made), now = atomic_fetch_add(&live, size) + size;
  long most = atomic_load(&peak);
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
  }
  return made;
}

static void subtract(void *old) { atomic_fetch_sub(&live, (long)malloc_usable_size(old)); }

void heap_begin(void) {
  const long now = atomic_load(&live);
  atomic_store(&base, now);
  atomic_store(&peak, now);
}

long heap_peak(void) { return atomic_load(&peak) - atomic_load(&base); }

void *malloc(size_t size) { return add(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return add(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return add(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void *realloc(void *old, size_t size) {
  subtract(old);
  void *made = __libc_realloc(old, size);
  return add(made ? made : size ? old : NULL);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *made = memalign(alignment, size);
  if (!made)
    return ENOMEM;
  *out = made;
  return 0;
}

void free(void *old) {
  subtract(old);
  __libc_free(old);
}
