//===- insert.c - markers around the lives of buffers ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All markers are planned before the first is built. At one place, ends stand before starts, so
// that a buffer whose life is over makes room for the next.
//
//===----------------------------------------------------------------------===//

#include "lifetime/candidates.h"
#include "lifetime/markers.h"
#include "lifetime/verify.h"
#include "stowage/passes.h"

#include <assert.h>
#include <stdlib.h>

typedef struct marker_plan {
  MlirOperation before; // the op it goes in front of
  MlirLocation location;
  MlirValue value;
  bool start, dropped;
} marker_plan;

typedef struct insertion {
  STOW_ARRAY(marker_plan) plans;
  stow_map first_start; // of ops that plans name: index of started + 1
  stow_op_list started;
  bool value_form;
} insertion;

static void plan_place(insertion *in, const stow_flow *flow, const stow_lifetime_candidate *c,
                       const stow_lifetime_place *place) {
  MlirOperation at = flow->ops.at[place->position];
  STOW_PUSH(in->plans, (marker_plan){place->after ? mlirOperationGetNextInBlock(at) : at,
                                     mlirOperationGetLocation(flow->allocs.at[c->alloc].op),
                                     flow->values.at[c->value].value, place->start, false});
}

// Where a life ends and the next one of the same value begins, with nothing in between, one goes
// on.
static void join_lives(insertion *in, size_t first) {
  stow_map starts = {0};
  for (size_t i = first; i < in->plans.count; ++i)
    if (in->plans.at[i].start)
      stow_map_add(&starts, in->plans.at[i].before.ptr, (int32_t)i);
  for (size_t i = first; i < in->plans.count; ++i) {
    int32_t start = in->plans.at[i].start ? -1 : stow_map_get(&starts, in->plans.at[i].before.ptr);
    if (start < 0)
      continue;
    assert(!in->plans.at[start].dropped); // by another end
    in->plans.at[i].dropped = in->plans.at[start].dropped = true;
  }
  stow_map_free(&starts);
}

#ifndef NDEBUG
// Ends that no start comes before would be of nothing.
static bool starts_somewhere(const insertion *in, size_t first) {
  bool starts = false;
  for (size_t i = first; i < in->plans.count; ++i)
    starts |= in->plans.at[i].start;
  return starts;
}
#endif

static void plan_function(insertion *in, const stow_function_memory *memory) {
  stow_lifetime_candidates candidates = stow_lifetime_candidates_of(memory, in->value_form);
  STOW_EACH(const stow_lifetime_candidate, c, candidates.list) {
    size_t first = in->plans.count;
    for (size_t p = 0; p < c->area.places.count && !c->refused; ++p)
      plan_place(in, &memory->flow, c, &c->area.places.at[p]);
    assert(in->plans.count == first || starts_somewhere(in, first));
    join_lives(in, first);
  }
  stow_lifetime_candidates_free(&candidates);
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

// All uses of the buffer but its deallocs and the start itself become uses of the value in it.
static void rename_uses(MlirValue buffer, MlirValue live) {
  STOW_EACH_USE_THAT_MAY_GO(use, buffer) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_ir_is_dealloc(op) && !stow_ir_is_start(op))
      mlirOperationSetOperand(op, (intptr_t)mlirOpOperandGetOperandNumber(use), live);
  }
}

static void make_start(insertion *in, marker_plan *plan) {
  stow_builder builder = stow_builder_before(plan->before, plan->location);
  MlirOperation op;
  if (in->value_form) {
    MlirValue live = stow_lifetime_build_live(&builder, plan->value);
    op = mlirOpResultGetOwner(live);
    rename_uses(plan->value, live);
  } else {
    op = stow_lifetime_build_start(&builder, plan->value);
  }
  if (stow_map_get(&in->first_start, plan->before.ptr) >= 0)
    return;
  stow_map_add(&in->first_start, plan->before.ptr, (int32_t)STOW_PUSH(in->started, op));
}

// The value that the one start of a buffer made.
static MlirValue live_value(MlirValue buffer) {
  STOW_EACH_USE(use, buffer)
    if (stow_ir_is_start(mlirOpOperandGetOwner(use)))
      return mlirOperationGetResult(mlirOpOperandGetOwner(use), 0);
  return buffer;
}

static void make_end(insertion *in, const marker_plan *plan) {
  int32_t start = stow_map_get(&in->first_start, plan->before.ptr);
  stow_builder builder =
      stow_builder_before(start < 0 ? plan->before : in->started.at[start], plan->location);
  stow_lifetime_build_end(&builder, in->value_form ? live_value(plan->value) : plan->value);
}

// Whether verify-lifetimes would find no fault; asked in debug builds only.
static bool markers_hold(MlirOperation module, stow_unknown_ops unknown_ops) {
#ifdef NDEBUG
  (void)module;
  (void)unknown_ops;
  return true;
#else
  stow_module_memory memory = stow_module_memory_with_stack(module, unknown_ops);
  bool hold = true;
  for (size_t f = 0; f < memory.function_count && hold; ++f)
    hold = stow_lifetime_markers_hold(&memory.functions[f].flow);
  stow_module_memory_free(&memory);
  return hold;
#endif
}

void stow_insert_lifetimes(MlirOperation module, const stow_lifetime_options *options) {
  stow_lifetime_options taken;
  stow_ir_take_options(&taken, options, sizeof taken);
  insertion in = {.value_form = taken.value_form};
  const bool held = markers_hold(module, taken.unknown_ops);
  stow_module_memory memory = stow_module_memory_with_stack(module, taken.unknown_ops);
  for (size_t f = 0; f < memory.function_count; ++f)
    plan_function(&in, &memory.functions[f]);
  stow_module_memory_free(&memory);
  for (size_t i = 0; i < in.plans.count; ++i)
    if (in.plans.at[i].start && !in.plans.at[i].dropped)
      make_start(&in, &in.plans.at[i]);
  for (size_t i = 0; i < in.plans.count; ++i)
    if (!in.plans.at[i].start && !in.plans.at[i].dropped)
      make_end(&in, &in.plans.at[i]);
  stow_map_free(&in.first_start);
  free(in.plans.at);
  free(in.started.at);
  assert(!held || markers_hold(module, taken.unknown_ops));
  (void)held;
}
