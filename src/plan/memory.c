//===- memory.c - the planner's working memory ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory.h"

#include <stdlib.h>
#include <string.h>

// What stands before every block. As large as the strictest alignment asks, so that the bytes after
// it are aligned for any type.
struct stow_memory_block {
  _Alignas(max_align_t) stow_memory_block *next;
  stow_memory_block *previous;
  size_t bytes; // header included
};

static void *libc_reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  if (new_size)
    return realloc(block, new_size);
  free(block);
  return NULL;
}

void stow_memory_begin(stow_memory *memory, const stow_allocator *allocator) {
  memory->allocator = allocator ? *allocator : (stow_allocator){libc_reallocate, NULL};
  memory->blocks = NULL;
}

void *stow_memory_take(stow_memory *memory, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) ||
      __builtin_add_overflow(bytes, sizeof(stow_memory_block), &bytes))
    return NULL;
  stow_memory_block *block = memory->allocator.reallocate(memory->allocator.user, NULL, 0, bytes);
  if (!block)
    return NULL;
  block->next = memory->blocks;
  block->previous = NULL;
  block->bytes = bytes;
  if (memory->blocks)
    memory->blocks->previous = block;
  memory->blocks = block;
  return block + 1;
}

void *stow_memory_take_zeroed(stow_memory *memory, size_t count, size_t size) {
  void *taken = stow_memory_take(memory, count, size);
  return taken ? memset(taken, 0, count * size) : NULL;
}

static void release(stow_memory *memory, stow_memory_block *block) {
  memory->allocator.reallocate(memory->allocator.user, block, block->bytes, 0);
}

void *stow_memory_grow(stow_memory *memory, void *old, uint32_t count, uint32_t *inout_capacity,
                       size_t size) {
  const uint32_t capacity = *inout_capacity ? 2 * *inout_capacity : 64;
  void *grown = stow_memory_take(memory, capacity, size);
  if (!grown)
    return NULL;
  if (count)
    memcpy(grown, old, count * size);
  stow_memory_drop(memory, old);
  *inout_capacity = capacity;
  return grown;
}

void stow_memory_drop(stow_memory *memory, void *taken) {
  if (!taken)
    return;
  stow_memory_block *block = (stow_memory_block *)taken - 1;
  *(block->previous ? &block->previous->next : &memory->blocks) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  release(memory, block);
}

void stow_memory_end(stow_memory *memory) {
  while (memory->blocks) {
    stow_memory_block *block = memory->blocks;
    memory->blocks = block->next;
    release(memory, block);
  }
}
