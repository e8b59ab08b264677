//===- together.c - a dynamic arena and results, planned for several sizes --===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lies in a result is planned for typical sizes (lend.c). At others it may be better that
// something else does, which is alive together with that. So the planner is asked for several
// sizes, with the arena and its lenders as memories: each of its plans is a stacking in each of
// them. One more of these is kept as long as somewhere it saves more than a little. At run time
// the arena's bytes decide, for all memories, and a buffer lies where the plan that is taken has
// it.
//
// Such a plan must hold for all sizes as any other: its part in a lender is proven to fit. All
// sizes must be known where the first of the memories is made, and the memories made one after
// another, so that a buffer of which only then is known where it lies can be in either.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/home.h"
#include "stowage/stacking.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RIVALS = 2 * STOW_SAMPLES };

// One plan of all parts.
typedef struct rival {
  size_t number;    // of the arena's own stackings: members lie where the parts have them
  stow_arena *made; // or parts of its own, with one stacking each
} rival;

typedef struct together {
  const stow_arenas *arenas;
  const stow_arena *whole;
  const uint64_t *allowed;
  stow_arena *parts;
  size_t part_count;
  stow_buffer *sizes[STOW_SAMPLES]; // of the members of `whole`
  size_t samples[STOW_SAMPLES], sample_count;
  uint64_t planned[STOW_SAMPLES];
  rival rivals[RIVALS];
  size_t rival_count;
  uint64_t bytes[RIVALS][STOW_SAMPLES]; // of the arena
} together;

//===----------------------------------------------------------------------===//
// A plan of a sample
//===----------------------------------------------------------------------===//

static bool is_new(const together *t, const stow_buffer *sizes) {
  for (size_t i = 0; i < t->sample_count; ++i)
    if (memcmp(t->sizes[i], sizes, t->whole->planned_count * sizeof *sizes) == 0)
      return false;
  return true;
}

static void add_samples(together *t) {
  for (size_t index = 0; index < STOW_SAMPLES; ++index) {
    stow_buffer *sizes = stow_allocate(t->whole->planned_count, sizeof *sizes);
    if (stow_size_members(t->arenas, t->whole, index, sizes) && is_new(t, sizes))
      t->samples[t->sample_count] = index, t->sizes[t->sample_count++] = sizes;
    else
      free(sizes);
  }
}

// Per planned member of the whole: the part where the planner puts it, and its offset there. False
// where it has no plan.
static bool plan(const together *t, size_t sample, uint32_t *out_part, uint64_t *out_offsets,
                 uint64_t *out_bytes) {
  stow_space spaces[STOW_MAX_SPACES] = {{.cost = 1}};
  uint64_t sizes[STOW_MAX_SPACES];
  for (size_t p = 1; p < t->part_count; ++p) {
    uint64_t *bytes = &spaces[p].capacity;
    if (!stow_sampled_bytes(t->arenas, t->whole, t->samples[sample], t->parts[p].lender, bytes))
      return false;
    *bytes += *bytes == 0; // no bytes would be no limit
  }
  stow_problem problem = t->whole->problem;
  problem.buffers = t->sizes[sample];
  problem.spaces = spaces, problem.space_count = t->part_count;
  problem.allowed_spaces = t->allowed;
  const stow_plan_options options = {.strategy = t->arenas->options.strategy,
                                     .max_effort = t->arenas->options.planner_effort,
                                     .out_spaces = out_part,
                                     .out_space_sizes = sizes};
  stow_plan_result result;
  const stow_status status = stow_plan(&problem, &options, out_offsets, &result);
  if (status == STOW_NO_MEMORY)
    stow_out_of_memory();
  *out_bytes = sizes[0];
  return status == STOW_OK && (result.outcome == STOW_FEASIBLE || result.outcome == STOW_OPTIMAL);
}

// The planned members that a plan puts into a part, at their offsets.
static stow_arena make_part(const together *t, size_t part, const uint32_t *part_of,
                            const uint64_t *offsets) {
  stow_arena made = stow_empty_like(&t->parts[part]);
  for (size_t i = 0; i < t->whole->planned_count; ++i)
    if (part_of[i] == part)
      STOW_PUSH(made.members, t->whole->planned[i]);
  stow_state_problem(t->arenas, &made);
  for (size_t i = 0, next = 0; i < t->whole->planned_count; ++i)
    if (part_of[i] == part)
      made.offsets[next++] = offsets[i];
  return made;
}

// Whether it needs no less than the arena at typical sizes: what is reported of these is what the
// arena has.
static bool leaves_typical(const together *t, const stow_arena *made) {
  stow_stacking stacking;
  uint64_t *offsets = stow_allocate(made->planned_count, sizeof *offsets), size;
  const stow_status status = stow_stacking_of(&made->problem, made->offsets, &stacking);
  if (status == STOW_NO_MEMORY)
    stow_out_of_memory();
  const bool leaves = status == STOW_OK &&
                      (stow_stacking_place(&stacking, made->buffers, offsets, &size) != STOW_OK ||
                       size >= t->parts[0].plan.arena_size);
  free(offsets);
  stow_stacking_free(&stacking);
  return leaves;
}

static bool stacks(const together *t, size_t part, stow_arena *made) {
  if (part == 0)
    return made->planned_count > 0 && leaves_typical(t, made) &&
           stow_stack_as_planned(t->arenas, made);
  return made->planned_count == 0 ||
         stow_stack_within(t->arenas, made,
                           stow_member_formula(t->arenas, t->whole, t->parts[part].lender));
}

static void free_made(stow_arena *made, size_t count) {
  for (size_t p = 0; made && p < count; ++p)
    free(made[p].members.at), stow_arena_free_problem(&made[p]);
  free(made);
}

// The parts of a plan, NULL where one does not hold for all sizes.
static stow_arena *make_parts(const together *t, const uint32_t *part_of, const uint64_t *offsets) {
  stow_arena *made = stow_allocate(t->part_count, sizeof *made);
  bool holds = true;
  size_t p = 0;
  for (; p < t->part_count && holds; ++p) {
    made[p] = make_part(t, p, part_of, offsets);
    holds = stacks(t, p, &made[p]);
  }
  if (holds)
    return made;
  free_made(made, p);
  return NULL;
}

// The index of a member among the planned ones, which ascend; or their number.
static int64_t member_at(const void *planned, size_t i) {
  return (int64_t)((const size_t *)planned)[i];
}

static size_t index_in(const stow_arena *part, size_t member) {
  const size_t at = stow_first_from(part->planned, part->planned_count, (int64_t)member, member_at);
  return at < part->planned_count && part->planned[at] == member ? at : part->planned_count;
}

static bool moves_something(const together *t, const uint32_t *part_of) {
  for (size_t i = 0; i < t->whole->planned_count; ++i)
    if (index_in(&t->parts[part_of[i]], t->whole->planned[i]) == t->parts[part_of[i]].planned_count)
      return true;
  return false;
}

static void add_rival(together *t, size_t sample) {
  const size_t count = t->whole->planned_count;
  uint32_t *part_of = stow_allocate(count, sizeof *part_of);
  uint64_t *offsets = stow_allocate(count, sizeof *offsets), bytes = 0;
  const bool planned = plan(t, sample, part_of, offsets, &bytes);
  t->planned[sample] = planned ? bytes : UINT64_MAX;
  stow_arena *made =
      planned && moves_something(t, part_of) ? make_parts(t, part_of, offsets) : NULL;
  if (made)
    t->rivals[t->rival_count++] = (rival){.made = made};
  free(part_of), free(offsets);
}

static stow_formula bytes_of(const together *t, const rival *r) {
  return r->made ? r->made[0].stackings.at[0].size : t->parts[0].stackings.at[r->number].size;
}

static void compare_all(together *t) {
  const stow_formulas *formulas = stow_arena_function(t->arenas, t->whole)->extents->formulas;
  for (size_t j = 0; j < t->sample_count; ++j)
    for (size_t i = 0; i < t->rival_count; ++i) {
      const int64_t *atoms = stow_sampled_atoms(t->arenas, t->whole->function, t->samples[j]);
      int64_t bytes;
      const bool known = stow_evaluate(formulas, atoms, bytes_of(t, &t->rivals[i]), &bytes);
      t->bytes[i][j] = known ? (uint64_t)bytes : UINT64_MAX;
      t->planned[j] = t->bytes[i][j] < t->planned[j] ? t->bytes[i][j] : t->planned[j];
    }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

// Those that the arena has, and others beside them.
static size_t choose(const together *t, size_t *chosen) {
  const stow_rivals choice = {.bytes = t->bytes, .planned = t->planned, .samples = t->sample_count};
  const size_t own = t->parts[0].stackings.count;
  size_t count = own;
  for (size_t i = 0; i < own; ++i)
    chosen[i] = i;
  double before = stow_excess(&choice, chosen, own - 1, own - 1);
  for (; count < t->arenas->options.stackings && count < t->rival_count; ++count) {
    size_t best = own;
    double least = 1e300;
    for (size_t i = own; i < t->rival_count; ++i) {
      const double with = stow_excess(&choice, chosen, count, i);
      if (with < least)
        best = i, least = with;
    }
    if (least > before - STOW_LEAST_GAIN)
      break;
    chosen[count] = best, before = least;
  }
  return count;
}

static int compare_members(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

// All that lie in a part in some chosen plan.
static void list_tenants(together *t, size_t part, const size_t *chosen, size_t count) {
  stow_arena *into = &t->parts[part];
  size_t kept = 0;
  for (size_t i = 0; i < into->planned_count; ++i)
    STOW_PUSH(into->tenants, into->planned[i]);
  for (size_t c = 0; c < count; ++c) {
    const stow_arena *made = t->rivals[chosen[c]].made;
    for (size_t i = 0; made && i < made[part].planned_count; ++i)
      STOW_PUSH(into->tenants, made[part].planned[i]);
  }
  STOW_SORT(into->tenants, compare_members);
  for (size_t i = 0; i < into->tenants.count; ++i)
    if (kept == 0 || into->tenants.at[kept - 1] != into->tenants.at[i])
      into->tenants.at[kept++] = into->tenants.at[i];
  into->tenants.count = kept;
}

//===----------------------------------------------------------------------===//
// What is known in time
//===----------------------------------------------------------------------===//

// The first of the parts to be made; the number of parts where they are not made one after another.
static size_t first_made(const together *t) {
  size_t first = 0;
  for (size_t a = 0; a < t->part_count; ++a)
    for (size_t b = 0; b < a; ++b) {
      const MlirOperation one = stow_place_of_arena(t->arenas, &t->parts[a]);
      const MlirOperation other = stow_place_of_arena(t->arenas, &t->parts[b]);
      if (!stow_is_made_before(one, other) && !stow_is_made_before(other, one))
        return t->part_count;
    }
  for (size_t p = 1; p < t->part_count; ++p)
    if (!stow_is_made_before(stow_place_of_arena(t->arenas, &t->parts[first]),
                             stow_place_of_arena(t->arenas, &t->parts[p])))
      first = p;
  return first;
}

// Whether all sizes are known where the first part is made.
static bool are_known_there(const together *t) {
  const stow_function_memory *function = stow_arena_function(t->arenas, t->whole);
  const size_t first = first_made(t);
  if (first == t->part_count)
    return false;
  const MlirOperation place = stow_place_of_arena(t->arenas, &t->parts[first]);
  stow_dominance *dominance = stow_dominance_create(function->flow.function);
  bool known = true;
  for (size_t p = 1; p < t->part_count && known; ++p)
    known = stow_is_available(function->extents,
                              stow_member_formula(t->arenas, t->whole, t->parts[p].lender),
                              dominance, place);
  for (size_t i = 0; i < t->whole->planned_count && known; ++i)
    known = stow_is_available(function->extents,
                              stow_member_formula(t->arenas, t->whole, t->whole->planned[i]),
                              dominance, place);
  stow_dominance_destroy(dominance);
  return known;
}

//===----------------------------------------------------------------------===//
// Stackings of all parts
//===----------------------------------------------------------------------===//

// Of the members of a part, where the parts have them: as they are stacked, or as planned.
static stow_offsets as_it_is(const together *t, size_t part, size_t number) {
  const stow_arena *own = &t->parts[part];
  stow_formulas *formulas = stow_arena_function(t->arenas, own)->extents->formulas;
  const stow_offsets *stacking = own->stackings.count == 0 ? NULL
                                 : part == 0               ? &own->stackings.at[number]
                                                           : &own->stackings.at[0];
  stow_offsets out = {.at = stow_allocate(own->planned_count, sizeof *out.at),
                      .memory = stow_allocate(own->planned_count, sizeof *out.memory)};
  for (size_t i = 0; i < own->planned_count; ++i) {
    out.memory[i] = part;
    out.at[i] =
        stacking ? stacking->at[i] : stow_formula_number(formulas, (int64_t)own->offsets[i]);
  }
  out.size =
      stacking ? stacking->size : stow_formula_number(formulas, (int64_t)own->plan.arena_size);
  return out;
}

// Of the same members, where another plan has them.
static stow_offsets as_made(const together *t, size_t part, const stow_arena *made) {
  const stow_arena *own = &t->parts[part];
  stow_offsets out = {.at = stow_allocate(own->planned_count, sizeof *out.at),
                      .memory = stow_allocate(own->planned_count, sizeof *out.memory)};
  for (size_t i = 0; i < own->planned_count; ++i) {
    size_t p = 0;
    while (index_in(&made[p], own->planned[i]) == made[p].planned_count)
      ++p;
    assert(p < t->part_count);
    out.memory[i] = p;
    out.at[i] = made[p].stackings.at[0].at[index_in(&made[p], own->planned[i])];
  }
  out.size = made[part].planned_count
                 ? made[part].stackings.at[0].size
                 : stow_formula_number(stow_arena_function(t->arenas, own)->extents->formulas, 0);
  return out;
}

static void take_part(together *t, size_t p, const size_t *chosen, size_t count) {
  stow_arena *part = &t->parts[p];
  stow_offsets *taken = stow_allocate(count, sizeof *taken);
  for (size_t c = 0; c < count; ++c) {
    const rival *r = &t->rivals[chosen[c]];
    taken[c] = r->made ? as_made(t, p, r->made) : as_it_is(t, p, r->number);
  }
  for (size_t k = 0; k < part->stackings.count; ++k)
    free(part->stackings.at[k].at);
  part->stackings.count = 0;
  for (size_t c = 0; c < count; ++c)
    STOW_PUSH(part->stackings, taken[c]);
  free(taken);
}

static void take(together *t, const size_t *chosen, size_t count) {
  for (size_t p = 0; p < t->part_count; ++p)
    list_tenants(t, p, chosen, count);
  if (are_known_there(t)) {
    for (size_t p = 0; p < t->part_count; ++p)
      take_part(t, p, chosen, count);
    t->parts[0].together = t->part_count - 1;
    return;
  }
  for (size_t p = 0; p < t->part_count; ++p)
    t->parts[p].tenants.count = 0;
}

static void free_all(together *t) {
  for (size_t i = 0; i < t->sample_count; ++i)
    free(t->sizes[i]);
  for (size_t i = 0; i < t->rival_count; ++i)
    free_made(t->rivals[i].made, t->part_count);
}

void stow_stack_together(const stow_arenas *arenas, const stow_arena *whole,
                         const uint64_t *allowed, stow_arena *parts, size_t part_count) {
  together t = {.arenas = arenas,
                .whole = whole,
                .allowed = allowed,
                .parts = parts,
                .part_count = part_count};
  size_t chosen[RIVALS];
  const size_t own = parts[0].stackings.count;
  if (part_count < 2 || own == 0 || own >= arenas->options.stackings)
    return;
  for (size_t i = 0; i < own; ++i)
    t.rivals[t.rival_count++] = (rival){.number = i};
  add_samples(&t);
  for (size_t j = 0; j < t.sample_count; ++j)
    add_rival(&t, j);
  compare_all(&t);
  const size_t count = choose(&t, chosen);
  if (count > own)
    take(&t, chosen, count);
  free_all(&t);
}
