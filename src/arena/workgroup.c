//===- workgroup.c - the shared memory of a GPU kernel ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.func says how its attributions are aligned. A gpu.launch cannot, so there the first
// aligned byte is found at run time, and padding makes room for it. The capacity is a kernel's,
// for all its attributions together.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

#include <stdlib.h>

uint64_t stow_workgroup_bytes(const stow_arenas *arenas, const stow_arena *arena) {
  const bool padded = stow_is(stow_arena_scope(arenas, arena)->op, STOW_GPU_LAUNCH);
  return arena->plan.arena_size + (padded ? stow_arena_alignment(arena) - 1 : 0);
}

//===----------------------------------------------------------------------===//
// Capacity
//===----------------------------------------------------------------------===//

// The arenas of one kernel, [begin, end): one for each of its memory spaces.
typedef struct kernel {
  const stow_arenas *arenas;
  size_t begin, end;
} kernel;

static bool is_of_kernel(const kernel *k, const stow_arena *arena) {
  const stow_arena *first = &k->arenas->arenas.at[k->begin];
  return arena->frame == STOW_FRAME_WORKGROUP && arena->function == first->function &&
         arena->scope == first->scope;
}

static void add_saturating(uint64_t *sum, uint64_t bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum))
    *sum = UINT64_MAX;
}

static uint64_t bytes_of(const kernel *k) {
  uint64_t sum = 0;
  for (size_t a = k->begin; a < k->end; ++a) {
    const stow_arena *arena = &k->arenas->arenas.at[a];
    if (arena->planned_count > 0)
      add_saturating(&sum, stow_workgroup_bytes(k->arenas, arena));
    for (size_t i = 0; i < arena->members.count; ++i) {
      const stow_buffer_fact *fact = stow_arena_fact(k->arenas, arena, arena->members.at[i]);
      add_saturating(&sum, fact->reason == STOW_PLANNED ? 0 : fact->size.bytes);
    }
  }
  return sum;
}

static char *text_of_fact(const stow_buffer_fact *fact) {
  const unsigned long long bytes = fact->size.bytes;
  stow_text text = {0};
  if (fact->reason == STOW_PLANNED) {
    stow_text_printf(&text, "live at the peak: %llu bytes", bytes);
    return stow_text_take(&text);
  }
  char *reason = stow_reason_text(fact);
  stow_text_printf(&text, "left alone: %llu bytes; %s", bytes, reason);
  free(reason);
  return stow_text_take(&text);
}

static bool report_capacity(const kernel *k) {
  STOW_ARRAY(stow_note) notes = {0};
  for (size_t a = k->begin; a < k->end; ++a) {
    const stow_arena *arena = &k->arenas->arenas.at[a];
    for (size_t i = 0; i < arena->members.count; ++i) {
      const stow_buffer_fact *fact = stow_arena_fact(k->arenas, arena, arena->members.at[i]);
      MlirValue value = stow_arena_value(k->arenas, arena, arena->members.at[i]);
      if (fact->reason != STOW_PLANNED || stow_is_live_at(fact, arena->peak))
        STOW_PUSH(notes, (stow_note){mlirValueGetLocation(value), text_of_fact(fact)});
    }
  }
  stow_text text = {0};
  stow_text_printf(&text,
                   "the kernel needs %llu bytes of workgroup memory, but "
                   "workgroup-capacity-in-bytes is %llu; nothing was rewritten",
                   (unsigned long long)bytes_of(k),
                   (unsigned long long)k->arenas->options.workgroup_capacity);
  MlirOperation op = stow_arena_scope(k->arenas, &k->arenas->arenas.at[k->begin])->op;
  stow_error(mlirOperationGetLocation(op), text.data, notes.at, notes.count);
  for (size_t i = 0; i < notes.count; ++i)
    free((char *)notes.at[i].text);
  free(notes.at), free(text.data);
  return false;
}

bool stow_workgroups_fit(const stow_arenas *arenas) {
  const uint64_t capacity = arenas->options.workgroup_capacity;
  bool ok = true;
  for (size_t a = 0, end; a < arenas->arenas.count && capacity; a = end) {
    kernel k = {arenas, a, a};
    while (k.end < arenas->arenas.count && is_of_kernel(&k, &arenas->arenas.at[k.end]))
      ++k.end;
    end = k.end > a ? k.end : a + 1;
    if (bytes_of(&k) > capacity)
      ok = report_capacity(&k);
  }
  return ok;
}
