//===- function.c - a function within a capacity --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a function whose reduced plan is still over the capacity. Computes choices (budget.h)
// for a limit on what is alive, applies them and plans; as arenas are larger than what is alive,
// the limit is lowered until they fit, MOST_ROUNDS times at most. A function that does not fit is
// refused with the node or buffer in the way.
//
//===----------------------------------------------------------------------===//

#include "fit/fitting.h"
#include "ir/size.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <inttypes.h>

enum { MOST_ROUNDS = 12 }; // limits that are tried

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void stow_fit_tell(MlirOperation function, const char *name, const char *text) {
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_PASSED,
                                  .location = mlirOperationGetLocation(function),
                                  .category = STOW_FIT_PASS,
                                  .name = name,
                                  .function = stow_bridge_function_name(function),
                                  .text = text});
}

// "sram: ", where memories have names.
static void put_memory(const stow_fitting *f, stow_text *text) {
  if (f->prices.here->name)
    stow_text_printf(text, "%s: ", f->prices.here->name);
}

void stow_fit_tell_fits(const stow_fitting *f, const stow_attempt *a, const stow_fit_account *did) {
  stow_text text = {0};
  put_memory(f, &text);
  stow_text_printf(&text, "arenas of %" PRIu64 " bytes", a->now.in_space);
  if (a->now.in_space != did->before)
    stow_text_printf(&text, ", not %" PRIu64, did->before);
  if (did->before > did->reduced)
    stow_text_printf(&text, ", of which reduce-peak left %" PRIu64, did->reduced);
  if (did->places > 0)
    stow_text_printf(&text, "; buffers placed in %s: %zu, of %" PRIu64 " bytes",
                     f->prices.next->name, did->places, did->placed);
  if (did->unstaged > 0)
    stow_text_printf(&text, "; constants without room: %zu, of %" PRIu64 " bytes", did->unstaged,
                     did->left);
  if (did->again > 0)
    stow_text_printf(&text, "; ops that run again: %zu", did->again);
  if (did->stores > 0)
    stow_text_printf(&text, "; buffers spilled: %zu, with %" PRIu64 " bytes copied", did->stores,
                     did->moved);
  if (did->cost > 0)
    stow_text_printf(&text, "; %.2f %% more %s by the model, at least %.2f %%",
                     100.0 * (double)did->cost / (double)did->whole, f->prices.measure->name,
                     100.0 * (double)did->bound / (double)did->whole);
  stow_fit_tell(a->op, "function", text.data);
  free(text.data);
}

static const char *limit_name(const stow_fitting *f) {
  return f->prices.here->name ? f->prices.here->name : "capacity-in-bytes";
}

static const char *but_constants(const stow_fitting *f) {
  return f->prices.here->constants ? " without its constants" : "";
}

// Of several tries the first one is told. Gives the text away; false.
static bool refuse(const stow_fitting *f, MlirOperation at, char *text) {
  if (f->refused->text)
    free(text);
  else
    *f->refused = (stow_fit_refusal){mlirOperationGetLocation(at), text};
  return false;
}

bool stow_fit_tell_refused(const stow_fitting *f) {
  assert(f->refused->text);
  stow_ir_refuse(f->refused->at, "fit-memory: %s", f->refused->text);
  return !stow_fit_forget_refused(f);
}

bool stow_fit_forget_refused(const stow_fitting *f) {
  free(f->refused->text);
  f->refused->text = NULL;
  return true;
}

static bool refuse_node(const stow_fitting *f, const stow_fit_block *b,
                        const stow_budget_plan *plan) {
  MlirOperation op = stow_fit_op(b, plan->least_node);
  return refuse(f, op,
                stow_ir_format("'%.*s' alone needs %" PRIu64
                               " bytes, with what stays around it; %s%s is %" PRIu64,
                               (int)stow_ir_op_name(op).length, stow_ir_op_name(op).data,
                               plan->least, limit_name(f), but_constants(f),
                               f->prices.here->bytes));
}

static bool refuse_function(const stow_fitting *f, const stow_attempt *a, const char *why) {
  return refuse(f, a->op,
                stow_ir_format("the function needs %" PRIu64 " bytes, %s%s is %" PRIu64 ": %s",
                               a->before.in_space, limit_name(f), but_constants(f),
                               f->prices.here->bytes, why));
}

// A buffer that stowage.offset puts behind the end.
static bool refuse_offset(const stow_fitting *f, MlirOperation alloc, uint64_t end) {
  return refuse(f, alloc,
                stow_ir_format("by its stowage.offset the buffer ends at %" PRIu64
                               ", %s%s is %" PRIu64
                               "; state a lower offset, or remove the attribute",
                               end, limit_name(f), but_constants(f), f->prices.here->bytes));
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

bool stow_fit_is_moved(const stow_fit_block *b, size_t memory) {
  return mlirOperationIsNull(b->origins.at[memory].filling);
}

static void add_up(const stow_fit_block *b, const stow_budget_plan *plan, stow_fit_account *did) {
  did->cost += plan->cost;
  did->whole = stow_ir_larger(b->cost, 1);
  for (size_t i = 0; i < plan->step_count; ++i) {
    const stow_budget_step *step = &plan->steps[i];
    did->again += step->action == STOW_BUDGET_AGAIN;
    did->stores += step->action == STOW_BUDGET_STORE;
    if (step->action == STOW_BUDGET_PLACE && stow_fit_is_moved(b, step->memory)) {
      ++did->places;
      did->placed += b->memories.at[step->memory].bytes;
    } else if (step->action == STOW_BUDGET_PLACE) {
      ++did->unstaged;
      did->left += b->memories.at[step->memory].bytes;
    }
    if (step->action == STOW_BUDGET_STORE || step->action == STOW_BUDGET_LOAD)
      did->moved += b->memories.at[step->memory].bytes;
  }
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

MlirBlock stow_fit_body_of(MlirOperation function) {
  MlirBlock first = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  return mlirBlockIsNull(mlirBlockGetNextInRegion(first)) ? first : (MlirBlock){NULL};
}

// Why a function is left alone, or NULL.
static const char *obstacle_of(const stow_flow *flow) {
  if (mlirBlockIsNull(stow_fit_body_of(flow->function)))
    return "its body is more than one block";
  if (flow->coroutine)
    return "it may stop and go on";
  return flow->marked ? "it has lifetime markers" : NULL;
}

void stow_fit_read_block(const stow_fitting *f, const stow_function_memory *memory,
                         const stow_fit_try *a, stow_fit_block *out) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  facts.space = &f->prices.here->space;
  facts.each = stow_fit_places(&f->prices) || f->prices.stages;
  stow_fit_read(&facts, stow_fit_body_of(a->function), &f->prices, out);
  stow_reorder_facts_free(&facts);
}

static void find_and_apply(const stow_fitting *f, const stow_function_memory *memory,
                           stow_fit_try *a) {
  stow_fit_block b;
  stow_budget_plan plan;
  const stow_budget_options how = {a->limit, f->effort};
  stow_fit_read_block(f, memory, a, &b);
  if (!stow_budget_find(&b.problem, &how, &plan))
    stow_bridge_out_of_memory();
  if (plan.outcome == STOW_BUDGET_FITS) {
    assert(stow_budget_verify(&b.problem, plan.steps, plan.step_count, plan.peak, plan.cost) ==
           STOW_BUDGET_HOLDS);
    add_up(&b, &plan, &a->did);
    a->did.bound += a->apart ? 0 : plan.bound; // of choices with other buffers nothing is known
    stow_fit_apply(&b, &plan, f->prices.next);
  } else if (plan.outcome == STOW_BUDGET_CANNOT && plan.least > f->prices.here->bytes &&
             !a->apart) {
    a->failed = !refuse_node(f, &b, &plan);
  } else {
    a->why = plan.outcome == STOW_BUDGET_UNKNOWN ? "nothing that fits was found; raise effort"
             : f->prices.here->name              ? "no buffers that may go elsewhere make it fit"
                                                 : "no ops that may run again make it fit";
  }
  a->proven = plan.outcome == STOW_BUDGET_CANNOT;
  stow_budget_plan_free(&plan);
  stow_fit_block_free(&b);
}

static void read_again(const stow_fitting *f, stow_module_memory *memory) {
  stow_module_memory_free(memory);
  *memory = stow_module_memory_of(f->module, STOW_UNKNOWN_OPS_ESCAPE);
}

static void part(const stow_fitting *f, stow_module_memory *memory, stow_fit_try *a) {
  if (stow_fit_part(memory_of(memory, a->function), stow_fit_body_of(a->function),
                    f->prices.here->space) == 0) {
    a->why = "no op is in place";
    a->proven = true; // as before
  }
  read_again(f, memory);
}

void stow_fit_split_and(const stow_fitting *f, stow_fit_try *a,
                        void (*what)(const stow_fitting *, const stow_function_memory *,
                                     stow_fit_try *)) {
  stow_module_memory memory = stow_module_memory_of(f->module, STOW_UNKNOWN_OPS_ESCAPE);
  const stow_function_memory *own = memory_of(&memory, a->function);
  a->why = obstacle_of(&own->flow);
  if (!a->why) {
    stow_fit_split(own, stow_fit_body_of(a->function));
    read_again(f, &memory);
    if (a->apart)
      part(f, &memory, a);
    if (!a->why)
      what(f, memory_of(&memory, a->function), a);
  }
  stow_module_memory_free(&memory);
}

bool stow_fit_is_in(const stow_fitting *f, MlirOperation alloc) {
  const MlirType type = mlirValueGetType(mlirOperationGetResult(alloc, 0));
  return mlirAttributeEqual(stow_ir_memory_space(type), f->prices.here->space);
}

// Whether all buffers with an offset of their own can have it; else it is refused.
static bool offsets_fit(const stow_fitting *f, const stow_attempt *a) {
  STOW_EACH_OP_OF(op, a->op) {
    const MlirAttribute at = stow_attribute_of(op, "stowage.offset");
    const int64_t from = mlirAttributeIsNull(at) || !mlirAttributeIsAInteger(at)
                             ? -1
                             : mlirIntegerAttrGetValueInt(at);
    if (from < 0 || !stow_ir_is_plain_alloc(op) || !stow_fit_is_in(f, op))
      continue;
    const uint64_t end = (uint64_t)from + stow_ir_made_bytes(mlirOperationGetResult(op, 0));
    if (end > f->prices.here->bytes)
      return refuse_offset(f, op, end);
  }
  return true;
}

// Lowers the limit on what is alive until the planned arenas fit, and adds what was done for it.
// Leaves the last attempt; what was kept stays so.
static bool lower_limit(const stow_fitting *f, stow_attempts *all, stow_attempt *a,
                        stow_fit_try *last, stow_fit_account *did) {
  const bool apart = last->apart;
  uint64_t limit = f->prices.here->bytes, over = 0;
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    if (round > 0)
      stow_attempt_renew(a);
    limit = over < limit ? limit - over : limit / 2;
    *last = (stow_fit_try){.function = a->op, .limit = limit, .did = *did, .apart = apart};
    stow_fit_split_and(f, last, find_and_apply);
    if (last->why || last->failed)
      return false;
    stow_attempts_plan_in(f->module, all, f->prices.here->space);
    if (a->now.in_space <= f->prices.here->bytes) {
      *did = last->did;
      return true;
    }
    over = a->now.in_space - f->prices.here->bytes;
  }
  last->why = "what is alive fits, but no offsets were found for it";
  return false;
}

bool stow_fit_function(const stow_fitting *f, stow_attempts *all, stow_attempt *a,
                       stow_fit_account *did) {
  stow_fit_try last = {0}, apart = {.apart = true};
  if (!offsets_fit(f, a))
    return false;
  stow_attempt_keep(a);
  bool fits = lower_limit(f, all, a, &last, did);
  if (!fits && !last.failed && !f->prices.once) {
    stow_attempt_renew(a);
    fits = lower_limit(f, all, a, &apart, did);
    if (!apart.proven)
      last.why = apart.why;
  }
  stow_attempt_end(a, fits);
  return fits || (!last.failed && refuse_function(f, a, last.why));
}

//===----------------------------------------------------------------------===//
// Its frontier
//===----------------------------------------------------------------------===//

static void draw(const stow_fitting *f, const stow_function_memory *memory, stow_fit_try *a) {
  stow_fit_block b;
  stow_fit_read_block(f, memory, a, &b);
  stow_fit_draw(&b, f->effort, f->told, a->drawn);
  stow_fit_block_free(&b);
}

void stow_fit_draw_function(const stow_fitting *f, stow_attempt *a, uint64_t before) {
  if (!f->told)
    return;
  char *name = stow_ir_copy_string(stow_bridge_function_name(a->op));
  stow_report_fitted drawn = {.function = name, .before = before, .after = a->now.in_space};
  stow_fit_try at = {.function = a->op, .drawn = &drawn};
  STOW_PUSH(f->told->memory, name);
  if (f->prices.here->name) {
    drawn.arenas = stow_ir_allocate(f->machine->all.count, sizeof *drawn.arenas);
    STOW_PUSH(f->told->memory, drawn.arenas);
  }
  if (before > 0) {
    stow_attempt_keep(a);
    stow_fit_split_and(f, &at, draw);
    stow_attempt_end(a, false);
  }
  STOW_PUSH(f->told->functions, drawn);
}
