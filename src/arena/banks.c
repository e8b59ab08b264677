//===- banks.c - buffers of one op in different banks ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memory may consist of banks that do one access at a time. Requires plans, and keeps their
// sizes. If an arena has such a memory to itself, it is planned again so that as many pairs of
// buffers of one op as possible are in different banks. The largest pairs come first.
//
// The shared memory of a GPU has banks that take turns. A kernel's tiles, of which one op uses two,
// or what was read of two, begin in different ones, as far as the arena is as large then.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"
#include "arena/heap.h"
#include "arena/limits.h"
#include "ir/index.h"
#include "ir/machine.h"
#include "ir/op.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Which arenas begin where their memory does
//===----------------------------------------------------------------------===//

static bool is_called(const stow_calls *calls, size_t function) {
  if (calls->pointed[function])
    return true;
  for (size_t f = 0; f < calls->function_count; ++f)
    STOW_EACH_OF(callee, calls->called, f)
      if ((size_t)callee == function)
        return true;
  return false;
}

static bool is_alone(const stow_arenas *arenas, const stow_arena *arena) {
  STOW_EACH(const stow_arena, other, arenas->arenas)
    if (other != arena && other->function == arena->function && stow_arena_is_made(other) &&
        !stow_backing_is(other->backing, STOW_BACKING_IS_LENT) &&
        mlirAttributeEqual(other->memory_space, arena->memory_space))
      return false;
  return true;
}

static bool has_memory_to_itself(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_calls *calls = arenas->framing ? arenas->framing->calls : arenas->memory.calls;
  return stow_backing_is(arena->backing, STOW_BACKING_IS_WHOLE) && arena->scope == 0 &&
         stow_arena_is_made(arena) && arena->planned_count > 1 && arena->stackings.count == 0 &&
         is_alone(arenas, arena) && !is_called(calls, stow_arena_function(arenas, arena)->number);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

typedef struct bank_use {
  int64_t position;
  size_t buffer;
} bank_use;

typedef STOW_ARRAY(bank_use) bank_uses;
typedef STOW_ARRAY(stow_relation) bank_pairs;

STOW_BY_FIELDS(compare_uses, bank_use, position, buffer)
STOW_BY_FIELDS(compare_pairs, stow_relation, first, second)

// What `planned` has of the value that a value is a view of; 0: it has none, or it may be several.
static size_t buffer_behind(const size_t *planned, const stow_flow *flow, int32_t value) {
  for (size_t steps = 0; steps < flow->values.count && !planned[value]; ++steps) {
    value = stow_flow_only_source(flow, value);
    if (value < 0)
      return 0;
  }
  return planned[value];
}

// By value: the index of the planned buffer that it is, counted from 1.
static size_t *planned_values(const stow_arenas *arenas, const stow_arena *arena,
                              const stow_flow *flow) {
  size_t *planned = stow_ir_allocate(flow->values.count, sizeof *planned);
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const MlirValue value = stow_arena_value(arenas, arena, arena->planned[i]);
    const int32_t number = stow_map_get(&flow->index, value.ptr);
    if (number >= 0)
      planned[number] = i + 1;
  }
  return planned;
}

// Ops that are given what others read have numbers behind all positions.
static int64_t number_of(stow_map *readers, size_t positions, MlirOperation reader) {
  int32_t number = stow_map_get(readers, reader.ptr);
  if (number < 0)
    stow_map_add(readers, reader.ptr, number = (int32_t)readers->count);
  return (int64_t)positions + number;
}

// A kernel loads from its tiles, and one op computes with what it has loaded.
static void add_readers(const stow_flow *flow, const bank_use *use, stow_map *readers,
                        bank_uses *uses) {
  const MlirOperation op = flow->ops.at[use->position];
  if (stow_ir_gives_buffer(op))
    return;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    STOW_EACH_USE(read, mlirOperationGetResult(op, i)) {
      const MlirOperation reader = mlirOpOperandGetOwner(read);
      STOW_PUSH(*uses, (bank_use){number_of(readers, flow->ops.count, reader), use->buffer});
    }
}

// What the ops use of an arena's planned buffers, op by op.
static bank_uses uses_of(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  size_t *planned = planned_values(arenas, arena, flow);
  stow_map readers = {0};
  bank_uses uses = {0};
  STOW_EACH(const stow_use, use, flow->uses) {
    const size_t buffer = buffer_behind(planned, flow, use->value);
    if (buffer == 0)
      continue;
    const bank_use found = {use->begin, buffer - 1};
    STOW_PUSH(uses, found);
    if (stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED))
      add_readers(flow, &found, &readers, &uses);
  }
  STOW_SORT(uses, compare_uses);
  stow_map_free(&readers);
  free(planned);
  return uses;
}

static bank_pairs pairs_of(const stow_arenas *arenas, const stow_arena *arena) {
  bank_uses uses = uses_of(arenas, arena);
  bank_pairs pairs = {0};
  for (size_t i = 0; i < uses.count; ++i)
    for (size_t k = i + 1; k < uses.count && uses.at[k].position == uses.at[i].position; ++k)
      if (uses.at[k].buffer != uses.at[i].buffer)
        STOW_PUSH(pairs, (stow_relation){STOW_OTHER_BANK, uses.at[i].buffer, uses.at[k].buffer});
  free(uses.at);
  STOW_SORT_UNIQUE(pairs, compare_pairs);
  return pairs;
}

typedef struct sized_pair {
  uint64_t size; // of both
  stow_relation pair;
} sized_pair;

static int compare_sized(const void *a, const void *b) {
  const sized_pair *x = a, *y = b;
  return stow_ir_then(STOW_COMPARE(y->size, x->size), compare_pairs(&x->pair, &y->pair));
}

static void put_largest_first(const stow_arena *arena, bank_pairs *pairs) {
  sized_pair *sized = stow_ir_allocate(pairs->count, sizeof *sized);
  for (size_t i = 0; i < pairs->count; ++i)
    sized[i] = (sized_pair){arena->buffers[pairs->at[i].first].size +
                                arena->buffers[pairs->at[i].second].size,
                            pairs->at[i]};
  stow_ir_sort(sized, pairs->count, sizeof *sized, compare_sized);
  for (size_t i = 0; i < pairs->count; ++i)
    pairs->at[i] = sized[i].pair;
  free(sized);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

typedef struct separation {
  const stow_arenas *arenas;
  stow_arena *arena;
  stow_problem problem;
  bank_pairs all, wished; // the arena's relations and the pairs kept so far; pairs
  uint64_t *offsets;
  bool failed; // a plan does not hold
} separation;

static bool plan_apart(separation *s) {
  const stow_plan_options options = {.strategy = s->arenas->options.strategy,
                                     .capacity = s->arena->plan.arena_size,
                                     .max_effort = s->arenas->options.planner_effort};
  stow_plan_result result;
  s->problem.relations = s->all.at;
  s->problem.relation_count = s->all.count;
  const stow_status status = stow_plan(&s->problem, &options, s->offsets, &result);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  if (status != STOW_OK || (result.outcome != STOW_FEASIBLE && result.outcome != STOW_OPTIMAL))
    return false;
  if (!stow_arena_plan_holds(&s->problem, s->offsets, s->arena->plan.arena_size)) {
    s->failed = true;
    return stow_arena_refuse_plan(s->arenas);
  }
  memcpy(s->arena->offsets, s->offsets, s->arena->planned_count * sizeof *s->offsets);
  s->arena->plan.strategy = result.strategy;
  return true;
}

// Many pairs at once while that succeeds, one at a time where it does not.
static void keep_apart(separation *s) {
  size_t step = s->wished.count;
  int tries = 0;
  for (size_t next = 0; next < s->wished.count && tries < STOW_BANKS_MOST_TRIES && !s->failed;
       ++tries) {
    const size_t end = step < s->wished.count - next ? next + step : s->wished.count;
    const size_t before = s->all.count;
    for (size_t i = next; i < end; ++i)
      STOW_PUSH(s->all, s->wished.at[i]);
    const bool planned = plan_apart(s);
    if (!planned)
      s->all.count = before;
    next = planned ? end : next + (step == 1);
    step = planned ? 2 * step : (step + 1) / 2;
  }
}

static size_t count_apart(separation *s) {
  size_t conflicts = 0;
  s->problem.relations = s->wished.at;
  s->problem.relation_count = s->wished.count;
  if (stow_bank_conflicts(&s->problem, s->arena->offsets, &conflicts) == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  return s->wished.count - conflicts;
}

typedef struct banks {
  uint64_t size, count; // bytes of one, 0: none; how many take turns, 0: they do not
} banks;

static bool separate(const stow_arenas *arenas, stow_arena *arena, banks of) {
  separation s = {.arenas = arenas,
                  .arena = arena,
                  .problem = arena->problem,
                  .wished = pairs_of(arenas, arena),
                  .offsets = stow_ir_allocate(arena->planned_count, sizeof *s.offsets)};
  s.problem.bank_size = of.size;
  s.problem.bank_count = of.count;
  put_largest_first(arena, &s.wished);
  STOW_EACH_ITEM(stow_relation, relation, arena->relations)
    STOW_PUSH(s.all, relation);
  keep_apart(&s);
  arena->bank_pairs = s.wished.count;
  arena->bank_pairs_apart = count_apart(&s);
  free(s.all.at);
  free(s.wished.at);
  free(s.offsets);
  return !s.failed;
}

// Bytes of a bank; 0: the memory has none.
static uint64_t bank_size_of(const stow_machine *machine, MlirAttribute space) {
  const stow_machine_memory *memory = stow_machine_memory_of(machine, space);
  return memory && memory->banks > 1 ? memory->bytes / memory->banks : 0;
}

// Those of a GPU's shared memory, whatever the machine is.
static banks banks_of(const stow_arenas *arenas, const stow_arena *arena,
                      const stow_machine *machine) {
  if (stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED) && arena->planned_count > 1)
    return (banks){STOW_SHARED_BANK_BYTES, STOW_SHARED_BANKS};
  if (!has_memory_to_itself(arenas, arena))
    return (banks){0};
  return (banks){bank_size_of(machine, arena->memory_space), 0};
}

bool stow_arena_separate_banks(stow_arenas *arenas) {
  if (arenas->options.scheduler)
    return true;
  stow_machine machine;
  bool ok = stow_machine_read(arenas->module, NULL, &machine);
  for (size_t i = 0; i < arenas->arenas.count && ok; ++i) {
    stow_arena *arena = &arenas->arenas.at[i];
    const banks of = banks_of(arenas, arena, &machine);
    ok = of.size == 0 || separate(arenas, arena, of);
  }
  stow_machine_free(&machine);
  return ok;
}
