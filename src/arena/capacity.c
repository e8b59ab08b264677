//===- capacity.c - arenas that have too many bytes -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The capacity of workgroup memory is a kernel's, for all its attributions together, also for those
// that are left alone, and what else it has of static memory.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

#include <stdlib.h>

static char *text_of(const stow_buffer_fact *fact) {
  const unsigned long long bytes = fact->size.bytes;
  if (fact->reason == STOW_PLANNED)
    return stow_ir_format("live at the peak: %llu bytes", bytes);
  char *reason = stow_arena_reason_text(fact);
  char *text = stow_ir_format("left alone: %llu bytes; %s", bytes, reason);
  free(reason);
  return text;
}

// Whether the member has bytes where most are live.
static bool is_at_peak(const stow_arena *arena, int64_t peak, const stow_buffer_fact *fact) {
  return fact->reason == STOW_PLANNED ? stow_ir_is_live_at(fact, peak)
                                      : stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED);
}

typedef STOW_ARRAY(stow_note) note_list;

static void add_beside(note_list *notes, MlirOperation kernel) {
  stow_beside_list all = stow_arena_beside(kernel);
  STOW_EACH(const stow_beside, one, all) {
    const unsigned long long bytes = one->bytes;
    STOW_PUSH(*notes, (stow_note){mlirOperationGetLocation(one->op),
                                  stow_ir_format("beside these: %llu bytes", bytes)});
  }
  free(all.at);
}

// An error that lists what of arenas [first, end), which are of one scope, is live at the peak.
// False. Takes the text.
static bool refuse(const stow_arenas *arenas, const stow_arena *first, const stow_arena *end,
                   char *what) {
  note_list notes = {0};
  for (const stow_arena *arena = first; arena != end; ++arena) {
    const int64_t peak = stow_most_live_in(arena).position;
    for (size_t i = 0; i < arena->members.count; ++i) {
      const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, arena->members.at[i]);
      MlirValue value = stow_arena_value(arenas, arena, arena->members.at[i]);
      if (is_at_peak(arena, peak, fact))
        STOW_PUSH(notes, (stow_note){mlirValueGetLocation(value), text_of(fact)});
    }
  }
  if (stow_backing_is(first->backing, STOW_BACKING_IS_SHARED))
    add_beside(&notes, stow_arena_scope(arenas, first)->op);
  stow_bridge_error(mlirOperationGetLocation(stow_arena_scope(arenas, first)->op), what, notes.at,
                    notes.count);
  for (size_t i = 0; i < notes.count; ++i)
    free((char *)notes.at[i].text);
  free(notes.at);
  free(what);
  return false;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// A launch's padding is not the scheduler's. One byte where nothing is left.
static uint64_t left_for(const stow_arenas *arenas, const stow_arena *arena) {
  uint64_t taken = stow_arena_workgroup_bytes(arenas, arena) - arena->plan.arena_size;
  stow_arena_add_saturating(&taken, stow_arena_beside_bytes(stow_arena_scope(arenas, arena)->op));
  STOW_EACH(const stow_arena, other, arenas->arenas)
    for (size_t i = 0; i < other->members.count && stow_arena_are_of_one_kernel(arena, other);
         ++i) {
      const stow_buffer_fact *fact = stow_arena_fact(arenas, other, other->members.at[i]);
      stow_arena_add_saturating(&taken, fact->reason == STOW_PLANNED ? 0 : fact->size.bytes);
    }
  const uint64_t capacity = arenas->options.workgroup_capacity;
  return taken < capacity ? capacity - taken : 1;
}

uint64_t stow_arena_capacity_for(const stow_arenas *arenas, const stow_arena *arena) {
  if (!stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED))
    return arenas->options.capacity;
  return arenas->options.workgroup_capacity ? left_for(arenas, arena) : 0;
}

static bool workgroups_fit(const stow_arenas *arenas) {
  const uint64_t capacity = arenas->options.workgroup_capacity;
  const stow_arena *first = arenas->arenas.at, *last = first + arenas->arenas.count;
  bool ok = true;
  for (const stow_arena *end; first != last && capacity; first = end) {
    end = stow_arena_end_of_kernel(arenas, first);
    uint64_t bytes = stow_backing_is(first->backing, STOW_BACKING_IS_SHARED)
                         ? stow_arena_kernel_bytes(arenas, first, end)
                         : 0;
    if (bytes > capacity)
      ok = refuse(arenas, first, end,
                  stow_ir_format("the kernel needs %llu bytes of workgroup memory, but "
                                 "workgroup-capacity-in-bytes is %llu; nothing was rewritten",
                                 (unsigned long long)bytes, (unsigned long long)capacity));
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static bool fits_capacity(const stow_arenas *arenas, const stow_arena *arena) {
  const uint64_t capacity = arenas->options.capacity;
  if (!capacity || arena->plan.arena_size <= capacity || arenas->options.scheduler ||
      stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED | STOW_BACKING_IS_LENT))
    return true;
  const bool proven = arena->plan.lower_bound > capacity;
  return refuse(arenas, arena, arena + 1,
                stow_ir_format("buffers live at one time need %llu bytes%s, but "
                               "capacity-in-bytes is %llu; nothing was rewritten",
                               (unsigned long long)arena->plan.lower_bound,
                               proven ? "" : " or more (no plan was found)",
                               (unsigned long long)capacity));
}

bool stow_arenas_fit(const stow_arenas *arenas) {
  bool ok = true;
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    ok &= fits_capacity(arenas, &arenas->arenas.at[a]);
  return ok && workgroups_fit(arenas);
}
