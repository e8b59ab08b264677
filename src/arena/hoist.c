//===- hoist.c - one arena for all iterations of a parallel loop -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round runs the whole pass (collect, plan, rewrite) on the buffers of its *targets* only,
// the loops that are next; all other buffers are left alone. Every loop is a target at most
// once. Before the first rewrite the module is cloned, so that it can be restored after an
// error.
//
//===----------------------------------------------------------------------===//

#include "arena/hoist.h"
#include "arena/dynamic.h"
#include "arena/limits.h"

#include <stdlib.h>

typedef struct hoister {
  MlirOperation module, kept; // `kept`: a clone from before the first rewrite, or null
  const char *pass;
  stow_reuse_options options;
  const stow_framing *framing;
  stow_map tried;            // loops
  stow_module_memory memory; // of the last round, where it did not rewrite
} hoister;

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void emit(const stow_arenas *arenas, const stow_arena *arena, stow_remark remark) {
  remark.location = mlirOperationGetLocation(stow_arena_scope(arenas, arena)->op);
  remark.category = arenas->pass;
  remark.function = stow_bridge_function_name(stow_arena_function(arenas, arena)->flow.function);
  if (stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    stow_remark_emit(&remark);
}

static void remark_stays(const stow_arenas *arenas, const stow_arena *arena, const char *reason,
                         const char *suggestion) {
  emit(arenas, arena,
       (stow_remark){.kind = STOW_REMARK_MISSED,
                     .name = "not-hoisted",
                     .text = "arena stays inside, one per iteration",
                     .reason = reason,
                     .suggestion = suggestion});
}

static void remark_too_large(const stow_arenas *arenas, const stow_arena *arena, uint64_t trips) {
  char *text =
      stow_ir_format("%llu iterations of %llu bytes are more than the limit",
                     (unsigned long long)trips, (unsigned long long)arena->plan.arena_size);
  remark_stays(arenas, arena, text, "raise hoist-parallel-limit-in-bytes");
  free(text);
}

static void remark_hoisted(const stow_arenas *arenas, const stow_arena *arena) {
  stow_text text = {0};
  stow_text_printf(&text,
                   "%zu buffers put into one arena of %llu bytes, made once for %llu "
                   "iterations",
                   arena->planned_count, (unsigned long long)arena->plan.arena_size,
                   (unsigned long long)arena->trips);
  emit(arenas, arena,
       (stow_remark){.kind = STOW_REMARK_PASSED, .name = "hoisted", .text = text.data});
  free(text.data);
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static bool has_planned(const stow_arenas *arenas, const stow_arena *arena) {
  for (size_t i = 0; i < arena->members.count; ++i)
    if (stow_arena_fact(arenas, arena, arena->members.at[i])->reason == STOW_PLANNED)
      return true;
  return false;
}

static bool was_tried(const hoister *h, MlirOperation loop) {
  return stow_map_get(&h->tried, loop.ptr) >= 0;
}

static void mark_tried(hoister *h, MlirOperation loop) {
  if (!was_tried(h, loop))
    stow_map_add(&h->tried, loop.ptr, 1);
}

static bool is_parallel_loop(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_PARALLEL) || stow_ir_is(op, STOW_SCF_FORALL) ||
         stow_ir_is(op, STOW_AFFINE_PARALLEL);
}

static bool is_mapped(MlirOperation loop) { return stow_ir_has_attribute(loop, "mapping"); }

// The scope that the loop itself stands in.
static const stow_scope *scope_around(const stow_flow *flow, const stow_scope *scope) {
  return &flow->scopes.at[flow->nests.at[flow->nests.at[scope->nest].parent].scope];
}

// Tells why a loop can never be hoisted out of; NULL where it can.
static const char *objection(const stow_arenas *arenas, const stow_arena *arena,
                             const char **out_suggestion) {
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  const stow_scope *scope = stow_arena_scope(arenas, arena);
  *out_suggestion = NULL;
  if (stow_ir_is(scope->op, STOW_AFFINE_PARALLEL)) {
    *out_suggestion = "run lower-affine before";
    return "iterations of affine.parallel are not counted";
  }
  if (is_mapped(scope->op))
    return "the loop is mapped to processors, whose memory may be another";
  if (scope_around(flow, scope)->unordered)
    return "the ops around the loop have no order";
  if (stow_arena_is_dynamic(arenas, arena))
    return "a size is known at run time only";
  *out_suggestion = "run canonicalize, or tile to constant sizes";
  return stow_arena_trips_of(scope->op) > 0
             ? NULL
             : "its bounds and steps are not all constant, or it never runs";
}

// Whether the arena is of a loop that is still to be tried; one that cannot be gets a remark.
static bool is_candidate(hoister *h, const stow_arenas *arenas, const stow_arena *arena) {
  MlirOperation loop = stow_arena_scope(arenas, arena)->op;
  if (!is_parallel_loop(loop) || was_tried(h, loop) || !has_planned(arenas, arena))
    return false;
  const char *suggestion, *reason = objection(arenas, arena, &suggestion);
  if (!reason)
    return true;
  remark_stays(arenas, arena, reason, suggestion);
  mark_tried(h, loop);
  return false;
}

// Marks the scopes around a scope of the function.
static void mark_around(const stow_flow *flow, int32_t scope, bool *around) {
  int32_t nest = flow->nests.at[flow->scopes.at[scope].nest].parent;
  while (nest >= 0) {
    scope = flow->nests.at[nest].scope;
    if (around[scope])
      return;
    around[scope] = true;
    nest = flow->nests.at[flow->scopes.at[scope].nest].parent;
  }
}

// The innermost candidates among one function's arenas, [first, end).
static void pick_in_function(hoister *h, const stow_arenas *arenas, size_t first, size_t end,
                             bool *targets) {
  const stow_flow *flow = &stow_arena_function(arenas, &arenas->arenas.at[first])->flow;
  bool *around = stow_ir_allocate(flow->scopes.count, sizeof *around);
  for (size_t a = first; a < end; ++a) {
    targets[a] = is_candidate(h, arenas, &arenas->arenas.at[a]);
    if (targets[a])
      mark_around(flow, arenas->arenas.at[a].scope, around);
  }
  for (size_t a = first; a < end; ++a)
    targets[a] &= !around[arenas->arenas.at[a].scope];
  free(around);
}

static bool pick_targets(hoister *h, const stow_arenas *arenas, bool *targets) {
  bool any = false;
  for (size_t first = 0, end; first < arenas->arenas.count; first = end) {
    for (end = first; end < arenas->arenas.count &&
                      arenas->arenas.at[end].function == arenas->arenas.at[first].function;)
      ++end;
    pick_in_function(h, arenas, first, end, targets);
  }
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    any |= targets[a];
    if (targets[a])
      mark_tried(h, stow_arena_scope(arenas, &arenas->arenas.at[a])->op);
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

// Slices are addressed by index: their bytes must be fewer than the largest of these.
static uint64_t limit_of(const hoister *h, MlirOperation loop) {
  uint64_t limit = h->options.hoist_limit ? h->options.hoist_limit : STOW_DEFAULT_HOIST_LIMIT;
  uint64_t bits = stow_bridge_index_bits(loop);
  uint64_t addressable = (UINT64_C(1) << (bits < 64 ? bits - 1 : 62)) - 1;
  if (h->options.capacity && h->options.capacity < limit)
    limit = h->options.capacity;
  return addressable < limit ? addressable : limit;
}

static bool fits(const hoister *h, const stow_arenas *arenas, const stow_arena *arena,
                 uint64_t trips) {
  uint64_t bytes, stride = stow_slice_stride(arena);
  return !__builtin_mul_overflow(stride, trips, &bytes) &&
         bytes <= limit_of(h, stow_arena_scope(arenas, arena)->op);
}

// Leaves alone the targets that would be too large, and tells whether there are any.
static bool drop_too_large(const hoister *h, stow_arenas *arenas, bool *targets) {
  bool dropped = false;
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    stow_arena *arena = &arenas->arenas.at[a];
    if (!targets[a] || arena->planned_count == 0)
      continue;
    arena->backing = STOW_BACKING_ITERATION;
    arena->trips = stow_arena_trips_of(stow_arena_scope(arenas, arena)->op);
    if (fits(h, arenas, arena, arena->trips))
      continue;
    remark_too_large(arenas, arena, arena->trips);
    stow_arena_leave_alone(arenas, arena, STOW_NOT_ASKED);
    targets[a] = false;
    dropped = true;
  }
  return dropped;
}

static bool plan_targets(const hoister *h, stow_arenas *arenas, bool *targets) {
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    if (!targets[a])
      stow_arena_leave_alone(arenas, &arenas->arenas.at[a], STOW_NOT_ASKED);
  do {
    stow_arena_settle(arenas);
    if (!stow_arenas_plan(arenas, false))
      return false;
  } while (drop_too_large(h, arenas, targets));
  return true;
}

static void hoist_targets(hoister *h, const stow_arenas *arenas) {
  if (mlirOperationIsNull(h->kept))
    h->kept = mlirOperationClone(h->module);
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    if (arenas->arenas.at[a].planned_count > 0)
      remark_hoisted(arenas, &arenas->arenas.at[a]);
  stow_arena_rewrite(arenas);
}

static bool run_round(hoister *h, bool *out_again) {
  stow_arenas arenas = {.module = h->module,
                        .pass = h->pass,
                        .pool_alone = true,
                        .pool_bytes = true,
                        .framing = h->framing,
                        .options = h->options};
  bool ok = stow_arena_collect(&arenas);
  bool *targets = stow_ir_allocate(arenas.arenas.count, sizeof *targets);
  *out_again = ok && pick_targets(h, &arenas, targets);
  if (*out_again) {
    ok = plan_targets(h, &arenas, targets);
    if (ok)
      hoist_targets(h, &arenas);
  }
  free(targets);
  if (ok && !*out_again) {
    h->memory = arenas.memory;
    stow_arenas_free_plans(&arenas);
  } else
    stow_arenas_free(&arenas);
  return ok;
}

bool stow_arena_hoist_parallel(stow_arenas *arenas, MlirOperation *out_kept) {
  hoister h = {.module = arenas->module,
               .pass = arenas->pass,
               .options = arenas->options,
               .framing = arenas->framing};
  bool ok = true, again = true;
  for (int round = 0; round < STOW_HOIST_MOST_ROUNDS && ok && again; ++round)
    ok = run_round(&h, &again);
  stow_map_free(&h.tried);
  *out_kept = h.kept;
  arenas->memory = h.memory;
  return ok;
}

void stow_arena_give_back(MlirOperation module, MlirOperation kept, bool ok) {
  if (mlirOperationIsNull(kept))
    return;
  if (!ok)
    mlirRegionTakeBody(mlirOperationGetRegion(module, 0), mlirOperationGetRegion(kept, 0));
  mlirOperationDestroy(kept);
}
