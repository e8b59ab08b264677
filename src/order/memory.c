//===- memory.c - memory that is given back at once -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "order/graph.h"

#include <stdlib.h>

struct stow_order_block {
  stow_order_block *next;
  max_align_t data[];
};

void *stow_order_take(stow_order_memory *memory, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - sizeof(stow_order_block)) / size)
    return NULL;
  stow_order_block *block = calloc(1, sizeof *block + count * size);
  if (!block)
    return NULL;
  block->next = memory->blocks;
  memory->blocks = block;
  return block->data;
}

void stow_order_give_back(stow_order_memory *memory) {
  while (memory->blocks) {
    stow_order_block *block = memory->blocks;
    memory->blocks = block->next;
    free(block);
  }
}
