//===- order.c - orders in which blocks are placed ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting is stable, so an order is applied from its last key to its first. A
// key where larger comes first is the complement of the value.
//
//===----------------------------------------------------------------------===//

#include "order.h"
#include "sort.h"

static uint64_t saturating_product(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t width_of(const stow_plan_block *block) {
  uint64_t width = 0;
  for (uint32_t i = 0; i < block->span_count; ++i)
    width += block->spans[i].end - block->spans[i].begin;
  return width;
}

enum { LOG_PARTS = 16 };

// Parts of a binary logarithm, linear between two powers of two. `value` is at least 1.
static uint64_t log_parts(uint64_t value) {
  const unsigned power = 63 - (unsigned)__builtin_clzll(value);
  const uint64_t above = value - (UINT64_C(1) << power);
  const uint64_t parts = power < 4 ? above << (4 - power) : above >> (power - 4);
  return power * LOG_PARTS + parts;
}

static uint64_t class_of(const stow_plan_block *block) {
  if (!block->size || !block->duration)
    return 0;
  return (4 * log_parts(block->size) + log_parts(block->duration)) / (2 * LOG_PARTS);
}

static uint64_t key_of(const stow_plan_block *block, stow_key key) {
  switch (key) {
  case STOW_LARGEST:
    return ~block->size;
  case STOW_SMALLEST:
    return block->size;
  case STOW_LONGEST:
    return ~block->duration;
  case STOW_WIDEST:
    return ~width_of(block);
  case STOW_MOST_AREA:
    return ~saturating_product(block->size, block->duration);
  case STOW_MOST_BOX:
    return ~saturating_product(block->size, width_of(block));
  case STOW_HIGHEST_CLASS:
    return ~class_of(block);
  case STOW_EARLIEST_BEGIN:
    return stow_plan_sort_signed(block->begin);
  case STOW_LATEST_BEGIN:
    return ~stow_plan_sort_signed(block->begin);
  case STOW_LATEST_END:
    return ~stow_plan_sort_signed(block->end);
  case STOW_KEY_NONE:
    break;
  }
  return 0;
}

static void sort_by(const stow_model *model, stow_key key, stow_sort_pair *pairs,
                    stow_sort_pair *scratch, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    pairs[i].key = key_of(&model->blocks[pairs[i].index], key);
  stow_sort_pairs(pairs, scratch, count);
}

stow_status stow_plan_order_blocks(const stow_model *model, const stow_block_order *order,
                                   stow_memory *memory, uint32_t *inout_blocks, uint32_t count) {
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    pairs[i].index = inout_blocks[i];
  for (int i = STOW_ORDER_KEYS; i-- > 0;)
    if (order->keys[i] != STOW_KEY_NONE)
      sort_by(model, order->keys[i], pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    inout_blocks[i] = pairs[i].index;
  stow_memory_drop(memory, scratch);
  stow_memory_drop(memory, pairs);
  return STOW_OK;
}
