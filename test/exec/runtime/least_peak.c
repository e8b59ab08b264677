//===- least_peak.c - the least heap a run could have done with -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that frees nothing runs on this heap, and says by calls of
// stowage_touch what it reads and writes (least_peak.py puts them in). A block must
// exist from its allocation to its last touch, and may end right there: no placement
// of frees, however clever, has a lower peak on this run, as long as the program
// makes the same allocations in the same order.
//
// The peak is reached right after some allocation, so time is the number of
// allocations so far. Blocks lie one after another in one reserved range, in the
// order of their allocation and with a gap between them, and are never given back:
// a touched address is found by bisection. What lies outside is not the heap's.
//
// Frees that the program has do nothing. A heap belongs to its process, so this one
// is a static object; the program has one thread.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum { GAP = 16 };
static const size_t reserved = (size_t)64 << 30;

typedef struct block {
  const unsigned char *data;
  size_t size;
  size_t last; // the number of allocations at its last touch
} block;

static struct {
  unsigned char *base, *top;
  block *blocks;
  size_t count, capacity;
  size_t recent; // the block touched last
} heap;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

static void reserve(void) {
  void *range = mmap(NULL, reserved, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    abort();
  heap.base = heap.top = range;
}

static unsigned char *aligned(unsigned char *address, size_t alignment) {
  return address + (-(uintptr_t)address & (alignment - 1));
}

static void append(const unsigned char *data, size_t size) {
  if (heap.count == heap.capacity) {
    heap.capacity = heap.capacity ? 2 * heap.capacity : 1024;
    heap.blocks = realloc(heap.blocks, heap.capacity * sizeof *heap.blocks);
    if (!heap.blocks)
      abort();
  }
  heap.blocks[heap.count++] = (block){.data = data, .size = size};
}

static void *allocate(size_t alignment, size_t size) {
  if (!heap.base)
    reserve();
  unsigned char *data = aligned(heap.top, alignment);
  if (size > reserved - GAP || data > heap.base + reserved - GAP - size)
    abort();
  heap.top = data + size + GAP;
  append(data, size);
  return data;
}

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

static bool holds(const block *b, const unsigned char *address) {
  return address >= b->data && address < b->data + b->size;
}

// The last block that begins at or before the address.
static size_t find(const unsigned char *address) {
  size_t low = 0, high = heap.count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (heap.blocks[middle].data <= address)
      low = middle;
    else
      high = middle;
  }
  return low;
}

EXPORT void stowage_touch(const unsigned char *address);
EXPORT void stowage_touch_unranked(const void *memref);

void stowage_touch(const unsigned char *address) {
  if (address < heap.base || address >= heap.top)
    return;
  if (!holds(&heap.blocks[heap.recent], address))
    heap.recent = find(address);
  if (holds(&heap.blocks[heap.recent], address))
    heap.blocks[heap.recent].last = heap.count;
}

// MLIR's unranked memref: a rank, and a descriptor that begins with the pointers.
void stowage_touch_unranked(const void *memref) {
  const struct {
    int64_t rank;
    const struct {
      const unsigned char *allocated, *aligned;
    } *descriptor;
  } *unranked = memref;
  stowage_touch(unranked->descriptor->aligned);
}

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

// freed[t]: what may go between allocation t and the one after it. A block is there at its own
// allocation, touched or not.
static size_t least_peak(void) {
  size_t *freed = calloc(heap.count + 1, sizeof *freed), live = 0, peak = 0;
  if (!freed)
    abort();
  for (size_t i = 0; i < heap.count; i++)
    freed[heap.blocks[i].last > i ? heap.blocks[i].last : i + 1] += heap.blocks[i].size;
  for (size_t i = 0; i < heap.count; i++) {
    live += heap.blocks[i].size;
    peak = live > peak ? live : peak;
    live -= freed[i + 1];
  }
  free(freed);
  return peak;
}

__attribute__((destructor)) static void finish(void) {
  const char *path = getenv("STOWAGE_ALLOC_REPORT");
  FILE *out = path ? fopen(path, "w") : NULL;
  fprintf(out ? out : stderr, "least_peak: allocs=%zu least_peak_bytes=%zu\n", heap.count,
          least_peak());
  if (out)
    fclose(out);
}

//===----------------------------------------------------------------------===//
// What lowered code calls
//===----------------------------------------------------------------------===//

EXPORT void *_mlir_memref_to_llvm_alloc(uint64_t size);
EXPORT void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size);
EXPORT void _mlir_memref_to_llvm_free(void *data);

void *_mlir_memref_to_llvm_alloc(uint64_t size) { return allocate(GAP, size); }

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  return allocate(alignment, size);
}

void _mlir_memref_to_llvm_free(void *data) { (void)data; }
