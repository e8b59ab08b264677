//===- reuse.c - buffer-reuse, its analysis, pack-stack -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages in order: take options, collect, split, plan, lend results, look at capacities and
// banks, describe, rewrite. Where the heap's peak must not rise, it is planned again, a few rounds
// at most, with the arenas split that raised it. Nothing is rewritten before all is planned and the
// reports are written. Also the planner alone, for passes that compare two versions of a function.
//
//===----------------------------------------------------------------------===//

#include "arena/heap.h"
#include "arena/hoist.h"
#include "arena/limits.h"
#include "arena/timeline.h"
#include "ir/dims.h"

#include <assert.h>

enum { STACK_ALIGNMENT = 16 };

static void remark_numbers(const stow_arenas *arenas) {
  const stow_reuse_options *o = &arenas->options;
  if (!stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    return;
  stow_remark_emit(&(stow_remark){
      .kind = STOW_REMARK_MISSED,
      .location = mlirOperationGetLocation(arenas->module),
      .category = arenas->pass,
      .name = "dynamic-off",
      .text = "dynamic=exact is not in force: buffers of dynamic shape are left alone",
      .reason = o->capacity                 ? "capacity-in-bytes is a number"
                : o->tracer || o->scheduler ? "a tracer or scheduler is given numbers"
                                            : "the stack has a number of bytes",
      .suggestion = "state max in the stowage.dims of arguments and set dynamic=bound"});
}

// What the options ask for and a tracer or scheduler leaves no room for.
static void remark_excluded(const stow_arenas *arenas) {
  const stow_reuse_options *o = &arenas->options;
  stow_text text = {0};
  if (!o->results_apart && !arenas->on_stack)
    stow_text_printf(&text, "no buffer uses the bytes of a result");
  if (o->tracer && o->conditional_share > 0)
    stow_text_printf(&text, "%sbranches have no separate arenas", text.data ? ", " : "");
  if (o->tracer && o->bound_heap)
    stow_text_printf(&text, "%sthe heap's peak is not bounded", text.data ? ", " : "");
  if (text.data && stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    stow_remark_emit(&(stow_remark){
        .kind = STOW_REMARK_MISSED,
        .location = mlirOperationGetLocation(arenas->module),
        .category = arenas->pass,
        .name = "beside-callbacks",
        .text = text.data,
        .reason = o->tracer ? "a tracer's lives are on another clock than program order"
                            : "a scheduler is asked for one memory at a time"});
  free(text.data);
}

bool stow_arena_take_reuse_options(stow_arenas *arenas, const stow_reuse_options *options) {
  stow_ir_take_options(&arenas->options, options, sizeof arenas->options);
  stow_reuse_options *o = &arenas->options;
  o->pool_all |= arenas->pool_alone;
  o->allow_missing_dealloc |= arenas->pool_alone || arenas->on_stack;
  if (o->alignment == 0)
    o->alignment = arenas->on_stack ? STACK_ALIGNMENT : STOW_ARENA_ALIGNMENT;
  if (o->planner_effort == 0)
    o->planner_effort = STOW_DEFAULT_PLANNER_EFFORT;
  if (o->stackings == 0)
    o->stackings = STOW_DEFAULT_STACKINGS;
  MlirLocation location = mlirOperationGetLocation(arenas->module);
  if (o->at_count > 0 && o->dynamic != STOW_DYNAMIC_EXACT)
    return stow_ir_refuse(location, "%s: at needs dynamic=exact; elsewhere all sizes are numbers",
                          arenas->pass);
  arenas->numbers = o->tracer || o->scheduler || o->capacity || arenas->on_stack;
  if (o->dynamic == STOW_DYNAMIC_EXACT && arenas->numbers) {
    o->dynamic = STOW_DYNAMIC_OFF;
    remark_numbers(arenas);
  }
  if (o->tracer || o->scheduler)
    remark_excluded(arenas);
  if (o->alignment & (o->alignment - 1))
    return stow_ir_refuse(location, "%s: alignment-in-bytes must be a power of two, not %llu",
                          arenas->pass, (unsigned long long)o->alignment);
  if (!stow_strategy_name(o->strategy))
    return stow_ir_refuse(location, "%s: strategy must be one of stow_strategy, not %d",
                          arenas->pass, (int)o->strategy);
  if (!stow_arena_reports_are_known(arenas) ||
      (o->dynamic != STOW_DYNAMIC_OFF && !stow_ir_dims_are_valid(arenas->module)))
    return false;
  if (o->poison && o->tracer)
    return stow_ir_refuse(location, "%s: poison tests the pass's own lives, not a tracer's",
                          arenas->pass);
  return true;
}

static bool plan_collected(stow_arenas *arenas, const stow_rises *rises) {
  if (!arenas->options.tracer)
    stow_arena_split_conditional(arenas, rises);
  if (!stow_arenas_plan(arenas, stow_arena_asks_lenders(arenas)) ||
      !stow_arena_lend_results(arenas))
    return false;
  stow_arena_assert_planned(arenas);
  return true;
}

// Plans again, with what raises the heap's peak split, and what still does left alone.
static bool plan_again(stow_arenas *arenas, const stow_rises *found) {
  const stow_arenas before = *arenas;
  stow_arenas_free_plans(arenas);
  *arenas = (stow_arenas){.module = before.module,
                          .pass = before.pass,
                          .on_stack = before.on_stack,
                          .device = before.device,
                          .pool_alone = before.pool_alone,
                          .pool_bytes = before.pool_bytes,
                          .unfixed = before.unfixed,
                          .numbers = before.numbers,
                          .options = before.options,
                          .framing = before.framing,
                          .memory = before.memory,
                          .workgroups = before.workgroups};
  if (!stow_arena_collect(arenas))
    return false;
  stow_arena_split_to_bound(arenas, found);
  return plan_collected(arenas, found);
}

static bool collect_and_plan(stow_arenas *arenas) {
  stow_rises found = {0};
  const bool bounded = arenas->options.bound_heap && !arenas->options.tracer;
  arenas->unfixed = bounded;
  bool ok = stow_arena_collect(arenas) && plan_collected(arenas, &found);
  for (int round = 0;
       round < STOW_BOUND_MOST_ROUNDS && ok && bounded && stow_arena_find_rises(arenas, &found);
       ++round)
    ok = plan_again(arenas, &found);
  free(found.at);
  arenas->unfixed = false;
  return ok && (!bounded || stow_arena_plan_fixed(arenas));
}

bool stow_arena_plan_all(stow_arenas *arenas) {
  return collect_and_plan(arenas) && stow_arenas_fit(arenas) && stow_arena_separate_banks(arenas);
}

static bool describe(const stow_arenas *arenas) {
  if (arenas->options.report_count == 0)
    return true;
  stow_description *description = stow_description_create();
  stow_description_add(description, arenas);
  const bool written = stow_description_write(description, arenas, NULL);
  stow_description_free(description);
  return written;
}

static void say(const stow_arenas *arenas, bool rewrites) {
  stow_tally tally = {0};
  stow_tally_add(&tally, arenas);
  stow_arenas_remark(arenas, rewrites);
  stow_arena_tell_idle(&tally, arenas);
}

bool stow_buffer_reuse_analysis(MlirOperation module, const stow_reuse_options *options) {
  stow_arenas arenas = {.module = module, .pass = "buffer-reuse", .device = true};
  bool ok = stow_arena_take_reuse_options(&arenas, options) && stow_arena_plan_all(&arenas) &&
            describe(&arenas);
  if (ok)
    say(&arenas, false);
  if (ok && arenas.options.annotate)
    stow_arena_annotate(&arenas);
  stow_arenas_free(&arenas);
  return ok;
}

static bool plan_and_rewrite(stow_arenas *arenas) {
  bool ok = stow_arena_plan_all(arenas) && describe(arenas),
       rewrites = !arenas->options.analysis_only;
  if (ok)
    say(arenas, rewrites);
  if (ok && rewrites)
    stow_arena_rewrite(arenas);
  else if (ok)
    stow_arena_annotate(arenas);
  stow_arenas_free(arenas);
  return ok;
}

static bool hoist_and_rewrite(stow_arenas *arenas) {
  MlirOperation kept;
  bool ok = stow_arena_hoist_parallel(arenas, &kept) && plan_and_rewrite(arenas);
  stow_arena_give_back(arenas->module, kept, ok);
  return ok;
}

bool stow_arena_run(stow_arenas *arenas) {
  bool hoists =
      arenas->options.hoist_parallel && !arenas->options.analysis_only && !arenas->on_stack;
  return hoists ? hoist_and_rewrite(arenas) : plan_and_rewrite(arenas);
}

static bool run(stow_arenas *arenas, const stow_reuse_options *options) {
  stow_bridge_load_dialects(mlirOperationGetContext(arenas->module));
  return stow_arena_take_reuse_options(arenas, options) && stow_arena_run(arenas);
}

bool stow_buffer_reuse(MlirOperation module, const stow_reuse_options *options) {
  stow_arenas arenas = {.module = module, .pass = "buffer-reuse", .device = true};
  return run(&arenas, options);
}

bool stow_pack_stack(MlirOperation module, const stow_reuse_options *options) {
  stow_arenas arenas = {.module = module, .pass = "pack-stack", .on_stack = true};
  return run(&arenas, options);
}

static bool plan_only(stow_arenas *arenas, const stow_reuse_options *asked) {
  const stow_reuse_options options = {.unknown_ops = asked->unknown_ops,
                                      .results_apart = asked->results_apart};
  arenas->pool_alone = true;
  return stow_arena_take_reuse_options(arenas, &options) && collect_and_plan(arenas);
}

static stow_planned planned_of(const stow_arenas *arenas, size_t function, size_t first, size_t end,
                               MlirAttribute space) {
  stow_planned planned = {
      .heap = stow_arena_heap_peak(arenas, arenas->memory.calls, function, first, end)};
  for (size_t i = first; i < end; ++i) {
    const stow_arena *a = &arenas->arenas.at[i];
    if (stow_backing_is(a->backing, STOW_BACKING_IS_LENT)) // whose bytes are there in any case
      continue;
    planned.arenas += a->plan.arena_size;
    planned.in_space += mlirAttributeEqual(a->memory_space, space) ? a->plan.arena_size : 0;
  }
  return planned;
}

void stow_plan_only(MlirOperation module, const stow_reuse_options *options, MlirAttribute space,
                    stow_planned_fn tell, void *user) {
  stow_arenas arenas = {.module = module, .pass = "merge-alloc", .pool_bytes = true};
  const bool is_planned = plan_only(&arenas, options);
  stow_heap_peaks *peaks =
      is_planned ? stow_heap_peaks_of(&arenas, arenas.options.alignment) : NULL;
  size_t first = 0;
  for (size_t f = 0; f < arenas.memory.function_count && is_planned; ++f) {
    const size_t end = stow_arenas_end(&arenas, first, f);
    stow_planned planned = planned_of(&arenas, f, first, end, space);
    planned.held = peaks[f].after;
    tell(user, arenas.memory.functions[f].flow.function, planned);
    first = end;
  }
  assert(!is_planned || first == arenas.arenas.count); // they stand function by function
  free(peaks);
  stow_arenas_free(&arenas);
}

char *stow_planned_map(MlirOperation module, stow_unknown_ops unknown_ops, const char *title) {
  stow_arenas arenas = {.module = module, .pass = title};
  stow_text text = {0};
  if (plan_only(&arenas, &(stow_reuse_options){.unknown_ops = unknown_ops}))
    stow_arena_describe_as_json(&arenas, &text);
  else
    stow_text_printf(&text, "null");
  stow_arenas_free(&arenas);
  return stow_text_take(&text);
}
