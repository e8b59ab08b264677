//===- layers.c - large blocks below, small ones above --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of many buffers most are small, and all the small ones together are next to
// nothing. First fit, which is exact about every gap, is wasted on them.
//
// The large ones come class by class. Of blocks of one size, first fit in the order
// of their begins needs no more than their load; of about one size, little more. In
// the order of their sizes begins come at random, which costs far more than what
// the sizes of a class differ by.
//
//===----------------------------------------------------------------------===//

#include "fit.h"
#include "limits.h"
#include "order.h"

static double area_of(const stow_plan_block *block) {
  return (double)block->size * (double)(block->spans->end - block->spans->begin);
}

// How many of the blocks, in their order, make up all but a small part of the area.
static uint32_t count_large(const stow_model *model, const uint32_t *order) {
  const double part = model->block_count < STOW_LAYERS_MANY_BLOCKS ? STOW_LAYERS_SMALL_PART
                                                                   : STOW_LAYERS_SMALL_PART_OF_MANY;
  double whole = 0, small = 0;
  for (uint32_t i = 0; i < model->block_count; ++i)
    whole += area_of(&model->blocks[order[i]]);
  uint32_t large = model->block_count;
  while (large > 0) {
    small += area_of(&model->blocks[order[large - 1]]);
    if (small > whole / part)
      break;
    --large;
  }
  return large;
}

static uint64_t top_of(const stow_model *model, const uint32_t *order, uint32_t count,
                       const uint64_t *offsets) {
  uint64_t top = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t end = offsets[order[i]] + model->blocks[order[i]].size;
    top = end > top ? end : top;
  }
  return top;
}

static stow_status lift(const stow_model *model, const uint32_t *order, uint32_t count,
                        uint64_t top, uint64_t *inout_offsets) {
  uint64_t alignment = 1, end;
  for (uint32_t i = 0; i < count; ++i)
    if (model->blocks[order[i]].alignment > alignment)
      alignment = model->blocks[order[i]].alignment;
  if (!stow_plan_align_up(top, alignment, &top))
    return STOW_OVERFLOW;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t *offset = &inout_offsets[order[i]];
    if (__builtin_add_overflow(*offset, top, offset) ||
        __builtin_add_overflow(*offset, model->blocks[order[i]].size, &end))
      return STOW_OVERFLOW;
  }
  return STOW_OK;
}

stow_status stow_plan_fit_layers(const stow_model *model, const uint32_t *by_class,
                                 stow_context *context, stow_memory *memory, uint64_t *out_offsets,
                                 stow_fitting *out_fitting, uint64_t *out_effort) {
  *out_effort = 0;
  *out_fitting = STOW_FITTED;
  const uint32_t large = count_large(model, by_class);
  const uint32_t small = model->block_count - large;
  uint32_t *by_begin = STOW_TAKE(memory, uint32_t, small);
  if (!by_begin)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < small; ++i)
    by_begin[i] = by_class[large + i];
  const stow_block_order start = {{STOW_EARLIEST_BEGIN, STOW_LARGEST}};
  stow_status status = stow_plan_order_blocks(model, &start, memory, by_begin, small);
  if (status == STOW_OK)
    status = stow_plan_scan_blocks(model, by_begin, small, memory, out_offsets);
  if (status == STOW_OK)
    status = stow_plan_fit_blocks(model, STOW_FIT_FIRST, by_class, large, context, memory,
                                  out_offsets, out_fitting, out_effort);
  if (status != STOW_OK || *out_fitting != STOW_FITTED)
    return status;
  const uint64_t top = top_of(model, by_class, large, out_offsets);
  return lift(model, by_begin, small, top, out_offsets);
}
