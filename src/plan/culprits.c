//===- culprits.c - a smallest set of buffers that does not fit -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves out as many buffers as it can while what remains is still proven not to
// fit: first by large runs of neighbours, then by ever smaller ones, at last one
// by one. What could not be left out alone then cannot be left out later, when
// fewer are there. So one pass with single buffers settles the matter, as far as
// each of its questions gets an answer.
//
//===----------------------------------------------------------------------===//

#include "culprits.h"
#include "bonds.h"
#include "limits.h"
#include "memory.h"
#include "spaces.h"

#include <string.h>

struct hunt {
  const stow_problem *problem;
  uint64_t capacity;
  stow_context *context;
  unsigned char *kept;
  uint64_t *offsets;
  stow_space_plan plan; // room for one over several spaces
  uint64_t end;         // of the effort
  bool irreducible;
};

enum answer { FITS, DOES_NOT_FIT, UNANSWERED };

static stow_status ask_arena(struct hunt *hunt, enum answer *out_answer) {
  stow_solution solution;
  const stow_status status = stow_plan_solve_with_bonds(hunt->problem, hunt->kept, hunt->capacity,
                                                        hunt->context, hunt->offsets, &solution);
  if (status != STOW_OK)
    return status;
  if (!solution.possible || (hunt->capacity && solution.lower_bound > hunt->capacity))
    *out_answer = DOES_NOT_FIT;
  else if (solution.strategy != STOW_AUTO &&
           (!hunt->capacity || solution.arena_size <= hunt->capacity))
    *out_answer = FITS;
  return STOW_OK;
}

static stow_status ask_spaces(struct hunt *hunt, enum answer *out_answer) {
  const stow_status status =
      stow_plan_solve_spaces(hunt->problem, hunt->kept, true, hunt->context, &hunt->plan);
  if (status == STOW_OK && !hunt->plan.possible)
    *out_answer = DOES_NOT_FIT;
  else if (status == STOW_OK && hunt->plan.cost != UINT64_MAX)
    *out_answer = FITS;
  return status;
}

static stow_status ask(struct hunt *hunt, enum answer *out_answer) {
  stow_context *context = hunt->context;
  const uint64_t whole_effort = context->max_effort;
  *out_answer = UNANSWERED;
  stow_context_spend(context,
                     STOW_CULPRITS_READING_EFFORT_PER_BUFFER * hunt->problem->buffer_count);
  context->max_effort = context->effort + STOW_CULPRITS_QUESTION_EFFORT;
  const stow_status status =
      hunt->problem->space_count > 1 ? ask_spaces(hunt, out_answer) : ask_arena(hunt, out_answer);
  context->max_effort = whole_effort;
  return status;
}

static void set_run(struct hunt *hunt, const unsigned char *before, size_t first, size_t past,
                    bool keep) {
  for (size_t i = first; i < past; ++i)
    hunt->kept[i] = keep ? before[i] : 0;
}

// Tries to leave out the kept buffers of [first, past).
static stow_status leave_out(struct hunt *hunt, unsigned char *before, size_t first, size_t past) {
  bool any = false;
  for (size_t i = first; i < past; ++i)
    any |= hunt->kept[i];
  if (!any)
    return STOW_OK;
  memcpy(before + first, hunt->kept + first, past - first);
  set_run(hunt, before, first, past, false);
  enum answer answer;
  const stow_status status = ask(hunt, &answer);
  if (status == STOW_OK && answer == DOES_NOT_FIT)
    return STOW_OK;
  set_run(hunt, before, first, past, true);
  if (past - first == 1)
    hunt->irreducible &= answer == FITS;
  return status;
}

static bool may_go_on(const struct hunt *hunt) {
  return !hunt->context->stopped && hunt->context->effort < hunt->end;
}

static stow_status narrow(struct hunt *hunt, unsigned char *before) {
  const size_t count = hunt->problem->buffer_count;
  stow_status status = STOW_OK;
  size_t run = 1;
  while (run < count)
    run *= 2;
  for (; run >= 1 && status == STOW_OK; run /= 2) {
    hunt->irreducible = true;
    for (size_t i = 0; i < count && status == STOW_OK && may_go_on(hunt); i += run)
      status = leave_out(hunt, before, i, i + run < count ? i + run : count);
  }
  hunt->irreducible &= may_go_on(hunt);
  return status;
}

stow_status stow_plan_find_culprits(const stow_problem *problem, uint64_t capacity,
                                    stow_context *context, unsigned char *out_culprits,
                                    bool *out_irreducible) {
  stow_memory memory;
  stow_memory_begin(&memory, context->options->allocator);
  struct hunt hunt = {.problem = problem, .capacity = capacity, .context = context};
  if (__builtin_add_overflow(context->effort, context->max_effort, &hunt.end))
    hunt.end = UINT64_MAX;
  hunt.kept = STOW_TAKE(&memory, unsigned char, problem->buffer_count);
  hunt.offsets = STOW_TAKE(&memory, uint64_t, problem->buffer_count);
  hunt.plan.offsets = hunt.offsets;
  hunt.plan.spaces = STOW_TAKE(&memory, uint32_t, problem->buffer_count);
  hunt.plan.sizes = STOW_TAKE(&memory, uint64_t, problem->space_count);
  unsigned char *before = STOW_TAKE(&memory, unsigned char, problem->buffer_count);
  stow_status status = STOW_OK;
  if (!hunt.kept || !hunt.offsets || !hunt.plan.spaces || !hunt.plan.sizes || !before)
    status = STOW_NO_MEMORY;
  if (status == STOW_OK) {
    memset(hunt.kept, 1, problem->buffer_count);
    status = narrow(&hunt, before);
  }
  if (status == STOW_OK && problem->buffer_count)
    memcpy(out_culprits, hunt.kept, problem->buffer_count);
  *out_irreducible = status == STOW_OK && hunt.irreducible;
  stow_memory_end(&memory);
  return status;
}
