//===- fit_memory.c - functions within a capacity -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What costs no time first: reduce-peak. Then, per function that still needs too much, the cheapest
// ops to run again and buffers to spill. These keep the bytes that are alive below a limit; what
// merge-alloc makes of them may need more, for its offsets. So the function is planned, and where
// it does not fit the limit is lowered.
//
//===----------------------------------------------------------------------===//

#include "fit/report.h"
#include "ir/nothing_done.h"
#include "reduce/attempts.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <inttypes.h>

#define PASS "fit-memory"

enum { MOST_ROUNDS = 12 }; // limits that are tried

typedef struct fitting {
  MlirOperation module;
  uint64_t capacity, effort, spill_cost;
  bool reduce;           // reduce-peak runs first
  MlirAttribute space;   // of spilled buffers; null: none are
  stow_fit_report *told; // null: none is asked for
} fitting;

// What was done in a function.
typedef struct account {
  size_t again, stores;
  uint64_t moved; // bytes, to the second memory and from it
  uint64_t cost, bound, whole;
} account;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static void tell_fits(const stow_attempt *a, uint64_t before, const account *did) {
  stow_text text = {0};
  stow_text_printf(&text, "arenas of %" PRIu64 " bytes, not %" PRIu64, a->now.in_default, before);
  if (before > a->before.in_default)
    stow_text_printf(&text, ", of which reduce-peak left %" PRIu64, a->before.in_default);
  if (did->again > 0)
    stow_text_printf(&text, "; ops that run again: %zu", did->again);
  if (did->stores > 0)
    stow_text_printf(&text, "; buffers spilled: %zu, with %" PRIu64 " bytes copied", did->stores,
                     did->moved);
  if (did->cost > 0)
    stow_text_printf(&text, "; %.2f %% more time by the model, at least %.2f %%",
                     100.0 * (double)did->cost / (double)did->whole,
                     100.0 * (double)did->bound / (double)did->whole);
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_PASSED,
                                  .location = mlirOperationGetLocation(a->op),
                                  .category = PASS,
                                  .name = "function",
                                  .function = stow_function_name(a->op),
                                  .text = text.data});
  free(text.data);
}

static bool refuse_node(const fitting *f, const stow_fit_block *b, const stow_budget_plan *plan) {
  MlirOperation op = stow_fit_op(b, plan->least_node);
  return stow_refuse(mlirOperationGetLocation(op),
                     "fit-memory: '%.*s' alone needs %" PRIu64 " bytes, with what stays around it; "
                     "capacity-in-bytes is %" PRIu64,
                     (int)stow_op_name(op).length, stow_op_name(op).data, plan->least, f->capacity);
}

static bool refuse_function(const fitting *f, const stow_attempt *a, const char *why) {
  return stow_refuse(mlirOperationGetLocation(a->op),
                     "fit-memory: the function needs %" PRIu64
                     " bytes, capacity-in-bytes is %" PRIu64 ": %s",
                     a->before.in_default, f->capacity, why);
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

static void add_up(const stow_fit_block *b, const stow_budget_plan *plan, account *did) {
  *did = (account){.cost = plan->cost, .bound = plan->bound, .whole = b->cost};
  for (size_t i = 0; i < plan->step_count; ++i) {
    const stow_budget_step *step = &plan->steps[i];
    did->again += step->action == STOW_BUDGET_AGAIN;
    did->stores += step->action == STOW_BUDGET_STORE;
    if (step->action == STOW_BUDGET_STORE || step->action == STOW_BUDGET_LOAD)
      did->moved += b->memories.at[step->memory].bytes;
  }
}

// The only block of the function, or null.
static MlirBlock body_of(MlirOperation function) {
  MlirBlock first = mlirRegionGetFirstBlock(stow_function_body(function));
  return mlirBlockIsNull(mlirBlockGetNextInRegion(first)) ? first : (MlirBlock){NULL};
}

// Why a function is left alone, or NULL.
static const char *obstacle_of(const stow_flow *flow) {
  if (mlirBlockIsNull(body_of(flow->function)))
    return "its body is more than one block";
  if (flow->coroutine)
    return "it may stop and go on";
  return flow->marked ? "it has lifetime markers" : NULL;
}

// What a function is rewritten for, and what came of it: an error was told where `failed` is set,
// else `why` says why not; NULL: it was.
typedef struct attempt {
  MlirOperation function;
  uint64_t limit; // on the bytes alive
  account did;
  stow_report_fitted *drawn;
  const char *why;
  bool failed;
} attempt;

static void read_block(const fitting *f, const stow_reorder_facts *facts, const attempt *a,
                       stow_fit_block *out) {
  stow_fit_read(facts, body_of(a->function), mlirAttributeIsNull(f->space) ? 0 : f->spill_cost,
                out);
}

static void find_and_apply(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  stow_fit_block b;
  stow_budget_plan plan;
  const stow_budget_options how = {a->limit, f->effort};
  facts.default_space = true;
  read_block(f, &facts, a, &b);
  if (!stow_budget_find(&b.problem, &how, &plan))
    stow_out_of_memory();
  if (plan.outcome == STOW_BUDGET_FITS) {
    assert(stow_budget_verify(&b.problem, plan.steps, plan.step_count, plan.peak, plan.cost) ==
           STOW_BUDGET_HOLDS);
    add_up(&b, &plan, &a->did);
    stow_fit_apply(&b, &plan, f->space);
  } else if (plan.outcome == STOW_BUDGET_CANNOT && plan.least > f->capacity) {
    a->failed = !refuse_node(f, &b, &plan);
  } else {
    a->why = plan.outcome == STOW_BUDGET_CANNOT ? "no ops that may run again make it fit"
                                                : "nothing that fits was found; raise effort";
  }
  stow_budget_plan_free(&plan);
  stow_fit_block_free(&b);
  stow_reorder_facts_free(&facts);
}

// The function's, of those of its module.
static const stow_function_memory *memory_of(const stow_module_memory *memory,
                                             MlirOperation function) {
  const stow_function_memory *own = memory->functions;
  while (!mlirOperationEqual(own->flow.function, function))
    ++own;
  assert(own < memory->functions + memory->function_count); // planned, so it was read
  return own;
}

// Each life a buffer, and then `what`.
static void split_and(const fitting *f, attempt *a,
                      void (*what)(const fitting *, const stow_function_memory *, attempt *)) {
  stow_module_memory memory = stow_module_memory_of(f->module, STOW_UNKNOWN_OPS_ESCAPE);
  const stow_function_memory *own = memory_of(&memory, a->function);
  a->why = obstacle_of(&own->flow);
  if (!a->why) {
    stow_fit_split(own, body_of(a->function));
    stow_module_memory_free(&memory);
    memory = stow_module_memory_of(f->module, STOW_UNKNOWN_OPS_ESCAPE);
    what(f, memory_of(&memory, a->function), a);
  }
  stow_module_memory_free(&memory);
}

// Lowers the limit on what is alive until the planned arenas fit. False after an error.
static bool fit_function(const fitting *f, stow_attempts *all, stow_attempt *a, uint64_t before) {
  uint64_t limit = f->capacity, over = 0;
  attempt last = {0};
  stow_attempt_keep(a);
  for (int round = 0; round < MOST_ROUNDS && over < limit; ++round) {
    limit -= over;
    last = (attempt){.function = a->op, .limit = limit};
    split_and(f, &last, find_and_apply);
    if (last.why || last.failed)
      break;
    stow_attempts_plan(f->module, all);
    if (a->now.in_default <= f->capacity) {
      tell_fits(a, before, &last.did);
      stow_attempt_end(a, true);
      return true;
    }
    over = a->now.in_default - f->capacity;
    stow_attempt_renew(a);
  }
  stow_attempt_end(a, false);
  return !last.failed &&
         refuse_function(
             f, a, last.why ? last.why : "what is alive fits, but no offsets were found for it");
}

//===----------------------------------------------------------------------===//
// Its frontier
//===----------------------------------------------------------------------===//

static void draw(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  stow_fit_block b;
  facts.default_space = true;
  read_block(f, &facts, a, &b);
  stow_fit_draw(&b, f->effort, f->told, a->drawn);
  stow_fit_block_free(&b);
  stow_reorder_facts_free(&facts);
}

// As it stands, which it still does afterwards.
static void draw_function(const fitting *f, stow_attempt *a, uint64_t before) {
  if (!f->told)
    return;
  char *name = stow_copy_string(stow_function_name(a->op));
  stow_report_fitted drawn = {.function = name, .before = before, .after = a->now.in_default};
  attempt at = {.function = a->op, .drawn = &drawn};
  STOW_PUSH(f->told->memory, name);
  if (before > 0) {
    stow_attempt_keep(a);
    split_and(f, &at, draw);
    stow_attempt_end(a, false);
  }
  STOW_PUSH(f->told->functions, drawn);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

// The most that a function needs.
static uint64_t most_of(const stow_attempts *all) {
  uint64_t most = 0;
  STOW_EACH(const stow_attempt, a, *all)
    most = stow_larger(most, a->before.in_default);
  return most;
}

// `before`: as the functions were given, in the same order.
static bool fit_functions(const fitting *f, const stow_attempts *before) {
  bool fits = true;
  stow_attempts all = stow_attempts_begin(f->module, NULL);
  assert(all.count == before->count);
  for (size_t i = 0; i < all.count; ++i) {
    const uint64_t given = before->at[i].before.in_default;
    draw_function(f, &all.at[i], given);
    if (all.at[i].before.in_default > f->capacity) {
      const bool done = fit_function(f, &all, &all.at[i], given);
      if (done && f->told)
        f->told->functions.at[i].after = all.at[i].now.in_default;
      fits = fits && done;
    } else if (given > f->capacity) {
      tell_fits(&all.at[i], given, &(account){0});
    }
  }
  free(all.at);
  return fits;
}

// Returns what was told; freed with free().
static char *tell_idle(MlirOperation module, uint64_t most) {
  char *why = most > 0 ? stow_format("arenas of %" PRIu64 " bytes fit already", most)
                       : stow_none_planned_text(module);
  stow_tell_idle_pass(module, PASS, why);
  return why;
}

static bool fit_module(const fitting *f, char **out_note) {
  stow_attempts before = stow_attempts_begin(f->module, NULL);
  const uint64_t most = most_of(&before);
  bool fits = most <= f->capacity;
  if (fits) {
    STOW_EACH(stow_attempt, a, before)
      draw_function(f, a, a->before.in_default);
    *out_note = tell_idle(f->module, most);
  } else {
    stow_mute(true); // what follows tells of it
    if (f->reduce)
      stow_reduce_peak(f->module);
    stow_mute(false);
    fits = fit_functions(f, &before);
  }
  free(before.at);
  return fits;
}

static bool read_space(fitting *f, const char *text) {
  if (!text)
    return true;
  f->space = mlirAttributeParseGet(mlirOperationGetContext(f->module), stow_string(text));
  const bool is_space = !mlirAttributeIsNull(f->space) &&
                        !(mlirAttributeIsAInteger(f->space) &&
                          mlirIntegerAttrGetValueInt(f->space) == 0); // the default one
  return is_space ||
         stow_refuse(
             mlirOperationGetLocation(f->module),
             "fit-memory: spill-space=%s is no second memory space; MLIR writes one as 1 or "
             "#gpu.address_space<global>",
             text);
}

static bool report(const stow_report_files *files, stow_fit_report *told, bool maps) {
  if (maps)
    told->map = stow_planned_map(files->module, STOW_UNKNOWN_OPS_DEFAULT, "after fit-memory");
  told->frontiers.functions = told->functions.at;
  told->frontiers.function_count = told->functions.count;
  return stow_write_reports(files, told);
}

bool stow_fit_memory(MlirOperation module, const stow_fit_memory_options *given) {
  stow_fit_memory_options options = {0};
  if (given)
    stow_take_options(&options, given, sizeof options);
  const stow_report_files files = stow_fit_files(module, &options);
  stow_fit_report told = {.frontiers = {.title = PASS, .capacity = options.capacity}};
  fitting f = {.module = module,
               .capacity = options.capacity,
               .effort = options.effort > 0 ? options.effort : STOW_BUDGET_EFFORT,
               .spill_cost = options.spill_cost > 0 ? options.spill_cost : 4,
               .reduce = !options.keep_peak,
               .told = options.report_count > 0 ? &told : NULL};
  if (!stow_can_report(&files) || !read_space(&f, options.spill_space))
    return false;
  stow_load_dialects(mlirOperationGetContext(module));
  const bool maps = stow_reports_want_maps(&files);
  if (maps)
    told.map_before = stow_planned_map(module, STOW_UNKNOWN_OPS_DEFAULT, "before fit-memory");
  char *note = NULL;
  const bool fits = fit_module(&f, &note);
  told.frontiers.note = note;
  const bool written = report(&files, &told, maps);
  free(note);
  stow_fit_report_free(&told);
  return fits && written;
}
