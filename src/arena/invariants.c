//===- invariants.c - what collecting and planning promise the rewrite ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asserts what stages leave for the next one. Collecting: each member is of the arena's function
// and scope, what one dealloc may free is planned whole or not at all, and each planned buffer is
// in one arena. Planning: the plan is of the planned members, and what lies in a result's bytes is
// dead before the result is touched.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"

#ifndef NDEBUG

#include <assert.h>
#include <stdlib.h>

// What one dealloc may free is planned whole or not at all, and then is nobody else's.
static void assert_groups(const stow_function_memory *function, const stow_buffer_fact *selection) {
  const stow_dealloc_groups *groups = &function->groups;
  enum { NONE_YET, PLANNED, LEFT };
  int *fate = stow_ir_allocate((size_t)groups->group_count, sizeof *fate);
  for (size_t i = 0; i < function->flow.allocs.count; ++i) {
    int32_t group = groups->of_alloc[i];
    int here = selection[i].reason == STOW_PLANNED ? PLANNED : LEFT;
    assert(fate[group] == NONE_YET || fate[group] == here);
    assert(here == LEFT || !groups->foreign[group]);
    fate[group] = here;
  }
  free(fate);
}

static void assert_members(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  for (size_t i = 0; i < arena->members.count; ++i) {
    assert(i == 0 || arena->members.at[i - 1] < arena->members.at[i]);
    assert(arena->members.at[i] < flow->allocs.count ||
           stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED));
    if (arena->members.at[i] >= flow->allocs.count)
      continue;
    const stow_alloc *alloc = &flow->allocs.at[arena->members.at[i]];
    if (stow_arena_fact(arenas, arena, arena->members.at[i])->reason == STOW_PLANNED) {
      assert(alloc->scope == arena->scope);
      assert(flow->blocks.at[alloc->block].reachable);
    }
  }
}

// Every planned buffer is in one arena.
static size_t count_planned(const stow_arenas *arenas) {
  size_t count = 0;
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    for (size_t i = 0; i < arenas->memory.functions[f].flow.allocs.count + arenas->shared[f].count;
         ++i)
      count += arenas->selection[f][i].reason == STOW_PLANNED;
  return count;
}

static size_t count_planned_in(const stow_arenas *arenas, const stow_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < arena->members.count; ++i)
    count += stow_arena_fact(arenas, arena, arena->members.at[i])->reason == STOW_PLANNED;
  return count;
}

void stow_arena_assert_collected(const stow_arenas *arenas) {
  size_t planned = 0;
  for (size_t f = 0; f < arenas->memory.function_count; ++f)
    assert_groups(&arenas->memory.functions[f], arenas->selection[f]);
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    assert(a == 0 || arenas->arenas.at[a - 1].function <= arenas->arenas.at[a].function);
    assert_members(arenas, &arenas->arenas.at[a]);
    planned += count_planned_in(arenas, &arenas->arenas.at[a]);
  }
  assert(planned == count_planned(arenas));
}

// What is in a result's bytes is dead before the result is touched.
static void assert_lent(const stow_arenas *arenas, const stow_arena *arena) {
  assert(stow_arena_fact(arenas, arena, arena->lender)->reason == STOW_RETURNED);
  assert(arena->plan.arena_size <= stow_arena_fact(arenas, arena, arena->lender)->size.bytes);
  size_t count;
  const size_t *tenants = stow_arena_tenants(arena, &count);
  for (size_t i = 0; i < count; ++i)
    assert(stow_arena_fact(arenas, arena, tenants[i])->end <=
           stow_arena_life(arenas, arena, arena->lender)->begin);
}

// Of arenas that are taken together: each stacking tells of each member in which it lies, and each
// planned member may lie where it is planned.
static void assert_joint(const stow_arenas *arenas, size_t index) {
  const stow_arena *first = &arenas->arenas.at[index];
  for (size_t p = 0; first->joint > 0 && p <= first->joint; ++p) {
    const stow_arena *arena = first + p;
    assert(index + p < arenas->arenas.count && arena->function == first->function);
    assert(stow_backing_is(arena->backing, STOW_BACKING_IS_LENT) == (p > 0));
    assert(arena->stackings.count == first->stackings.count);
    assert(arena->tenants.count >= arena->planned_count && arena->tenants.count > 0);
    for (size_t k = 0; k < arena->stackings.count; ++k)
      for (size_t i = 0; i < arena->planned_count; ++i)
        assert(arena->stackings.at[k].memory[i] <= first->joint);
  }
}

void stow_arena_assert_planned(const stow_arenas *arenas) {
  stow_arena_assert_collected(arenas); // as planning leaves out what does not pay
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    const stow_arena *arena = &arenas->arenas.at[a];
    assert(arena->planned_count == count_planned_in(arenas, arena));
    assert(arena->waits ||
           stow_arena_plan_holds(&arena->problem, arena->offsets, arena->plan.arena_size));
    if (stow_backing_is(arena->backing, STOW_BACKING_IS_LENT))
      assert_lent(arenas, arena);
    assert_joint(arenas, a);
  }
}

#endif // NDEBUG
