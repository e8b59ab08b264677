//===- workgroup_bytes.c - the shared memory that a kernel takes ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All static workgroup memory of a kernel counts, also what is left alone, and what it has beside
// its attributions. How many workgroups fit into a
// multiprocessor follows from that and from limits that options state; what a device reserves
// beside it, and the units in which it does, do not count.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

uint64_t stow_arena_workgroup_bytes(const stow_arenas *arenas, const stow_arena *arena) {
  const bool padded =
      !arena->in_launch && stow_ir_is(stow_arena_scope(arenas, arena)->op, STOW_GPU_LAUNCH);
  return arena->plan.arena_size + (padded ? stow_arena_alignment(arena) - 1 : 0);
}

uint64_t stow_arena_kernel_bytes(const stow_arenas *arenas, const stow_arena *first,
                                 const stow_arena *end) {
  uint64_t sum = stow_arena_beside_bytes(stow_arena_scope(arenas, first)->op);
  for (const stow_arena *arena = first; arena != end; ++arena) {
    if (arena->planned_count > 0)
      stow_arena_add_saturating(&sum, stow_arena_workgroup_bytes(arenas, arena));
    for (size_t i = 0; i < arena->members.count; ++i) {
      const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
      stow_arena_add_saturating(&sum, fact->reason == STOW_PLANNED ? 0 : fact->size.bytes);
    }
  }
  return sum;
}

bool stow_arena_are_of_one_kernel(const stow_arena *a, const stow_arena *b) {
  return stow_backing_is(a->backing, STOW_BACKING_IS_SHARED) &&
         stow_backing_is(b->backing, STOW_BACKING_IS_SHARED) && a->function == b->function &&
         a->scope == b->scope;
}

const stow_arena *stow_arena_end_of_kernel(const stow_arenas *arenas, const stow_arena *first) {
  const stow_arena *end = first + 1;
  while (end != arenas->arenas.at + arenas->arenas.count &&
         stow_arena_are_of_one_kernel(first, end))
    ++end;
  return end;
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

static uint64_t attributed_bytes(const stow_arenas *arenas, const stow_arena *first,
                                 const stow_arena *end) {
  uint64_t sum = 0;
  for (const stow_arena *arena = first; arena != end; ++arena)
    for (size_t i = 0; i < arena->members.count; ++i)
      stow_arena_add_saturating(&sum,
                                stow_arena_fact(arenas, arena, arena->members.at[i])->size.bytes);
  return sum;
}

bool stow_arena_begins_kernel(const stow_arenas *arenas, const stow_arena *arena) {
  return stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED) &&
         (arena == arenas->arenas.at || stow_arena_end_of_kernel(arenas, arena - 1) == arena) &&
         attributed_bytes(arenas, arena, stow_arena_end_of_kernel(arenas, arena)) > 0;
}

static uint64_t workgroups_of(const stow_reuse_options *options, uint64_t bytes) {
  const uint64_t most = options->occupancy_workgroups, fit = options->occupancy_memory / bytes;
  return most > 0 && most < fit ? most : fit;
}

static stow_report_occupancy occupancy_of(const stow_reuse_options *options, uint64_t before,
                                          uint64_t after) {
  stow_report_occupancy o = {.memory = options->occupancy_memory};
  if (o.memory == 0)
    return o;
  o.before = workgroups_of(options, before);
  o.after = workgroups_of(options, after);
  const uint64_t most = options->occupancy_workgroups;
  for (uint64_t more = 1; more <= STOW_OCCUPANCY_STEPS; ++more)
    if (o.memory >= o.after + more && (most == 0 || o.after + more <= most))
      o.next[o.next_count++] = o.memory / (o.after + more);
  return o;
}

stow_report_kernel stow_arena_describe_kernel(const stow_arenas *arenas, const stow_arena *first) {
  const stow_arena *end = stow_arena_end_of_kernel(arenas, first);
  uint64_t before = stow_arena_beside_bytes(stow_arena_scope(arenas, first)->op);
  stow_arena_add_saturating(&before, attributed_bytes(arenas, first, end));
  stow_report_kernel kernel = {.before = before,
                               .after = stow_arena_kernel_bytes(arenas, first, end)};
  kernel.occupancy = occupancy_of(&arenas->options, kernel.before, kernel.after);
  return kernel;
}
