//===- collect.c - which buffers go into which arena ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines what the IR allows (ir/buffers.h) with the options. Buffers whose deallocs cannot
// be told apart are planned all or none, and a buffer that can share bytes with no other is
// not put into an arena. Each of the two rules can leave alone a buffer that the other one
// relied on, so they are applied in round until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"
#include "arena/dynamic.h"
#include "arena/limits.h"
#include "arena/workgroup.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Sorting allocs into arenas
//===----------------------------------------------------------------------===//

// Puts a member into the arena of its backing, scope and memory space. `heads`: per scope of the
// function its newest arena, or SIZE_MAX.
static void sort_into(stow_arenas *arenas, size_t *heads, stow_arena like, size_t member) {
  size_t a = heads[like.scope];
  while (a != SIZE_MAX &&
         (arenas->arenas.at[a].backing != like.backing ||
          arenas->arenas.at[a].host_shared != like.host_shared ||
          !mlirAttributeEqual(arenas->arenas.at[a].memory_space, like.memory_space)))
    a = arenas->arenas.at[a].next_in_scope;
  if (a == SIZE_MAX) {
    like.next_in_scope = heads[like.scope];
    a = heads[like.scope] = STOW_PUSH(arenas->arenas, like);
  }
  STOW_PUSH(arenas->arenas.at[a].members, member);
}

static void sort_function(stow_arenas *arenas, size_t index) {
  const stow_function_memory *function = &arenas->memory.functions[index];
  const stow_backing source = arenas->on_stack ? STOW_BACKING_STACK : STOW_BACKING_HEAP;
  const stow_backing backing = arenas->framing ? arenas->framing->backings[index] : source;
  size_t *heads = stow_ir_allocate(function->flow.scopes.count, sizeof *heads);
  bool *shared = stow_ir_allocate(function->flow.allocs.count, sizeof *shared);
  for (size_t s = 0; s < function->flow.scopes.count; ++s)
    heads[s] = SIZE_MAX;
  STOW_EACH(const stow_attribution, a, arenas->shared[index])
    if (a->alloc != STOW_NO_ALLOC)
      shared[a->alloc] = true;
  for (size_t i = 0; i < function->flow.allocs.count; ++i) {
    const stow_alloc *alloc = &function->flow.allocs.at[i];
    stow_buffer_fact *fact = &arenas->selection[index][i];
    if (shared[i])
      continue;
    if (alloc->on_stack != arenas->on_stack) {
      fact->reason = STOW_NOT_ASKED;
      continue;
    }
    if (fact->reason == STOW_PLANNED)
      fact->reason = stow_arena_reason_of_options(&arenas->options, stow_arena_space_of(alloc),
                                                  fact->size.bytes);
    if (fact->reason == STOW_PLANNED && !fact->deallocated &&
        !arenas->options.allow_missing_dealloc)
      fact->reason = STOW_NO_DEALLOC;
    sort_into(arenas, heads,
              (stow_arena){.function = index,
                           .scope = alloc->scope,
                           .memory_space = stow_arena_space_of(alloc),
                           .host_shared =
                               alloc->on_device && stow_ir_has_attribute(alloc->op, "hostShared"),
                           .backing = alloc->on_device    ? STOW_BACKING_DEVICE
                                      : alloc->scope == 0 ? backing
                                                          : source},
              i);
  }
  for (size_t i = 0; i < arenas->shared[index].count; ++i) {
    const stow_attribution *a = &arenas->shared[index].at[i];
    sort_into(arenas, heads,
              (stow_arena){.function = index,
                           .scope = a->scope,
                           .memory_space = stow_ir_memory_space(mlirValueGetType(a->value)),
                           .backing = STOW_BACKING_WORKGROUP},
              stow_attribution_member(function, &arenas->shared[index], i));
  }
  free(heads);
  free(shared);
}

//===----------------------------------------------------------------------===//
// Rules between buffers
//===----------------------------------------------------------------------===//

// An arena must be addressable even if nothing in it could be reused.
static void drop_oversized(stow_arenas *arenas, const stow_arena *arena) {
  const uint64_t largest = UINT64_C(1) << 62;
  uint64_t sum = 0;
  bool fits = true;
  for (size_t i = 0; i < arena->members.count && fits; ++i) {
    stow_buffer_fact *fact = stow_arena_selected(arenas, arena, arena->members.at[i]);
    if (fact->reason != STOW_PLANNED)
      continue;
    uint64_t padded = stow_slice_alignment(arenas, arena, fact);
    if (padded > largest - fact->size.bytes) {
      fact->reason = STOW_TOO_LARGE;
      continue;
    }
    fits = fact->size.bytes + padded <= largest - sum;
    sum += fact->size.bytes + padded;
  }
  if (!fits)
    stow_arena_leave_alone(arenas, arena, STOW_TOO_LARGE);
}

// Members of a group are planned all or not at all.
static bool keep_groups_whole(const stow_function_memory *function, stow_buffer_fact *selection) {
  const stow_dealloc_groups *groups = &function->groups;
  bool *broken = stow_ir_allocate((size_t)groups->group_count, sizeof *broken), changed = false;
  for (size_t i = 0; i < function->flow.allocs.count; ++i)
    broken[groups->of_alloc[i]] |= selection[i].reason != STOW_PLANNED;
  for (size_t i = 0; i < function->flow.allocs.count; ++i) {
    if (!broken[groups->of_alloc[i]] || selection[i].reason != STOW_PLANNED)
      continue;
    selection[i].reason = STOW_SHARED_DEALLOC;
    changed = true;
  }
  free(broken);
  return changed;
}

static bool keep_all_groups_whole(stow_arenas *arenas) {
  bool changed = false;
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    changed |= keep_groups_whole(&arenas->memory.functions[f], arenas->selection[f]);
  return changed;
}

void stow_arena_settle(stow_arenas *arenas) {
  bool changed = true;
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    drop_oversized(arenas, &arenas->arenas.at[a]);
  for (int round = 0; round < STOW_COLLECT_MOST_ROUNDS && changed; ++round) {
    changed = keep_all_groups_whole(arenas);
    for (size_t a = 0; a < arenas->arenas.count; ++a)
      changed |= stow_arena_drop_partnerless(arenas, &arenas->arenas.at[a]);
  }
  keep_all_groups_whole(arenas);
}

static bool ask_tracer(stow_arenas *arenas) {
  bool ok = true;
  for (size_t a = 0; a < arenas->arenas.count && ok; ++a)
    if (!stow_backing_is(arenas->arenas.at[a].backing, STOW_BACKING_IS_SHARED))
      ok = stow_arena_ask_tracer(arenas, &arenas->arenas.at[a]);
  return ok;
}

static unsigned more_allocs(const stow_arenas *arenas) {
  return (arenas->on_stack ? STOW_STACK_ALLOCS : 0u) | (arenas->device ? STOW_DEVICE_ALLOCS : 0u);
}

static void analyse(stow_arenas *arenas) {
  const stow_framing *framing = arenas->framing;
  if (arenas->memory.functions)
    return;
  arenas->memory =
      framing ? stow_ir_read_functions(framing->reader, framing->functions, framing->count)
              : stow_module_memory_with_dynamic(arenas->module, arenas->options.unknown_ops,
                                                more_allocs(arenas), arenas->options.dynamic);
}

static void begin_selection(stow_arenas *arenas) {
  arenas->selection = stow_ir_allocate(arenas->memory.function_count, sizeof *arenas->selection);
  arenas->shared = stow_ir_allocate(arenas->memory.function_count, sizeof *arenas->shared);
  for (size_t f = 0; f < arenas->memory.function_count; ++f) {
    const stow_function_memory *function = &arenas->memory.functions[f];
    const size_t count = function->flow.allocs.count;
    if (arenas->workgroups)
      arenas->shared[f] = stow_attributions_of(function);
    arenas->selection[f] =
        stow_ir_allocate(count + arenas->shared[f].count, sizeof **arenas->selection);
    memcpy(arenas->selection[f], function->buffers, count * sizeof *function->buffers);
    stow_arena_read_attributions(&arenas->options, function, &arenas->shared[f],
                                 arenas->selection[f]);
  }
}

bool stow_arena_collect(stow_arenas *arenas) {
  analyse(arenas);
  begin_selection(arenas);
  stow_arena_guard_sizes(arenas);
  stow_arena_set_typical_sizes(arenas);
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    sort_function(arenas, f);
  stow_arena_sort_dynamic(arenas);
  if (!stow_arena_asked_sizes_exist(arenas) || (arenas->options.tracer && !ask_tracer(arenas)))
    return false;
  stow_arena_settle(arenas);
  if (arenas->options.dynamic_workgroup)
    stow_arena_choose_dynamic_workgroup(arenas);
  stow_arena_assert_collected(arenas);
  return true;
}
