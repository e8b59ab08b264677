//===- order.c - orders in which blocks are placed ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every order is a row of keys, compared one after the other. Sorting is stable,
// so the rows are applied from their last key to their first. A key where larger
// comes first is the complement of the value.
//
//===----------------------------------------------------------------------===//

#include "order.h"
#include "sort.h"

static uint64_t saturating_product(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t key_size(const stow_block *block) { return ~block->size; }

static uint64_t key_area(const stow_block *block) {
  return ~saturating_product(block->size, block->duration);
}

static uint64_t key_duration(const stow_block *block) { return ~block->duration; }

static uint64_t key_start(const stow_block *block) { return stow_sort_signed(block->begin); }

typedef uint64_t (*order_key)(const stow_block *);

static const order_key first_keys[] = {
    [STOW_ORDER_SIZE] = key_size,
    [STOW_ORDER_AREA] = key_area,
    [STOW_ORDER_DURATION] = key_duration,
    [STOW_ORDER_START] = key_start,
};

static void sort_by(const stow_model *model, order_key key, stow_sort_pair *pairs,
                    stow_sort_pair *scratch) {
  for (uint32_t i = 0; i < model->block_count; ++i)
    pairs[i].key = key(&model->blocks[pairs[i].index]);
  stow_sort_pairs(pairs, scratch, model->block_count);
}

stow_status stow_order_blocks(const stow_model *model, stow_order order, stow_memory *memory,
                              uint32_t *out_blocks) {
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, model->block_count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, model->block_count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count; ++i)
    pairs[i].index = i;
  sort_by(model, key_start, pairs, scratch);
  sort_by(model, key_size, pairs, scratch);
  sort_by(model, first_keys[order], pairs, scratch);
  for (uint32_t i = 0; i < model->block_count; ++i)
    out_blocks[i] = pairs[i].index;
  stow_memory_drop(memory, scratch);
  stow_memory_drop(memory, pairs);
  return STOW_OK;
}
