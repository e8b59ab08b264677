//===- workgroup.c - the shared memory of a GPU kernel ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning, per kernel and memory space. What is collected is in workgroup_collect.c,
// what is said of it in workgroup_remarks.c, the rewrite in workgroup_rewrite.c.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static bool is_planned_in(const stow_attribution *a, MlirAttribute space) {
  return a->reason == STOW_PLANNED && mlirAttributeEqual(a->space, space);
}

static void leave_alone(stow_kernel *kernel, MlirAttribute space, stow_reason reason) {
  for (size_t i = 0; i < kernel->count; ++i)
    if (is_planned_in(&kernel->attributions[i], space))
      kernel->attributions[i].reason = reason;
}

// Of lives that are ranges, one is disjoint from some other where it ends before the last begins or
// begins after the first has ended.
static void drop_partnerless(stow_kernel *kernel, MlirAttribute space) {
  int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (!is_planned_in(a, space))
      continue;
    first_end = a->end < first_end ? a->end : first_end;
    last_begin = a->begin > last_begin ? a->begin : last_begin;
  }
  for (size_t i = 0; i < kernel->count; ++i) {
    stow_attribution *a = &kernel->attributions[i];
    if (is_planned_in(a, space) && a->end > last_begin && a->begin < first_end)
      a->reason = STOW_NO_PARTNER;
  }
}

// A gpu.func says how its attributions are aligned. A gpu.launch cannot, so there the first aligned
// byte is found at run time.
static void choose_padding(const stow_kernel *kernel, stow_merged *merged) {
  merged->padding = stow_is(kernel->op, STOW_GPU_LAUNCH) ? merged->alignment - 1 : 0;
}

static size_t list_buffers(const stow_kernel *kernel, stow_merged *merged, stow_buffer *buffers) {
  size_t count = 0;
  merged->alignment = STOW_WORKGROUP_ALIGNMENT;
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (!is_planned_in(a, merged->space))
      continue;
    merged->alignment = stow_larger(merged->alignment, a->alignment);
    merged->apart += a->size.bytes;
    buffers[count++] = (stow_buffer){a->size.bytes, a->alignment, a->begin, a->end};
  }
  return count;
}

static void take_offsets(stow_kernel *kernel, MlirAttribute space, const uint64_t *offsets) {
  for (size_t i = 0, next = 0; i < kernel->count; ++i)
    if (is_planned_in(&kernel->attributions[i], space))
      kernel->attributions[i].offset = offsets[next++];
}

// Plans the attributions of one space, whose lives have partners.
static stow_merged plan_space(const stow_arenas *arenas, stow_kernel *kernel, MlirAttribute space) {
  stow_merged merged = {.space = space};
  stow_buffer *buffers = stow_allocate(kernel->count, sizeof *buffers);
  uint64_t *offsets = stow_allocate(kernel->count, sizeof *offsets), load;
  merged.count = list_buffers(kernel, &merged, buffers);
  const stow_problem problem = STOW_PROBLEM(buffers, merged.count);
  const stow_plan_options options = {.strategy = arenas->options.strategy,
                                     .max_effort = arenas->options.planner_effort};
  stow_plan_result result;
  stow_status status = stow_plan(&problem, &options, offsets, &result);
  if (status == STOW_NO_MEMORY || stow_load(&problem, &load, &merged.peak) == STOW_NO_MEMORY)
    stow_out_of_memory();
  choose_padding(kernel, &merged);
  if (status != STOW_OK || !stow_plan_holds(&problem, offsets, result.arena_size) ||
      result.arena_size + merged.padding >= merged.apart)
    merged.count = 0;
  else
    merged.size = result.arena_size + merged.padding, take_offsets(kernel, space, offsets);
  free(buffers), free(offsets);
  return merged;
}

static void plan_kernel(const stow_arenas *arenas, stow_kernel *kernel) {
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    bool known = false;
    for (size_t m = 0; m < kernel->merged_count; ++m)
      known |= mlirAttributeEqual(kernel->merged[m].space, a->space);
    if (a->reason != STOW_PLANNED || known)
      continue;
    drop_partnerless(kernel, a->space);
    if (a->reason != STOW_PLANNED)
      continue;
    stow_merged merged = plan_space(arenas, kernel, a->space);
    if (merged.count > 0)
      kernel->merged[kernel->merged_count++] = merged;
    else
      leave_alone(kernel, a->space, STOW_NO_GAIN);
  }
}

//===----------------------------------------------------------------------===//
// Capacity
//===----------------------------------------------------------------------===//

static void add_saturating(uint64_t *sum, uint64_t bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum))
    *sum = UINT64_MAX;
}

static uint64_t bytes_of(const stow_kernel *kernel) {
  uint64_t sum = 0;
  for (size_t m = 0; m < kernel->merged_count; ++m)
    add_saturating(&sum, kernel->merged[m].size);
  for (size_t i = 0; i < kernel->count; ++i)
    if (kernel->attributions[i].reason != STOW_PLANNED)
      add_saturating(&sum, kernel->attributions[i].size.bytes);
  return sum;
}

static bool is_at_peak(const stow_kernel *kernel, const stow_attribution *a) {
  for (size_t m = 0; m < kernel->merged_count; ++m)
    if (is_planned_in(a, kernel->merged[m].space))
      return a->begin <= kernel->merged[m].peak && kernel->merged[m].peak < a->end;
  return true;
}

static char *text_of_attribution(const stow_attribution *a) {
  stow_text text = {0};
  if (a->reason == STOW_PLANNED) {
    stow_text_printf(&text, "live at the peak: %llu bytes", (unsigned long long)a->size.bytes);
    return stow_text_take(&text);
  }
  const stow_buffer_fact fact = {.reason = a->reason, .blame = a->blame};
  char *reason = stow_reason_text(&fact);
  stow_text_printf(&text, "left alone: %llu bytes; %s", (unsigned long long)a->size.bytes, reason);
  free(reason);
  return stow_text_take(&text);
}

static bool report_capacity(const stow_arenas *arenas, const stow_kernel *kernel) {
  stow_note *notes = stow_allocate(kernel->count, sizeof *notes);
  size_t count = 0;
  for (size_t i = 0; i < kernel->count; ++i) {
    const stow_attribution *a = &kernel->attributions[i];
    if (is_at_peak(kernel, a))
      notes[count++] = (stow_note){mlirValueGetLocation(a->value), text_of_attribution(a)};
  }
  stow_text text = {0};
  stow_text_printf(&text,
                   "the kernel needs %llu bytes of workgroup memory, but "
                   "workgroup-capacity-in-bytes is %llu; nothing was rewritten",
                   (unsigned long long)bytes_of(kernel),
                   (unsigned long long)arenas->options.workgroup_capacity);
  stow_error(mlirOperationGetLocation(kernel->op), text.data, notes, count);
  for (size_t i = 0; i < count; ++i)
    free((char *)notes[i].text);
  free(notes), free(text.data);
  return false;
}

bool stow_plan_workgroups(stow_arenas *arenas) {
  const uint64_t capacity = arenas->options.workgroup_capacity;
  bool ok = true;
  for (size_t k = 0; k < arenas->kernels.count; ++k) {
    plan_kernel(arenas, &arenas->kernels.at[k]);
    if (capacity && bytes_of(&arenas->kernels.at[k]) > capacity)
      ok = report_capacity(arenas, &arenas->kernels.at[k]);
  }
  return ok;
}
