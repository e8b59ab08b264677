//===- heap.c - memory beside the arenas --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires planned arenas. Computes the bytes that a function's heap has at its peak beside its
// arenas, as it is or in each of several *cases*: numbers for the sizes that are known at run time
// only, and whether each branch is taken, by its condition where that can be evaluated, else by
// chance from the case's number.
//
//===----------------------------------------------------------------------===//

#include "arena/heap.h"

#include "arena/dynamic.h"
#include "arena/timeline.h"
#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <stdlib.h>

static bool allocates(const stow_arenas *arenas, int32_t function) {
  return arenas->framing ? stow_reader_allocates(arenas->framing->reader, function)
                         : arenas->memory.functions[function].allocates;
}

bool stow_arena_calls_allocator(const stow_arenas *arenas, const stow_calls *calls,
                                MlirOperation op) {
  const int32_t callee = stow_bridge_op_is_call(op) ? stow_ir_called(calls, op) : -1;
  return callee >= 0 && allocates(arenas, callee);
}

bool stow_arena_is_given(const stow_arenas *arenas, const stow_calls *calls,
                         const stow_value *value) {
  return mlirValueIsAOpResult(value->value) &&
         stow_arena_calls_allocator(arenas, calls, mlirOpResultGetOwner(value->value));
}

static void add_given(stow_timeline *t, const stow_arenas *arenas, const stow_calls *calls,
                      const stow_function_memory *function) {
  for (size_t v = 0; v < function->flow.values.count; ++v) {
    const stow_value *value = &function->flow.values.at[v];
    const stow_life *life = &function->lives[v];
    if (stow_arena_is_given(arenas, calls, value))
      stow_timeline_add(t, value->defined, stow_ir_later(life->end, life->handed),
                        stow_ir_made_bytes(value->value) + arenas->options.alignment);
  }
}

size_t stow_arenas_end(const stow_arenas *arenas, size_t first, size_t function) {
  while (first < arenas->arenas.count && arenas->arenas.at[first].function == function)
    ++first;
  return first;
}

uint64_t stow_arena_heap_peak(const stow_arenas *arenas, const stow_calls *calls, size_t function,
                              size_t first, size_t end) {
  stow_timeline t = stow_timeline_of(&arenas->memory.functions[function].flow);
  for (size_t a = first; a < end; ++a) {
    const stow_arena *arena = &arenas->arenas.at[a];
    if (stow_backing_is(arena->backing, STOW_BACKING_IS_ALLOC))
      stow_timeline_add_planned(&t, arenas, arena, arenas->options.alignment);
  }
  add_given(&t, arenas, calls, &arenas->memory.functions[function]);
  stow_timeline_sum_up(&t);
  const uint64_t peak = stow_timeline_peak(&t);
  free(t.bytes);
  return peak;
}

//===----------------------------------------------------------------------===//
// Sizes and branches with which a function may run
//===----------------------------------------------------------------------===//

// The cases before these have all branches taken.
enum { FIRST_CHOSEN = 10 };

// SplitMix64 (Steele, Lea, Flood, 2014): each bit depends on all of both numbers.
static uint64_t mixed(size_t index, size_t of) {
  uint64_t z = (index + ((uint64_t)of << 8) + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static bool by_chance(size_t index, size_t of) { return mixed(index, of) & 1; }

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

// The variable of a case of an index, by chance; -1: of none.
static int32_t choose_case(const stow_extents *extents, size_t index, int32_t first) {
  size_t count = 0;
  for (int32_t v = first; v >= 0; v = extents->variables.at[v].next)
    ++count;
  int32_t chosen = first;
  for (size_t more = mixed(index, (size_t)first) % (count + 1); more > 0 && chosen >= 0; --more)
    chosen = extents->variables.at[chosen].next;
  return chosen;
}

// Of the cases of one index one number is chosen.
static void choose_bits(const stow_extents *extents, size_t index, int64_t *variables) {
  int32_t *chosen = stow_ir_allocate(extents->variables.count, sizeof *chosen); // at its first case
  for (size_t v = 0; v < extents->variables.count; ++v) {
    const stow_variable *variable = &extents->variables.at[v];
    const int32_t first =
        variable->is_case ? stow_map_get(&extents->cases, variable->value.ptr) : -1;
    if (first == (int32_t)v)
      chosen[v] = choose_case(extents, index, first);
    if (variables[v] != STOW_EITHER)
      continue;
    if (first < 0)
      variables[v] = by_chance(index, v);
    else
      variables[v] =
          chosen[first] >= 0 && extents->variables.at[chosen[first]].number == variable->number;
  }
  free(chosen);
}

// Of all atoms.
static void choose_numbers(const stow_extents *extents, size_t index, int64_t *out_atoms) {
  int64_t *variables = stow_ir_allocate(extents->variables.count, sizeof *variables);
  stow_arena_sample_variables(extents, index / 2, variables);
  if (index >= FIRST_CHOSEN)
    choose_bits(extents, index, variables);
  stow_ir_evaluate_atoms(extents->formulas, variables, 0, out_atoms);
  free(variables);
}

static uint64_t bytes_of(const stow_cases *c, size_t index, const stow_buffer_fact *fact) {
  return fact->size.known ? fact->size.bytes
         : fact->size.formula == STOW_NO_FORMULA
             ? 0
             : stow_arena_case_number(c, index, fact->size.formula);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

// Whether a formula is not 0, or, where that cannot be told, by chance.
static bool is_set(const stow_extents *extents, size_t index, const int64_t *atoms,
                   stow_formula known, int32_t block) {
  int64_t bit;
  if (known != STOW_NO_FORMULA && stow_ir_evaluate(extents->formulas, atoms, known, &bit))
    return bit != 0;
  return by_chance(index, (size_t)block);
}

// The formula of an scf.if's condition.
static stow_formula condition_of(const stow_function_memory *function, MlirOperation op) {
  return function->extents
             ? stow_map_get(&function->extents->of_values, mlirOperationGetOperand(op, 0).ptr)
             : STOW_NO_FORMULA;
}

static int32_t first_block_of(const stow_flow *flow, MlirRegion region) {
  return stow_map_get(&flow->block_index, mlirRegionGetFirstBlock(region).ptr);
}

// Whether a block runs when that around it does.
static bool is_taken(const stow_function_memory *function, size_t index, const int64_t *atoms,
                     int32_t block) {
  const stow_flow *flow = &function->flow;
  const MlirOperation op = mlirBlockGetParentOperation(flow->blocks.at[block].block);
  const MlirRegion region = mlirBlockGetParentRegion(flow->blocks.at[block].block);
  const stow_formula known =
      function->extents ? stow_ir_known_taken(function->extents, region) : STOW_NO_FORMULA;
  if (index < FIRST_CHOSEN)
    return true;
  if (stow_ir_is(op, STOW_SCF_IF)) {
    const MlirRegion taken = mlirOperationGetRegion(op, 0);
    return is_set(function->extents, index, atoms, condition_of(function, op),
                  first_block_of(flow, taken)) == mlirRegionEqual(taken, region);
  }
  if (known != STOW_NO_FORMULA)
    return is_set(function->extents, index, atoms, known, block);
  return (!stow_ir_is(op, STOW_SCF_INDEX_SWITCH) && !stow_ir_is(op, STOW_AFFINE_IF)) ||
         by_chance(index, (size_t)block);
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

// Where names of a value first become names that may be others', too: per value.
static int64_t *hand_overs(const stow_flow *flow) {
  int64_t *at = stow_ir_allocate(flow->values.count, sizeof *at);
  for (size_t v = 0; v < flow->values.count; ++v)
    at[v] = INT64_MAX;
  for (size_t e = flow->edges.count; e-- > 0;) { // a value's own edges come behind its definition
    const stow_edge *edge = &flow->edges.at[e];
    at[edge->from] = stow_ir_earlier(at[edge->from], edge->control ? edge->position : at[edge->to]);
  }
  return at;
}

// By alloc: the last dealloc of its group that control comes to in a case.
static void find_last_frees(stow_cases *c, size_t index, const int64_t *frees, int64_t *last) {
  const stow_flow *flow = &c->function->flow;
  const stow_dealloc_groups *groups = &c->function->groups;
  for (int32_t g = 0; g < groups->group_count; ++g)
    last[g] = -1;
  for (size_t i = 0; i < flow->frees.count; ++i) // in the order of their positions
    if (stow_arena_case_runs(c, index, flow->frees.at[i].block))
      last[groups->of_free[i]] = frees[i];
  for (size_t i = 0; i < flow->allocs.count; ++i)
    c->freed[i * STOW_CASES + index] = last[groups->of_alloc[i]];
}

static void find_frees(stow_cases *c) {
  int64_t *frees = stow_timeline_frees(&c->function->flow),
          *last = stow_ir_allocate((size_t)c->function->groups.group_count, sizeof *last);
  for (size_t index = 0; index < c->count; ++index)
    find_last_frees(c, index, frees, last);
  free(frees);
  free(last);
}

static void fill_in(stow_cases *c, size_t index) {
  const stow_flow *flow = &c->function->flow;
  const stow_extents *extents = c->function->extents;
  const size_t atom_count = extents ? stow_atom_count(extents->formulas) : 0;
  int64_t *atoms = c->atoms[index] = stow_ir_allocate(atom_count, sizeof *atoms);
  if (extents)
    choose_numbers(extents, index, atoms);
  for (size_t i = 0; i < flow->allocs.count; ++i)
    c->bytes[i * STOW_CASES + index] = bytes_of(c, index, &c->selection[i]);
  for (size_t b = 0; b < flow->blocks.count; ++b) {
    const int32_t parent = flow->blocks.at[b].parent; // before it in the table
    c->runs[b * STOW_CASES + index] =
        (parent < 0 || c->runs[(size_t)parent * STOW_CASES + index]) &&
        is_taken(c->function, index, atoms, (int32_t)b);
  }
}

// Of each alloc. Without an alignment of its own the lowering adds none.
static uint64_t *slacks_of(const stow_flow *flow) {
  uint64_t *slack = stow_ir_allocate(flow->allocs.count, sizeof *slack);
  for (size_t i = 0; i < flow->allocs.count; ++i) {
    const MlirAttribute stated = stow_attribute_of(flow->allocs.at[i].op, "alignment");
    if (!mlirAttributeIsNull(stated) && mlirAttributeIsAInteger(stated))
      slack[i] = (uint64_t)mlirIntegerAttrGetValueInt(stated);
  }
  return slack;
}

static size_t count_for(const stow_flow *flow) {
  const size_t fit = STOW_CASES_MOST_POSITIONS / (flow->ops.count + 1);
  return fit < STOW_CASES_LEAST ? STOW_CASES_LEAST : fit < STOW_CASES ? fit : STOW_CASES;
}

stow_cases stow_cases_of(const stow_arenas *arenas, size_t function, bool several) {
  const stow_function_memory *memory = &arenas->memory.functions[function];
  stow_cases cases = {
      .arenas = arenas,
      .function = memory,
      .selection = arenas->selection[function],
      .count = several ? count_for(&memory->flow) : 1,
      .bytes = stow_ir_allocate(memory->flow.allocs.count * STOW_CASES, sizeof *cases.bytes),
      .runs = stow_ir_allocate(memory->flow.blocks.count * STOW_CASES, sizeof *cases.runs),
      .slack = slacks_of(&memory->flow),
      .freed = stow_ir_allocate(memory->flow.allocs.count * STOW_CASES, sizeof *cases.freed),
      .hand_overs = hand_overs(&memory->flow)};
  for (size_t index = 0; index < cases.count; ++index)
    fill_in(&cases, index);
  find_frees(&cases);
  return cases;
}

void stow_cases_free(stow_cases *cases) {
  for (size_t index = 0; index < cases->count; ++index)
    free(cases->atoms[index]);
  free(cases->bytes);
  free(cases->runs);
  free(cases->slack);
  free(cases->freed);
  free(cases->hand_overs);
}

uint64_t stow_arena_case_number(const stow_cases *cases, size_t index, stow_formula formula) {
  const int64_t most = INT64_C(1) << 40;
  int64_t number;
  if (!stow_ir_evaluate(cases->function->extents->formulas, cases->atoms[index], formula, &number))
    return 0;
  return (uint64_t)(number < 0 ? 0 : number < most ? number : most);
}

uint64_t stow_arena_case_bytes(const stow_cases *cases, size_t index, size_t alloc) {
  assert(index < cases->count);
  const uint64_t alignment = cases->selection[alloc].alignment;
  return stow_ir_rounded_up(cases->bytes[alloc * STOW_CASES + index],
                            stow_ir_larger(alignment, cases->arenas->options.alignment));
}

bool stow_arena_case_runs(const stow_cases *cases, size_t index, int32_t block) {
  assert(index < cases->count);
  return cases->runs[(size_t)block * STOW_CASES + index];
}

uint64_t stow_arena_case_bytes_unshared(const stow_cases *cases, size_t index, size_t alloc) {
  const uint64_t bytes = cases->bytes[alloc * STOW_CASES + index];
  return bytes > 0 &&
                 stow_arena_case_runs(cases, index, cases->function->flow.allocs.at[alloc].block)
             ? bytes + cases->slack[alloc]
             : 0;
}

stow_heap_life stow_arena_case_life(const stow_cases *cases, const stow_arena *arena, size_t index,
                                    size_t alloc) {
  stow_heap_life life = stow_heap_life_of(cases->arenas, arena, alloc);
  const int64_t over = cases->hand_overs[cases->function->flow.allocs.at[alloc].value];
  const int64_t freed = cases->freed[alloc * STOW_CASES + index];
  if (freed > life.begin)
    life.end = freed;
  else if (index % 2 && stow_arena_fact(cases->arenas, arena, alloc)->reason != STOW_RETURNED)
    life.end = stow_ir_later(life.begin + 1, stow_ir_earlier(life.end, over));
  return life;
}
