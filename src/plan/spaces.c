//===- spaces.c - planning several memories -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once each buffer has its space, every space is a problem of its own. So an *assignment* gives
// each group of buffers that must start together a space, and the search is for the assignment
// whose arenas cost least.
//
// The first assignment is made by overflow: cheapest space first, each takes the
// largest groups that still fit its capacity by first fit (fill.c), the rest goes on
// to the next. If that costs what the groups without a choice cost anyway, it is proven
// best. If not, another one has each space take those first that live where the most is
// alive, as the other spaces are as large as that. Then assign.c goes through all those that may
// cost less; the spaces of each are planned one by one. If that does not end with a proof either,
// those of the second assignment are planned with the effort that is left: earlier they would take
// it from a search that may need it. What is planned for a space stays known until other buffers go
// there, for from one assignment to the next most stay.
//
//===----------------------------------------------------------------------===//

#include "spaces.h"
#include "bonds.h"
#include "limits.h"

#include <assert.h>
#include <string.h>

// What is known of one space with the buffers it was planned with last.
struct planned {
  unsigned char *members;  // per buffer
  const uint64_t *offsets; // of the members: its own, or those of the filling
  uint64_t *own;
  stow_solution solution;
  bool known;
};

struct spacer {
  const stow_problem *problem;
  const unsigned char *included; // NULL: all
  bool any_plan;                 // the first will do
  stow_context *context;
  stow_memory *memory;
  uint32_t *group_of; // per buffer
  uint32_t *block_of; // per group
  uint64_t *allowed;  // per group, spaces it may go to
  uint32_t *assigned; // per group
  uint64_t *peaks;    // per group, the most bytes alive at once while it lives; or NULL
  uint32_t group_count;
  uint32_t spaces[STOW_MAX_SPACES]; // in order of cost
  unsigned char *members;           // per buffer, for one space at a time
  unsigned char *space_of;          // per buffer, of the assignment that is planned; or NO_SPACE
  uint32_t *open, open_count;       // buffers without a space yet, ascending
  uint32_t *wanted;                 // those of them that the space at hand may have
  struct planned planned[STOW_MAX_SPACES];
  uint64_t *filled; // per buffer, its offset in the space that it was filled into
  stow_space_plan *best;
  uint64_t least_open; // bound of the assignments planned but not proven
  stow_status failure; // of a visit
};

static bool is_included(const struct spacer *spacer, size_t buffer) {
  return !spacer->included || spacer->included[buffer];
}

static bool add_cost(const stow_space *space, uint64_t size, uint64_t *inout_cost) {
  uint64_t cost;
  return !__builtin_mul_overflow(space->cost, size, &cost) &&
         !__builtin_add_overflow(*inout_cost, cost, inout_cost);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

// The spaces by how many bytes they have room for: those from `i` on are in from[i].
struct widths {
  uint64_t capacity[STOW_MAX_SPACES]; // ascending
  uint64_t from[STOW_MAX_SPACES + 1];
  uint32_t count;
};

static uint64_t room_of(const stow_space *space) {
  return space->capacity ? space->capacity : UINT64_MAX;
}

static void sort_widths(const stow_problem *problem, struct widths *out) {
  out->count = problem->space_count;
  for (uint32_t s = 0; s < out->count; ++s) {
    uint32_t at = s;
    for (; at > 0 && out->capacity[at - 1] > room_of(&problem->spaces[s]); --at) {
      out->capacity[at] = out->capacity[at - 1];
      out->from[at] = out->from[at - 1];
    }
    out->capacity[at] = room_of(&problem->spaces[s]);
    out->from[at] = UINT64_C(1) << s;
  }
  out->from[out->count] = 0;
  for (uint32_t i = out->count; i-- > 0;)
    out->from[i] |= out->from[i + 1];
}

// The spaces that have room for so many bytes.
static uint64_t spaces_for(const struct widths *widths, uint64_t bytes) {
  uint32_t low = 0, high = widths->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (widths->capacity[middle] < bytes)
      low = middle + 1;
    else
      high = middle;
  }
  return widths->from[low];
}

static stow_status make_groups(struct spacer *spacer) {
  const stow_problem *problem = spacer->problem;
  stow_relations relations;
  struct widths widths;
  sort_widths(problem, &widths);
  uint32_t *group_at = STOW_TAKE(spacer->memory, uint32_t, problem->buffer_count);
  if (!group_at || stow_relations_read(problem, NULL, spacer->memory, &relations) != STOW_OK)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < problem->buffer_count; ++i)
    group_at[i] = UINT32_MAX;
  for (uint32_t i = 0; i < problem->buffer_count; ++i) {
    if (!is_included(spacer, i))
      continue;
    uint32_t *group = &group_at[relations.class_of ? relations.class_of[i] : i];
    if (*group == UINT32_MAX) {
      *group = spacer->group_count++;
      spacer->allowed[*group] = UINT64_MAX;
    }
    spacer->group_of[i] = *group;
    spacer->allowed[*group] &= spaces_for(&widths, problem->buffers[i].size);
    spacer->allowed[*group] &= problem->allowed_spaces ? problem->allowed_spaces[i] : UINT64_MAX;
  }
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    spacer->best->possible &= spacer->allowed[i] != 0;
  return STOW_OK;
}

//===----------------------------------------------------------------------===//
// One assignment
//===----------------------------------------------------------------------===//

enum { NO_SPACE = UINT8_MAX };
static_assert(STOW_MAX_SPACES < NO_SPACE, "a space is a byte");

static void list_spaces(struct spacer *spacer) {
  for (size_t i = 0; i < spacer->problem->buffer_count; ++i)
    spacer->space_of[i] =
        is_included(spacer, i) ? (unsigned char)spacer->assigned[spacer->group_of[i]] : NO_SPACE;
}

static uint32_t list_members(struct spacer *spacer, uint32_t space) {
  uint32_t count = 0;
  for (size_t i = 0; i < spacer->problem->buffer_count; ++i)
    count += spacer->members[i] = spacer->space_of[i] == space;
  return count;
}

// Plans a space with its members, unless that is what it was planned with last.
static stow_status plan_space(struct spacer *spacer, uint32_t space) {
  struct planned *planned = &spacer->planned[space];
  const size_t count = spacer->problem->buffer_count;
  const uint32_t member_count = list_members(spacer, space);
  if (planned->known && memcmp(planned->members, spacer->members, count) == 0)
    return STOW_OK;
  memcpy(planned->members, spacer->members, count);
  planned->known = true;
  planned->solution = (stow_solution){.possible = true, .strategy = STOW_FIRST_FIT_SIZE};
  if (!member_count)
    return STOW_OK;
  if (!planned->own && !(planned->own = STOW_TAKE(spacer->memory, uint64_t, count)))
    return STOW_NO_MEMORY;
  planned->offsets = planned->own;
  const stow_status status = stow_plan_solve_with_bonds(
      spacer->problem, planned->members, 0, spacer->context, planned->own, &planned->solution);
  planned->known =
      status == STOW_OK && (planned->solution.arena_size == planned->solution.lower_bound ||
                            !planned->solution.possible);
  return status == STOW_OVERFLOW ? STOW_OK : status;
}

// What the space costs with its members, and at least; UINT64_MAX: it cannot have them.
static void add_space(const struct spacer *spacer, uint32_t space, uint64_t *inout_cost,
                      uint64_t *inout_bound) {
  const stow_solution *solution = &spacer->planned[space].solution;
  const stow_space *s = &spacer->problem->spaces[space];
  const bool fits = solution->possible && solution->strategy != STOW_AUTO &&
                    (!s->capacity || solution->arena_size <= s->capacity);
  const bool may_fit = solution->possible && (!s->capacity || solution->lower_bound <= s->capacity);
  if (*inout_cost != UINT64_MAX && (!fits || !add_cost(s, solution->arena_size, inout_cost)))
    *inout_cost = UINT64_MAX;
  if (*inout_bound != UINT64_MAX && (!may_fit || !add_cost(s, solution->lower_bound, inout_bound)))
    *inout_bound = UINT64_MAX;
}

static void keep(struct spacer *spacer, uint64_t cost) {
  const stow_problem *problem = spacer->problem;
  stow_space_plan *best = spacer->best;
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    if (!is_included(spacer, i))
      continue;
    best->spaces[i] = spacer->assigned[spacer->group_of[i]];
    best->offsets[i] = spacer->planned[best->spaces[i]].offsets[i];
  }
  for (uint32_t s = 0; s < problem->space_count; ++s) {
    best->sizes[s] = spacer->planned[s].solution.arena_size;
    if (best->sizes[s] || !s)
      best->strategy = spacer->planned[s].solution.strategy;
  }
  best->cost = spacer->context->arena_size = cost;
}

static stow_status plan_assignment(struct spacer *spacer) {
  stow_context *context = spacer->context;
  const uint64_t whole_effort = context->max_effort;
  const uint64_t most = spacer->best->cost;
  uint64_t cost = 0, bound = 0;
  stow_status status = STOW_OK;
  context->max_effort = context->effort + stow_context_left(context) / STOW_SPACES_EFFORT_PART;
  list_spaces(spacer);
  for (uint32_t i = 0; i < spacer->problem->space_count && status == STOW_OK && bound < most; ++i) {
    status = plan_space(spacer, spacer->spaces[i]);
    if (status == STOW_OK)
      add_space(spacer, spacer->spaces[i], &cost, &bound);
  }
  context->max_effort = whole_effort;
  if (status != STOW_OK || bound >= most)
    return status;
  if (cost < most)
    keep(spacer, cost);
  if (bound < cost && bound < spacer->least_open)
    spacer->least_open = bound;
  return STOW_OK;
}

static bool has_plan(const struct spacer *spacer) { return spacer->best->cost != UINT64_MAX; }

static bool visit(void *user) {
  struct spacer *spacer = user;
  spacer->failure = plan_assignment(spacer);
  return spacer->failure == STOW_OK && !(spacer->any_plan && has_plan(spacer));
}

//===----------------------------------------------------------------------===//
// By overflow
//===----------------------------------------------------------------------===//

// The spaces, cheapest first; of equals the earlier one.
static void order_spaces(const stow_problem *problem, uint32_t *spaces) {
  for (uint32_t i = 0; i < problem->space_count; ++i) {
    uint32_t at = i;
    for (; at > 0 && problem->spaces[spaces[at - 1]].cost > problem->spaces[i].cost; --at)
      spaces[at] = spaces[at - 1];
    spaces[at] = i;
  }
}

static bool may_enter(const struct spacer *spacer, uint32_t group, uint32_t space) {
  return (spacer->allowed[group] >> space & 1) != 0;
}

// Drops what has a space now from the open ones, and lists those that the next may have.
static uint32_t list_wanted(struct spacer *spacer, uint32_t space) {
  uint32_t open = 0, wanted = 0;
  for (uint32_t o = 0; o < spacer->open_count; ++o) {
    const uint32_t buffer = spacer->open[o], group = spacer->group_of[buffer];
    if (spacer->assigned[group] != UINT32_MAX)
      continue;
    spacer->open[open++] = buffer;
    spacer->wanted[wanted] = buffer;
    wanted += may_enter(spacer, group, space);
  }
  spacer->open_count = open;
  return wanted;
}

// Its bytes cost nothing: a lower plan of what it holds is no better one.
static void know_filled(const struct spacer *spacer, const stow_filling *filling,
                        struct planned *planned) {
  memset(planned->members, 0, spacer->problem->buffer_count);
  for (uint32_t w = 0; w < filling->wanted_count; ++w)
    planned->members[filling->wanted[w]] =
        spacer->assigned[spacer->group_of[filling->wanted[w]]] == filling->space;
  planned->known = true;
}

static stow_status fill_space(struct spacer *spacer, uint32_t space) {
  struct planned *planned = &spacer->planned[space];
  stow_filling filling = {.problem = spacer->problem,
                          .space = space,
                          .wanted = spacer->wanted,
                          .wanted_count = list_wanted(spacer, space),
                          .group_of = spacer->group_of,
                          .first = spacer->peaks,
                          .assigned = spacer->assigned,
                          .offsets = spacer->filled};
  planned->offsets = spacer->filled;
  const stow_status status = stow_plan_fill_space(&filling, &spacer->memory->allocator);
  planned->known = false;
  if (status != STOW_OK)
    return status;
  planned->solution = (stow_solution){
      .possible = true, .strategy = STOW_FIRST_FIT_AREA, .arena_size = filling.arena_size};
  if (!spacer->problem->spaces[space].cost)
    know_filled(spacer, &filling, planned);
  return STOW_OK;
}

// The plan itself is kept, for what is planned anew need not fit.
static stow_status assign_by_overflow(struct spacer *spacer, bool *out_complete) {
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    spacer->assigned[i] = UINT32_MAX;
  spacer->open_count = 0;
  for (uint32_t i = 0; i < spacer->problem->buffer_count; ++i)
    if (is_included(spacer, i))
      spacer->open[spacer->open_count++] = i;
  stow_status status = STOW_OK;
  uint64_t cost = 0, bound = 0;
  for (uint32_t i = 0; i < spacer->problem->space_count && status == STOW_OK; ++i) {
    status = fill_space(spacer, spacer->spaces[i]);
    if (status == STOW_OK)
      add_space(spacer, spacer->spaces[i], &cost, &bound);
  }
  *out_complete = true;
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    *out_complete &= spacer->assigned[i] != UINT32_MAX;
  if (status == STOW_OK && *out_complete && cost < spacer->best->cost)
    keep(spacer, cost);
  return status;
}

// By overflow again, with those first that live where the most is alive.
static stow_status assign_by_peaks(struct spacer *spacer, const stow_assignment *task,
                                   bool *out_complete) {
  const size_t blocks = task->model->block_count;
  uint64_t *of_blocks = STOW_TAKE_ZEROED(spacer->memory, uint64_t, blocks);
  spacer->peaks = STOW_TAKE_ZEROED(spacer->memory, uint64_t, spacer->group_count);
  if (!of_blocks || !spacer->peaks)
    return STOW_NO_MEMORY;
  const stow_status status =
      stow_heights_peaks(task->heights, task->model->section_count, spacer->memory, of_blocks);
  *out_complete = false;
  if (status != STOW_OK)
    return status == STOW_OVERFLOW ? STOW_OK : status;
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    if (spacer->block_of[i] != STOW_NO_BLOCK)
      spacer->peaks[i] = of_blocks[spacer->block_of[i]];
  return assign_by_overflow(spacer, out_complete);
}

// The same assignment, planned: it was made before others were looked at.
static stow_status plan_by_peaks(struct spacer *spacer) {
  bool complete;
  const stow_status status = assign_by_overflow(spacer, &complete);
  return status == STOW_OK ? plan_assignment(spacer) : status;
}

//===----------------------------------------------------------------------===//
// All assignments
//===----------------------------------------------------------------------===//

static void find_blocks(struct spacer *spacer, const stow_model *model) {
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    spacer->block_of[i] = STOW_NO_BLOCK;
  for (size_t i = 0; i < spacer->problem->buffer_count; ++i)
    if (is_included(spacer, i) && model->block_of[i] != STOW_NO_BLOCK)
      spacer->block_of[spacer->group_of[i]] = model->block_of[i];
}

static stow_status begin_search(struct spacer *spacer, stow_model *model, stow_heights *heights,
                                stow_assignment *task) {
  const stow_selection selection = {spacer->included, NULL};
  stow_status status = stow_plan_model_build(spacer->problem, &selection, spacer->memory, model);
  if (status == STOW_OK)
    status = stow_plan_model_heights(model, spacer->memory, heights);
  if (status != STOW_OK)
    return status;
  find_blocks(spacer, model);
  *task = (stow_assignment){.problem = spacer->problem,
                            .model = model,
                            .heights = heights,
                            .group_count = spacer->group_count,
                            .block_of = spacer->block_of,
                            .allowed = spacer->allowed,
                            .spaces = spacer->spaces,
                            .assigned = spacer->assigned,
                            .visit = visit,
                            .user = spacer,
                            .best_cost = &spacer->best->cost};
  return STOW_OK;
}

static stow_status try_all(struct spacer *spacer, const stow_assignment *task, bool *out_complete) {
  *out_complete = false;
  if ((uint64_t)task->model->section_count * spacer->problem->space_count > STOW_SPACES_MOST_CELLS)
    return STOW_OK;
  const stow_status status = stow_plan_assign(task, spacer->context, spacer->memory, out_complete);
  return status == STOW_OK ? spacer->failure : status;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static stow_status prepare(struct spacer *spacer) {
  const size_t count = spacer->problem->buffer_count;
  order_spaces(spacer->problem, spacer->spaces);
  spacer->group_of = STOW_TAKE_ZEROED(spacer->memory, uint32_t, count);
  spacer->block_of = STOW_TAKE(spacer->memory, uint32_t, count);
  spacer->allowed = STOW_TAKE(spacer->memory, uint64_t, count);
  spacer->assigned = STOW_TAKE(spacer->memory, uint32_t, count);
  spacer->members = STOW_TAKE(spacer->memory, unsigned char, count);
  spacer->space_of = STOW_TAKE(spacer->memory, unsigned char, count);
  spacer->open = STOW_TAKE(spacer->memory, uint32_t, count);
  spacer->wanted = STOW_TAKE(spacer->memory, uint32_t, count);
  spacer->filled = STOW_TAKE(spacer->memory, uint64_t, count);
  if (!spacer->group_of || !spacer->block_of || !spacer->allowed || !spacer->assigned ||
      !spacer->members || !spacer->space_of || !spacer->open || !spacer->wanted || !spacer->filled)
    return STOW_NO_MEMORY;
  for (uint32_t s = 0; s < spacer->problem->space_count; ++s) {
    spacer->planned[s].members = STOW_TAKE(spacer->memory, unsigned char, count);
    if (!spacer->planned[s].members)
      return STOW_NO_MEMORY;
  }
  return make_groups(spacer);
}

static stow_status solve(struct spacer *spacer) {
  stow_space_plan *best = spacer->best;
  stow_status status = prepare(spacer);
  if (status != STOW_OK || !best->possible)
    return status;
  bool complete, by_peaks = false;
  stow_model model;
  stow_heights heights;
  stow_assignment task;
  uint64_t bound = 0;
  status = assign_by_overflow(spacer, &complete);
  if (status == STOW_OK)
    status = begin_search(spacer, &model, &heights, &task);
  if (status == STOW_OK)
    status = stow_assignment_bound(&task, spacer->memory, &bound);
  if (status == STOW_OK && complete && best->cost > bound)
    status = plan_assignment(spacer);
  if (status != STOW_OK || (spacer->any_plan && has_plan(spacer)))
    return status;
  if (best->cost > bound && complete && stow_context_may_work(spacer->context))
    status = assign_by_peaks(spacer, &task, &by_peaks);
  if (status != STOW_OK)
    return status;
  if (best->cost > bound) {
    status = try_all(spacer, &task, &complete);
    if (complete && spacer->least_open > bound)
      bound = spacer->least_open;
  }
  if (status == STOW_OK && by_peaks && best->cost > bound)
    status = plan_by_peaks(spacer);
  best->cost_bound = bound < best->cost ? bound : best->cost;
  best->possible = best->cost_bound != UINT64_MAX;
  return status;
}

stow_status stow_plan_solve_spaces(const stow_problem *problem, const unsigned char *included,
                                   bool any_plan, stow_context *context,
                                   stow_space_plan *inout_plan) {
  stow_memory memory;
  stow_memory_begin(&memory, context->options->allocator);
  inout_plan->cost = UINT64_MAX;
  inout_plan->cost_bound = 0;
  inout_plan->possible = true;
  struct spacer spacer = {.problem = problem,
                          .included = included,
                          .any_plan = any_plan,
                          .context = context,
                          .memory = &memory,
                          .best = inout_plan,
                          .least_open = UINT64_MAX};
  const stow_status status = solve(&spacer);
  stow_memory_end(&memory);
  return status;
}
