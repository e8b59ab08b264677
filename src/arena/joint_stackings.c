//===- joint_stackings.c - a dynamic arena and results, planned for several sizes -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lend.c puts buffers into results by a plan for typical sizes. For other sizes, other buffers or
// more of them may fit better. So the planner is asked for several sizes, with the arena and its
// lenders as memories. Each of its plans is a stacking in each memory. A further plan is kept if it
// saves more than a little for some size. At run time the plan with the smallest arena is chosen,
// for all memories together.
//
// The first plan is valid for all sizes: its part in each lender is proven to fit. For other plans
// this need not be proven: where a part does not fit, the plan's size is set above that of the
// first plan, so it is not chosen. All sizes must be known where the first memory is made. The
// memories are made directly one after another, because the choice decides in which of them a
// buffer is. Reports show the plan for typical sizes.
//
//===----------------------------------------------------------------------===//

#include "arena/dynamic.h"
#include "arena/lifetime.h"
#include "stowage/stacking.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RIVALS = 2 * STOW_SAMPLES };

// One plan of all parts.
typedef struct rival {
  const stow_arena *parts; // those that there are, or others
  size_t number;           // of the stackings of the arena; a part in a lender has one
  stow_formula bytes;      // that it counts with
  bool partial;            // there may be sizes for which it does not hold
  stow_arena *made;        // to be freed: the parts, where they are others
} rival;

typedef struct joint {
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
} joint;

//===----------------------------------------------------------------------===//
// Where a plan has what
//===----------------------------------------------------------------------===//

static stow_formula number(const joint *t, uint64_t value) {
  return stow_formula_number(stow_arena_function(t->arenas, t->whole)->extents->formulas,
                             (int64_t)value);
}

// Of a part of known sizes, that is as it was planned: NULL.
static const stow_offsets *stacking_of(const stow_arena *parts, size_t part, size_t stacking) {
  const stow_arena *own = &parts[part];
  return own->stackings.count == 0 ? NULL : &own->stackings.at[part == 0 ? stacking : 0];
}

static stow_formula size_in(const joint *t, const stow_arena *parts, size_t part, size_t stacking) {
  const stow_offsets *stacked = stacking_of(parts, part, stacking);
  return stacked                         ? stacked->size
         : parts[part].planned_count > 0 ? number(t, parts[part].plan.arena_size)
                                         : number(t, 0);
}

// The index of a member among the planned ones, which ascend; or their number.
static size_t index_in(const stow_arena *part, size_t member) {
  const size_t at =
      stow_ir_first_from(STOW_NUMBERS(part->planned, part->planned_count), (int64_t)member);
  return at < part->planned_count && part->planned[at] == member ? at : part->planned_count;
}

// The part in which a member lies, and its offset there.
static size_t place_in(const joint *t, const rival *r, size_t member, stow_formula *out_at) {
  size_t p = 0, i;
  while ((i = index_in(&r->parts[p], member)) == r->parts[p].planned_count)
    ++p;
  assert(p < t->part_count);
  const stow_offsets *stacked = stacking_of(r->parts, p, r->number);
  *out_at = stacked ? stacked->at[i] : number(t, r->parts[p].offsets[i]);
  return p;
}

//===----------------------------------------------------------------------===//
// A plan of a sample
//===----------------------------------------------------------------------===//

static bool is_new(const joint *t, const stow_buffer *sizes) {
  for (size_t i = 0; i < t->sample_count; ++i)
    if (memcmp(t->sizes[i], sizes, t->whole->planned_count * sizeof *sizes) == 0)
      return false;
  return true;
}

static void add_samples(joint *t) {
  for (size_t index = 0; index < STOW_SAMPLES; ++index) {
    stow_buffer *sizes = stow_ir_allocate(t->whole->planned_count, sizeof *sizes);
    if (stow_arena_size_members(t->arenas, t->whole, index, sizes) && is_new(t, sizes)) {
      t->samples[t->sample_count] = index;
      t->sizes[t->sample_count++] = sizes;
    } else
      free(sizes);
  }
}

// Per planned member of the whole: the part where the planner puts it, and its offset there. False
// where it has no plan.
static bool plan(const joint *t, size_t sample, uint32_t *out_part, uint64_t *out_offsets,
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
  problem.spaces = spaces;
  problem.space_count = t->part_count;
  problem.allowed_spaces = t->allowed;
  const stow_plan_options options = {.strategy = t->arenas->options.strategy,
                                     .max_effort = t->arenas->options.planner_effort,
                                     .out_spaces = out_part,
                                     .out_space_sizes = sizes};
  stow_plan_result result;
  const stow_status status = stow_plan(&problem, &options, out_offsets, &result);
  if (status == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  *out_bytes = sizes[0];
  return status == STOW_OK && (result.outcome == STOW_FEASIBLE || result.outcome == STOW_OPTIMAL);
}

// The planned members that a plan puts into a part, at their offsets.
static stow_arena make_part(const joint *t, size_t part, const uint32_t *part_of,
                            const uint64_t *offsets) {
  stow_arena made = stow_arena_empty_like(&t->parts[part]);
  for (size_t i = 0; i < t->whole->planned_count; ++i)
    if (part_of[i] == part)
      STOW_PUSH(made.members, t->whole->planned[i]);
  stow_arena_state_problem(t->arenas, &made);
  for (size_t i = 0, next = 0; i < t->whole->planned_count; ++i)
    if (part_of[i] == part)
      made.offsets[next++] = offsets[i];
  return made;
}

// 1 where `bytes` are more than `limit`, else 0.
static stow_formula exceeds(stow_formulas *formulas, stow_formula bytes, stow_formula limit) {
  const stow_formula above[] = {
      stow_formula_sum(formulas, bytes, stow_formula_scaled(formulas, limit, -1)),
      stow_formula_number(formulas, 0)};
  const stow_formula bit[] = {stow_formula_largest(formulas, above, 2),
                              stow_formula_number(formulas, 1)};
  return stow_formula_smallest(formulas, bit, 2);
}

// What a plan of others counts with: the bytes of its arena, and more than the first plan needs for
// each lender that it does not fit.
static rival rival_of(const joint *t, stow_arena *made) {
  stow_formulas *formulas = stow_arena_function(t->arenas, t->whole)->extents->formulas;
  rival r = {.parts = made, .bytes = size_in(t, made, 0, 0), .made = made};
  const stow_formula more =
      stow_formula_sum(formulas, size_in(t, t->parts, 0, 0), stow_formula_number(formulas, 1));
  for (size_t p = 1; p < t->part_count; ++p) {
    const stow_formula limit = stow_arena_member_formula(t->arenas, t->whole, t->parts[p].lender);
    const stow_formula needed = size_in(t, made, p, 0);
    if (stow_formula_at_most(formulas, needed, limit))
      continue;
    r.partial = true;
    r.bytes = stow_formula_sum(
        formulas, r.bytes, stow_formula_product(formulas, exceeds(formulas, needed, limit), more));
  }
  return r;
}

static void free_made(stow_arena *made, size_t count) {
  for (size_t p = 0; made && p < count; ++p) {
    free(made[p].members.at);
    stow_arena_free_problem(&made[p]);
  }
  free(made);
}

// The parts of a plan, NULL where one has no stacking.
static stow_arena *make_parts(const joint *t, const uint32_t *part_of, const uint64_t *offsets) {
  stow_arena *made = stow_ir_allocate(t->part_count, sizeof *made);
  bool holds = true;
  size_t p = 0;
  for (; p < t->part_count && holds; ++p) {
    made[p] = make_part(t, p, part_of, offsets);
    holds = made[p].planned_count == 0 || stow_arena_stack_as_planned(t->arenas, &made[p]);
  }
  if (holds)
    return made;
  free_made(made, p);
  return NULL;
}

static bool moves_something(const joint *t, const uint32_t *part_of) {
  for (size_t i = 0; i < t->whole->planned_count; ++i)
    if (index_in(&t->parts[part_of[i]], t->whole->planned[i]) == t->parts[part_of[i]].planned_count)
      return true;
  return false;
}

static void add_rival(joint *t, size_t sample) {
  const size_t count = t->whole->planned_count;
  uint32_t *part_of = stow_ir_allocate(count, sizeof *part_of);
  uint64_t *offsets = stow_ir_allocate(count, sizeof *offsets), bytes = 0;
  const bool planned = plan(t, sample, part_of, offsets, &bytes);
  t->planned[sample] = planned ? bytes : UINT64_MAX;
  stow_arena *made =
      planned && moves_something(t, part_of) ? make_parts(t, part_of, offsets) : NULL;
  if (made)
    t->rivals[t->rival_count++] = rival_of(t, made);
  free(part_of);
  free(offsets);
}

static void compare_all(joint *t) {
  const stow_formulas *formulas = stow_arena_function(t->arenas, t->whole)->extents->formulas;
  for (size_t j = 0; j < t->sample_count; ++j)
    for (size_t i = 0; i < t->rival_count; ++i) {
      const int64_t *atoms = stow_sampled_atoms(t->arenas, t->whole->function, t->samples[j]);
      int64_t bytes;
      const bool known = stow_ir_evaluate(formulas, atoms, t->rivals[i].bytes, &bytes);
      t->bytes[i][j] = known ? (uint64_t)bytes : UINT64_MAX;
      t->planned[j] = t->bytes[i][j] < t->planned[j] ? t->bytes[i][j] : t->planned[j];
    }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

// Not what saves something only where all are small: in all samples together it is more than a
// little of the largest arena.
static bool saves(const joint *t, size_t one) {
  uint64_t largest = 0, saved = 0;
  for (size_t j = 0; j < t->sample_count; ++j) {
    const uint64_t own = t->bytes[0][j];
    if (own == UINT64_MAX)
      continue;
    largest = stow_ir_larger(largest, own);
    saved += t->bytes[one][j] < own ? own - t->bytes[one][j] : 0;
  }
  return (double)saved > STOW_LEAST_GAIN * (double)largest;
}

// The first, which the others count on, and more beside it.
static size_t choose(const joint *t, size_t *chosen) {
  const stow_rivals choice = {.bytes = t->bytes, .planned = t->planned, .samples = t->sample_count};
  size_t count = 1;
  chosen[0] = 0;
  double before = stow_arena_excess(&choice, chosen, 0, 0);
  for (; count < t->arenas->options.stackings && count < t->rival_count; ++count) {
    size_t best = 0;
    double least = 1e300;
    for (size_t i = 1; i < t->rival_count; ++i) {
      if (t->rivals[i].partial && !saves(t, i))
        continue;
      const double with = stow_arena_excess(&choice, chosen, count, i);
      if (with < least) {
        best = i;
        least = with;
      }
    }
    if (least > before - STOW_LEAST_GAIN)
      break;
    chosen[count] = best;
    before = least;
  }
  return count;
}

// Whether some of those chosen are not the arena's own, and save more than a little beside these.
static bool are_better(const joint *t, const size_t *chosen, size_t count, size_t own) {
  const stow_rivals choice = {.bytes = t->bytes, .planned = t->planned, .samples = t->sample_count};
  size_t all[RIVALS];
  for (size_t i = 0; i < own; ++i)
    all[i] = i;
  return stow_arena_excess(&choice, chosen, count - 1, chosen[count - 1]) <
         stow_arena_excess(&choice, all, own - 1, own - 1) - STOW_LEAST_GAIN;
}

// All that lie in a part in some chosen plan.
static void list_tenants(joint *t, size_t part, const size_t *chosen, size_t count) {
  stow_arena *into = &t->parts[part];
  size_t kept = 0;
  for (size_t c = 0; c < count; ++c) {
    const stow_arena *own = &t->rivals[chosen[c]].parts[part];
    for (size_t i = 0; i < own->planned_count; ++i)
      STOW_PUSH(into->tenants, own->planned[i]);
  }
  STOW_SORT(into->tenants, stow_ir_by_number);
  for (size_t i = 0; i < into->tenants.count; ++i)
    if (kept == 0 || into->tenants.at[kept - 1] != into->tenants.at[i])
      into->tenants.at[kept++] = into->tenants.at[i];
  into->tenants.count = kept;
}

//===----------------------------------------------------------------------===//
// What is known in time
//===----------------------------------------------------------------------===//

// Whether one of two parts is made before the other.
static bool are_made_in_turn(const joint *t, const stow_arena *a, const stow_arena *b) {
  const MlirOperation one = stow_arena_place_of(t->arenas, a);
  const MlirOperation other = stow_arena_place_of(t->arenas, b);
  return stow_arena_is_made_before(one, other) || stow_arena_is_made_before(other, one);
}

// The first of the parts to be made; NULL where they are not made one after another.
static const stow_arena *first_made(const joint *t) {
  const stow_arena *first = NULL;
  for (size_t b = 0; b < t->part_count; ++b) {
    const stow_arena *part = &t->parts[b];
    if (part->tenants.count == 0)
      continue;
    for (size_t a = 0; a < b; ++a)
      if (t->parts[a].tenants.count > 0 && !are_made_in_turn(t, &t->parts[a], part))
        return NULL;
    if (!first || !stow_arena_is_made_before(stow_arena_place_of(t->arenas, first),
                                             stow_arena_place_of(t->arenas, part)))
      first = part;
  }
  return first;
}

// Whether all sizes are known where the first part is made.
static bool are_known_there(const joint *t) {
  const stow_function_memory *function = stow_arena_function(t->arenas, t->whole);
  const stow_arena *first = first_made(t);
  if (!first)
    return false;
  const MlirOperation place = stow_arena_place_of(t->arenas, first);
  stow_dominance *dominance = stow_dominance_create(function->flow.function);
  bool known = true;
  for (size_t p = 1; p < t->part_count && known; ++p)
    known = t->parts[p].tenants.count == 0 ||
            stow_ir_is_available(function->extents,
                                 stow_arena_member_formula(t->arenas, t->whole, t->parts[p].lender),
                                 dominance, place);
  for (size_t i = 0; i < t->whole->planned_count && known; ++i)
    known = stow_ir_is_available(
        function->extents, stow_arena_member_formula(t->arenas, t->whole, t->whole->planned[i]),
        dominance, place);
  stow_dominance_destroy(dominance);
  return known;
}

//===----------------------------------------------------------------------===//
// Stackings of all parts
//===----------------------------------------------------------------------===//

// Where a plan has the members that a part has; `numbers`: how the parts are numbered.
static stow_offsets offsets_in(const joint *t, const stow_arena *part, const rival *r,
                               const size_t *numbers) {
  stow_offsets out = {.at = stow_ir_allocate(part->planned_count, sizeof *out.at),
                      .memory = stow_ir_allocate(part->planned_count, sizeof *out.memory),
                      .size = r->bytes};
  for (size_t i = 0; i < part->planned_count; ++i)
    out.memory[i] = numbers[place_in(t, r, part->planned[i], &out.at[i])];
  return out;
}

static void drop_stackings(stow_arena *part) {
  for (size_t k = 0; k < part->stackings.count; ++k) {
    free(part->stackings.at[k].at);
    free(part->stackings.at[k].memory);
  }
  part->stackings.count = 0;
}

// The most that what lies in a part in some chosen plan is aligned to.
static uint64_t alignment_in(const joint *t, size_t part, const size_t *chosen, size_t count) {
  uint64_t most = 0;
  for (size_t c = 0; c < count; ++c)
    if (t->rivals[chosen[c]].parts[part].planned_count > 0)
      most = stow_ir_larger(most, stow_arena_alignment(&t->rivals[chosen[c]].parts[part]));
  return most;
}

// Gives the parts of `face` the stackings of all that were chosen. All that these have is looked at
// first.
static void take_stackings(const joint *t, stow_arena *face, const size_t *chosen, size_t count,
                           const size_t *numbers) {
  stow_offsets *taken = stow_ir_allocate(t->part_count * count, sizeof *taken);
  for (size_t p = 0; p < t->part_count; ++p)
    for (size_t c = 0; c < count; ++c)
      taken[p * count + c] = offsets_in(t, &face[p], &t->rivals[chosen[c]], numbers);
  for (size_t p = 0; p < t->part_count; ++p) {
    drop_stackings(&face[p]);
    for (size_t c = 0; c < count; ++c)
      STOW_PUSH(face[p].stackings, taken[p * count + c]);
  }
  free(taken);
  for (size_t p = 0; p < t->part_count; ++p)
    face[p].alignment = alignment_in(t, p, chosen, count);
}

//===----------------------------------------------------------------------===//
// Typical sizes
//===----------------------------------------------------------------------===//

static uint64_t evaluated(const joint *t, const int64_t *atoms, stow_formula formula) {
  const stow_formulas *formulas = stow_arena_function(t->arenas, t->whole)->extents->formulas;
  int64_t value;
  return stow_ir_evaluate(formulas, atoms, formula, &value) && value >= 0 ? (uint64_t)value
                                                                          : UINT64_MAX;
}

// The one of those chosen that is taken for typical sizes.
static rival *typical_rival(joint *t, const int64_t *atoms, const size_t *chosen, size_t count) {
  rival *best = &t->rivals[chosen[0]];
  for (size_t c = 1; c < count; ++c)
    if (evaluated(t, atoms, t->rivals[chosen[c]].bytes) < evaluated(t, atoms, best->bytes))
      best = &t->rivals[chosen[c]];
  return best;
}

// Offsets and sizes of other parts at typical sizes.
static void plan_typical(const joint *t, const int64_t *atoms, stow_arena *made) {
  for (size_t p = 0; p < t->part_count; ++p) {
    stow_arena *part = &made[p];
    part->plan = t->parts[p].plan;
    part->plan.arena_size = evaluated(t, atoms, size_in(t, made, p, 0));
    part->plan.lower_bound = stow_most_live_in(part).bytes;
    part->plan.outcome =
        part->plan.arena_size == part->plan.lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
    for (size_t i = 0; i < part->planned_count; ++i)
      part->offsets[i] = evaluated(t, atoms, part->stackings.at[0].at[i]);
  }
}

// What is not planned is listed with the arena.
static void list_members(const joint *t, stow_arena *made) {
  made[0].members.count = 0;
  STOW_EACH_ITEM(size_t, member, t->whole->members) {
    bool elsewhere = false;
    for (size_t p = 1; p < t->part_count; ++p)
      elsewhere |= index_in(&made[p], member) < made[p].planned_count;
    if (!elsewhere)
      STOW_PUSH(made[0].members, member);
  }
}

// Whether the parts of a plan may be those that are reported: the verifier accepts them.
static bool holds(const joint *t, const stow_arena *made) {
  for (size_t p = 0; p < t->part_count; ++p)
    if (!stow_arena_plan_holds(&made[p].problem, made[p].offsets, made[p].plan.arena_size))
      return false;
  return true;
}

// The parts become those of the plan that is taken for typical sizes. False where it has none.
static bool take_typical(joint *t, rival *typical, const int64_t *atoms) {
  if (!typical->made)
    return true;
  plan_typical(t, atoms, typical->made);
  list_members(t, typical->made);
  return holds(t, typical->made);
}

static void swap_parts(joint *t, stow_arena *made) {
  for (size_t p = 0; made && p < t->part_count; ++p) {
    const stow_arena own = t->parts[p];
    t->parts[p] = made[p];
    made[p] = own;
    memcpy(&t->parts[p].tenants, &own.tenants, sizeof own.tenants);
    memset(&made[p].tenants, 0, sizeof made[p].tenants);
  }
}

static void take(joint *t, const size_t *chosen, size_t count) {
  const stow_extents *extents = stow_arena_function(t->arenas, t->whole)->extents;
  int64_t *atoms = stow_arena_typical_atoms(&t->arenas->options, extents);
  size_t numbers[STOW_MAX_SPACES], used = 0;
  rival *typical = typical_rival(t, atoms, chosen, count);
  for (size_t p = 0; p < t->part_count; ++p) {
    list_tenants(t, p, chosen, count);
    numbers[p] = used;
    used += p == 0 || t->parts[p].tenants.count > 0;
  }
  if (are_known_there(t) && take_typical(t, typical, atoms)) {
    take_stackings(t, typical->made ? typical->made : t->parts, chosen, count, numbers);
    swap_parts(t, typical->made);
    t->parts[0].joint = used - 1;
  } else {
    for (size_t p = 0; p < t->part_count; ++p)
      t->parts[p].tenants.count = 0;
  }
  free(atoms);
}

static void add_own(joint *t) {
  const size_t stackings = t->parts[0].stackings.count;
  for (size_t i = 0; i < (stackings ? stackings : 1); ++i)
    t->rivals[t->rival_count++] =
        (rival){.parts = t->parts, .number = i, .bytes = size_in(t, t->parts, 0, i)};
}

static void free_all(joint *t) {
  for (size_t i = 0; i < t->sample_count; ++i)
    free(t->sizes[i]);
  for (size_t i = 0; i < t->rival_count; ++i)
    free_made(t->rivals[i].made, t->part_count);
}

void stow_arena_stack_jointly(const stow_arenas *arenas, const stow_arena *whole,
                              const uint64_t *allowed, stow_arena *parts, size_t part_count) {
  joint t = {.arenas = arenas,
             .whole = whole,
             .allowed = allowed,
             .parts = parts,
             .part_count = part_count};
  size_t chosen[RIVALS];
  if (part_count < 2 || parts[0].planned_count == 0 || arenas->options.stackings < 2)
    return;
  add_own(&t);
  const size_t own = t.rival_count;
  add_samples(&t);
  for (size_t j = 0; j < t.sample_count; ++j)
    add_rival(&t, j);
  if (t.rival_count > own) {
    compare_all(&t);
    const size_t count = choose(&t, chosen);
    if (are_better(&t, chosen, count, own))
      take(&t, chosen, count);
  }
  free_all(&t);
}
