//===- frontier.c - what fewer bytes cost ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search per limit on the bytes alive, from what the block needs down to what no choice can go
// below: in equal steps, then halving what lies between the last plan and the first limit without
// one.
//
//===----------------------------------------------------------------------===//

#include "fit/report.h"

#include <assert.h>

enum { STEPS = 12, HALVINGS = 6 };

typedef struct drawing {
  const stow_fit_block *b;
  stow_fit_report *to;
  uint64_t effort; // of a search
  STOW_ARRAY(stow_report_point) points;
  uint64_t impossible;
} drawing;

static void *keep(stow_fit_report *to, void *memory) {
  STOW_PUSH(to->memory, memory);
  return memory;
}

//===----------------------------------------------------------------------===//
// What is done
//===----------------------------------------------------------------------===//

static stow_report_extra extra_of(stow_fit_report *to, MlirOperation op,
                                  stow_report_action action) {
  return (stow_report_extra){.op = keep(to, stow_ir_copy_string(stow_ir_op_name(op))),
                             .location =
                                 keep(to, stow_ir_location_text(mlirOperationGetLocation(op))),
                             .action = action};
}

static uint64_t cost_of(const stow_fit_block *b, stow_report_action action, size_t i) {
  return action == STOW_REPORT_AGAIN     ? b->nodes.at[i].cost
         : action == STOW_REPORT_SPILLED ? b->memories.at[i].spill
                                         : stow_fit_placed_cost(b, i);
}

// Nodes that run again, then memories that are spilled, then those that are placed elsewhere.
static void add_extras(drawing *d, const stow_budget_plan *plan, stow_report_point *out) {
  const size_t nodes = d->b->nodes.count, memories = d->b->memories.count,
               count = nodes + 2 * memories;
  size_t *times = stow_ir_allocate(count + memories, sizeof *times), *stores = times + count;
  stow_report_extra *extras =
      keep(d->to, stow_ir_allocate(plan->step_count + 1, sizeof *extras)); // no more than steps
  for (size_t i = 0; i < plan->step_count; ++i) {
    const stow_budget_step *step = &plan->steps[i];
    if (step->action == STOW_BUDGET_AGAIN)
      ++times[step->node];
    else if (step->action == STOW_BUDGET_STORE)
      ++stores[step->memory];
    else if (step->action == STOW_BUDGET_LOAD)
      ++times[nodes + step->memory];
    else if (step->action == STOW_BUDGET_PLACE)
      ++times[nodes + memories + step->memory];
  }
  for (size_t i = 0; i < count; ++i) {
    if (times[i] == 0)
      continue;
    const stow_report_action action = i < nodes              ? STOW_REPORT_AGAIN
                                      : i < nodes + memories ? STOW_REPORT_SPILLED
                                                             : STOW_REPORT_PLACED;
    const size_t at = i < nodes ? i : (i - nodes) % memories;
    stow_report_extra *extra = &extras[out->extra_count++];
    *extra = extra_of(d->to, i < nodes ? stow_fit_op(d->b, i) : d->b->origins.at[at].alloc, action);
    extra->times = times[i];
    extra->cost =
        (times[i] + (action == STOW_REPORT_SPILLED ? stores[at] : 0)) * cost_of(d->b, action, at);
  }
  out->extras = extras;
  free(times);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

static const stow_report_point *last_of(const drawing *d) {
  return &d->points.at[d->points.count - 1];
}

// A plan with fewer bytes is at least as good for all limits above.
static void add_point(drawing *d, const stow_budget_plan *plan) {
  const uint64_t known = d->points.count > 0 ? last_of(d)->bound : 0;
  while (d->points.count > 0 && last_of(d)->cost >= plan->cost)
    --d->points.count;
  stow_report_point point = {
      .bytes = plan->peak, .cost = plan->cost, .bound = stow_ir_larger(plan->bound, known)};
  assert(point.bound <= point.cost);
  add_extras(d, plan, &point);
  STOW_PUSH(d->points, point);
}

// Whether there is a plan.
static bool try_limit(drawing *d, uint64_t limit) {
  const stow_budget_options how = {limit, d->effort};
  stow_budget_plan plan;
  if (!stow_budget_find(&d->b->problem, &how, &plan))
    stow_bridge_out_of_memory();
  const bool found = plan.outcome == STOW_BUDGET_FITS;
  if (found)
    add_point(d, &plan);
  else if (plan.outcome == STOW_BUDGET_CANNOT)
    d->impossible = stow_ir_larger(d->impossible, limit);
  stow_budget_plan_free(&plan);
  return found;
}

static void draw_below(drawing *d, uint64_t given) {
  uint64_t without = 0; // a limit that nothing was found for
  for (uint64_t i = STEPS; i-- > 0 && without == 0;) {
    const uint64_t limit = given / STEPS * i;
    if (limit < last_of(d)->bytes && !try_limit(d, limit))
      without = limit;
  }
  for (size_t i = 0; i < HALVINGS && last_of(d)->bytes - without > 1; ++i) {
    const uint64_t limit = without + (last_of(d)->bytes - without) / 2;
    if (!try_limit(d, limit))
      without = limit;
  }
}

void stow_fit_draw(const stow_fit_block *b, uint64_t effort, stow_fit_report *to,
                   stow_report_fitted *out) {
  drawing d = {.b = b, .to = to, .effort = effort / (STEPS + HALVINGS) + 1};
  const bool found = try_limit(&d, UINT64_MAX / 4);
  assert(found); // without a choice
  (void)found;
  draw_below(&d, d.points.at[0].bytes);
  out->points = keep(to, d.points.at);
  out->point_count = d.points.count;
  out->impossible = d.impossible;
  out->cost = b->cost;
}
