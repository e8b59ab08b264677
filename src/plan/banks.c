//===- banks.c - buffers that must lie in different banks -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "banks.h"
#include "model.h"

#include <assert.h>

static bool is_pair(const stow_problem *problem, const stow_relation *relation,
                    const uint32_t *block_of) {
  const stow_buffer *a = &problem->buffers[relation->first],
                    *b = &problem->buffers[relation->second];
  return relation->kind == STOW_OTHER_BANK && a->size && b->size &&
         block_of[relation->first] != STOW_NO_BLOCK && block_of[relation->second] != STOW_NO_BLOCK;
}

// Counts the pairs of each block at first[block + 1]; returns how many there are, each from both
// sides.
static uint32_t count_partners(const stow_problem *problem, const uint32_t *block_of,
                               uint32_t *first, stow_banks *banks) {
  uint32_t count = 0;
  for (size_t i = 0; i < problem->relation_count; ++i) {
    const stow_relation *relation = &problem->relations[i];
    if (!is_pair(problem, relation, block_of))
      continue;
    const uint32_t a = block_of[relation->first], b = block_of[relation->second];
    banks->contradictory |= a == b;
    ++first[a + 1];
    ++first[b + 1];
    count += 2;
  }
  return count;
}

static void list_partners(const stow_problem *problem, const uint32_t *block_of, uint32_t *next,
                          stow_bank_partner *partners) {
  for (size_t i = 0; i < problem->relation_count; ++i) {
    const stow_relation *relation = &problem->relations[i];
    if (!is_pair(problem, relation, block_of))
      continue;
    const uint32_t a = block_of[relation->first], b = block_of[relation->second];
    const uint64_t size_a = problem->buffers[relation->first].size,
                   size_b = problem->buffers[relation->second].size;
    partners[next[a]++] = (stow_bank_partner){b, size_b, size_a};
    partners[next[b]++] = (stow_bank_partner){a, size_a, size_b};
  }
}

stow_status stow_banks_read(const stow_problem *problem, const uint32_t *block_of,
                            uint32_t block_count, stow_memory *memory, stow_banks *out_banks) {
  *out_banks = (stow_banks){0};
  if (!problem->bank_size || !problem->relation_count)
    return STOW_OK;
  uint32_t *first = STOW_TAKE_ZEROED(memory, uint32_t, (size_t)block_count + 2);
  if (!first)
    return STOW_NO_MEMORY;
  const uint32_t count = count_partners(problem, block_of, first + 1, out_banks);
  stow_bank_partner *partners = STOW_TAKE(memory, stow_bank_partner, count);
  if (!partners)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < block_count; ++i)
    first[i + 2] += first[i + 1];
  list_partners(problem, block_of, first + 1, partners); // which makes begins of what were ends
  assert(first[block_count] == count);
  out_banks->bank_size = count ? problem->bank_size : 0;
  out_banks->bank_count = problem->bank_count;
  out_banks->first = first;
  out_banks->partners = partners;
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// Banks that take turns
//===----------------------------------------------------------------------===//

static bool begins_with_partner(const stow_banks *banks, uint32_t block, const uint64_t *offsets,
                                const unsigned char *placed, uint64_t offset) {
  const uint64_t size = banks->bank_size, count = banks->bank_count;
  for (uint32_t i = banks->first[block]; i < banks->first[block + 1]; ++i) {
    const uint32_t other = banks->partners[i].block;
    if (placed[other] && offsets[other] / size % count == offset / size % count)
      return true;
  }
  return false;
}

// The first aligned place behind `offset` whose bank no partner begins in. The banks of aligned
// places repeat after as many of them as there are banks.
static uint64_t next_turn(const stow_banks *banks, uint32_t block, uint64_t alignment,
                          const uint64_t *offsets, const unsigned char *placed, uint64_t offset) {
  uint64_t step;
  if (!stow_plan_align_up(banks->bank_size, alignment, &step))
    return UINT64_MAX;
  for (uint64_t i = 0; i < banks->bank_count; ++i) {
    if (__builtin_add_overflow(offset, step, &offset))
      return UINT64_MAX;
    if (!begins_with_partner(banks, block, offsets, placed, offset))
      return offset;
  }
  return UINT64_MAX;
}

//===----------------------------------------------------------------------===//
// Raising
//===----------------------------------------------------------------------===//

static bool raise_turn(const stow_banks *banks, uint32_t block, uint64_t alignment,
                       const uint64_t *offsets, const unsigned char *placed, uint64_t offset,
                       uint64_t *out_from) {
  if (!begins_with_partner(banks, block, offsets, placed, offset))
    return false;
  *out_from = next_turn(banks, block, alignment, offsets, placed, offset);
  return true;
}

bool stow_banks_raise(const stow_banks *banks, uint32_t block, uint64_t alignment,
                      const uint64_t *offsets, const unsigned char *placed, uint64_t offset,
                      uint64_t *out_from) {
  const uint64_t size = banks->bank_size;
  if (banks->bank_count)
    return raise_turn(banks, block, alignment, offsets, placed, offset, out_from);
  for (uint32_t i = banks->first[block]; i < banks->first[block + 1]; ++i) {
    const stow_bank_partner *p = &banks->partners[i];
    if (!placed[p->block])
      continue;
    const uint64_t last = (offsets[p->block] + p->size - 1) / size;
    if (offset / size > last || (offset + p->own_size - 1) / size < offsets[p->block] / size)
      continue;
    if (__builtin_mul_overflow(last + 1, size, out_from))
      *out_from = UINT64_MAX;
    return true;
  }
  return false;
}
