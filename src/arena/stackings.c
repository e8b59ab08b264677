//===- stackings.c - plans of dynamic arenas that hold for all sizes -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner is asked for several sizes. Of the stackings that its plans have, those are
// kept that together come closest to the plans for all these sizes: one first, and
// another as long as somewhere it saves more than a little.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "stowage/stacking.h"

#include <stdlib.h>
#include <string.h>

typedef struct sample {
  stow_buffer *buffers; // with the sizes of this sample
  uint64_t planned;     // bytes of the planner's arena
  stow_stacking stacking;
} sample;

typedef struct stacker {
  const stow_arenas *arenas;
  stow_arena *arena;
  sample samples[STOW_SAMPLES];
  size_t count;
  uint64_t bytes[STOW_SAMPLES][STOW_SAMPLES]; // of a stacking, by the sizes of a sample
} stacker;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

bool stow_sampled_bytes(const stow_arenas *arenas, const stow_arena *arena, size_t index,
                        size_t member, uint64_t *out) {
  const stow_formulas *formulas = stow_arena_function(arenas, arena)->extents->formulas;
  const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, member);
  int64_t bytes = (int64_t)fact->size.bytes;
  const bool fits = fact->size.known ||
                    stow_ir_evaluate(formulas, stow_sampled_atoms(arenas, arena->function, index),
                                     fact->size.formula, &bytes);
  *out = (uint64_t)bytes;
  return fits && bytes >= 0 && bytes < INT64_C(1) << 48;
}

bool stow_arena_size_members(const stow_arenas *arenas, const stow_arena *arena, size_t index,
                             stow_buffer *out) {
  bool fits = true;
  for (size_t i = 0; i < arena->planned_count && fits; ++i) {
    out[i] = arena->buffers[i];
    fits = stow_sampled_bytes(arenas, arena, index, arena->planned[i], &out[i].size);
  }
  return fits;
}

static bool is_new(const stacker *s, const stow_buffer *buffers) {
  const size_t size = s->arena->planned_count * sizeof *buffers;
  for (size_t i = 0; i < s->count; ++i)
    if (memcmp(s->samples[i].buffers, buffers, size) == 0)
      return false;
  return true;
}

static bool plan_sample(const stacker *s, sample *out) {
  const size_t count = s->arena->planned_count;
  uint64_t *offsets = stow_ir_allocate(count, sizeof *offsets);
  stow_problem problem = s->arena->problem;
  problem.buffers = out->buffers;
  const stow_plan_options options = {.strategy = s->arenas->options.strategy,
                                     .max_effort = s->arenas->options.planner_effort};
  stow_plan_result plan;
  stow_status status = stow_plan(&problem, &options, offsets, &plan);
  if (status == STOW_OK)
    status = stow_stacking_of(&problem, offsets, &out->stacking);
  out->planned = plan.arena_size;
  free(offsets);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  return status == STOW_OK;
}

static void add_sample(stacker *s, size_t index) {
  sample *next = &s->samples[s->count];
  next->buffers = stow_ir_allocate(s->arena->planned_count, sizeof *next->buffers);
  if (stow_arena_size_members(s->arenas, s->arena, index, next->buffers) &&
      is_new(s, next->buffers) && plan_sample(s, next))
    ++s->count;
  else
    free(next->buffers);
}

static void compare_all(stacker *s) {
  uint64_t *offsets = stow_ir_allocate(s->arena->planned_count, sizeof *offsets);
  for (size_t i = 0; i < s->count; ++i)
    for (size_t j = 0; j < s->count; ++j)
      if (stow_stacking_place(&s->samples[i].stacking, s->samples[j].buffers, offsets,
                              &s->bytes[i][j]) != STOW_OK)
        s->bytes[i][j] = UINT64_MAX;
  free(offsets);
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

double stow_arena_excess(const stow_rivals *c, const size_t *chosen, size_t count, size_t one) {
  double sum = 0;
  for (size_t j = 0; j < c->samples; ++j) {
    uint64_t least = c->bytes[one][j];
    for (size_t i = 0; i < count; ++i)
      least = c->bytes[chosen[i]][j] < least ? c->bytes[chosen[i]][j] : least;
    sum += (double)least / (double)(c->planned[j] ? c->planned[j] : 1);
  }
  return sum - (double)c->samples;
}

// The first is the best for itself, each other the best beside those before.
static size_t choose(const stacker *s, size_t *chosen) {
  uint64_t planned[STOW_SAMPLES];
  const stow_rivals choice = {.bytes = s->bytes, .planned = planned, .samples = s->count};
  const size_t most =
      s->arenas->options.stackings < s->count ? s->arenas->options.stackings : s->count;
  double before = 1e300;
  for (size_t i = 0; i < s->count; ++i)
    planned[i] = s->samples[i].planned;
  for (size_t count = 0; count < most; ++count) {
    size_t best = 0;
    double least = 1e300;
    for (size_t i = 0; i < s->count; ++i) {
      const double with = stow_arena_excess(&choice, chosen, count, i);
      if (with < least) {
        best = i;
        least = with;
      }
    }
    if (least > before - STOW_LEAST_GAIN)
      return count;
    chosen[count] = best;
    before = least;
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Offsets as formulas
//===----------------------------------------------------------------------===//

stow_formula stow_arena_member_formula(const stow_arenas *arenas, const stow_arena *arena,
                                       size_t member) {
  const stow_extent *size = &stow_arena_fact(arenas, arena, member)->size;
  stow_formulas *formulas = stow_arena_function(arenas, arena)->extents->formulas;
  return size->known ? stow_formula_number(formulas, (int64_t)size->bytes) : size->formula;
}

typedef struct offsets {
  stow_formulas *formulas;
  const stow_stacking *stacking;
  stow_formula *sizes, *at, *ends; // per member; the ends as the next one may begin there
  uint64_t unit;                   // that all alignments are multiples of
} offsets;

static void place(offsets *o, const stow_buffer *buffers, size_t member) {
  const stow_stacking *s = o->stacking;
  const size_t count = s->below_count[member];
  stow_formula *below = stow_ir_allocate(count + 1, sizeof *below);
  below[0] = stow_formula_number(o->formulas, 0);
  for (size_t b = 0; b < count; ++b)
    below[b] = o->ends[s->below[s->first_below[member] + b]];
  stow_formula at = stow_formula_largest(o->formulas, below, count ? count : 1);
  if (buffers[member].alignment > o->unit)
    at = stow_formula_rounded(o->formulas, at, (int64_t)buffers[member].alignment);
  o->at[member] = at;
  o->ends[member] = stow_formula_sum(
      o->formulas, at, stow_formula_rounded(o->formulas, o->sizes[member], (int64_t)o->unit));
  free(below);
}

// The largest end of those that nothing lies on.
static stow_formula whole(const offsets *o) {
  const stow_stacking *s = o->stacking;
  bool *under = stow_ir_allocate(s->buffer_count, sizeof *under);
  stow_formula *ends = stow_ir_allocate(s->buffer_count, sizeof *ends);
  size_t count = 0;
  for (size_t i = 0; i < s->buffer_count; ++i)
    for (size_t b = 0; b < s->below_count[i]; ++b)
      under[s->below[s->first_below[i] + b]] = true;
  for (size_t i = 0; i < s->buffer_count; ++i)
    if (!under[i])
      ends[count++] = stow_formula_sum(o->formulas, o->at[i], o->sizes[i]);
  const stow_formula largest = stow_formula_largest(o->formulas, ends, count);
  free(under);
  free(ends);
  return largest;
}

static stow_offsets formulas_of(const stow_arenas *arenas, const stow_arena *arena,
                                const stow_stacking *stacking) {
  const size_t count = arena->planned_count;
  offsets o = {.formulas = stow_arena_function(arenas, arena)->extents->formulas,
               .stacking = stacking,
               .unit = arena->buffers[0].alignment,
               .sizes = stow_ir_allocate(count, sizeof *o.sizes),
               .at = stow_ir_allocate(count, sizeof *o.at),
               .ends = stow_ir_allocate(count, sizeof *o.ends)};
  for (size_t i = 0; i < count; ++i) {
    o.unit = arena->buffers[i].alignment < o.unit ? arena->buffers[i].alignment : o.unit;
    o.sizes[i] = stow_arena_member_formula(arenas, arena, arena->planned[i]);
  }
  for (size_t i = 0; i < count; ++i)
    place(&o, arena->buffers, stacking->order[i]);
  const stow_offsets result = {.at = o.at, .size = whole(&o)};
  free(o.sizes);
  free(o.ends);
  return result;
}

stow_formula stow_arena_bytes(const stow_arenas *arenas, const stow_arena *arena) {
  const size_t count = arena->stackings.count;
  stow_formula *sizes = stow_ir_allocate(count, sizeof *sizes);
  for (size_t k = 0; k < count; ++k)
    sizes[k] = arena->stackings.at[k].size;
  const stow_formula least =
      stow_formula_smallest(stow_arena_function(arenas, arena)->extents->formulas, sizes, count);
  free(sizes);
  return least;
}

static bool holds(const stow_arena *arena, const stow_stacking *stacking) {
  int result;
  if (stow_stacking_verify(&arena->problem, stacking, &result) == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  return result;
}

// The offsets of the arena as they are for the sizes that it was planned for.
static void take_smallest(const stacker *s, const size_t *chosen, size_t count) {
  stow_arena *arena = s->arena;
  uint64_t *at = stow_ir_allocate(arena->planned_count, sizeof *at), size;
  uint64_t least = UINT64_MAX;
  for (size_t c = 0; c < count; ++c) {
    const stow_stacking *stacking = &s->samples[chosen[c]].stacking;
    if (stow_stacking_place(stacking, arena->buffers, at, &size) == STOW_OK && size < least) {
      least = size;
      memcpy(arena->offsets, at, arena->planned_count * sizeof *at);
    }
  }
  free(at);
  if (least == UINT64_MAX)
    return;
  arena->plan.arena_size = least;
  arena->plan.outcome = least == arena->plan.lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
}

bool stow_arena_stack(const stow_arenas *arenas, stow_arena *arena) {
  stacker s = {.arenas = arenas, .arena = arena};
  size_t chosen[STOW_SAMPLES];
  bool ok = true;
  for (size_t i = 0; i < STOW_SAMPLES; ++i)
    add_sample(&s, i);
  compare_all(&s);
  const size_t count = choose(&s, chosen);
  for (size_t c = 0; c < count && ok; ++c) {
    const stow_stacking *stacking = &s.samples[chosen[c]].stacking;
    ok = holds(arena, stacking);
    STOW_PUSH(arena->stackings, formulas_of(arenas, arena, stacking));
  }
  if (ok)
    take_smallest(&s, chosen, count);
  for (size_t i = 0; i < s.count; ++i) {
    free(s.samples[i].buffers);
    stow_stacking_free(&s.samples[i].stacking);
  }
  return ok;
}

bool stow_arena_stack_as_planned(const stow_arenas *arenas, stow_arena *arena) {
  stow_stacking stacking;
  const stow_status status = stow_stacking_of(&arena->problem, arena->offsets, &stacking);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  if (status != STOW_OK)
    return false;
  const bool ok = holds(arena, &stacking);
  const stow_offsets formulas = formulas_of(arenas, arena, &stacking);
  STOW_PUSH(arena->stackings, formulas);
  stow_stacking_free(&stacking);
  return ok;
}

bool stow_arena_stack_within(const stow_arenas *arenas, stow_arena *arena, stow_formula limit) {
  return stow_arena_stack_as_planned(arenas, arena) &&
         stow_formula_at_most(stow_arena_function(arenas, arena)->extents->formulas,
                              arena->stackings.at[0].size, limit);
}
