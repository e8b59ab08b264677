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
// Of several memories the fastest first has all buffers. What it has no room for goes on to the
// next, and so forth: a step of the way down is what one capacity is without them, with a third
// choice, to place a buffer in the next memory. Before that, constants that a slower memory has are
// copied to the first one, if that pays; a copy that finds no room there is not made. Where such
// copies are transfers, constants that are not copied come by rows, in what is left of the memory.
//
//===----------------------------------------------------------------------===//

#include "fit/report.h"
#include "ir/nothing_done.h"
#include "ir/parts.h"
#include "ir/size.h"
#include "reduce/attempts.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <inttypes.h>

#define PASS "fit-memory"

enum { MOST_ROUNDS = 12 }; // limits that are tried

// The buffers of `prices.here` must fit.
typedef struct fitting {
  MlirOperation module;
  uint64_t effort;
  bool reduce;                 // reduce-peak runs first
  bool transfers;              // constants are copied by such
  bool results_apart;          // planned so
  const stow_machine *machine; // of one memory without a name, where a capacity is given
  stow_fit_prices prices;
  stow_fit_report *told; // null: none is asked for
} fitting;

// What was done in a function, for one memory.
typedef struct account {
  uint64_t before, reduced; // bytes of its arenas: to begin with, and after reduce-peak
  size_t again, stores, places;
  uint64_t moved;  // bytes, to the second memory and from it
  uint64_t placed; // bytes of buffers that lie in the next one
  size_t unstaged; // constants that are read where they lie, for want of room
  uint64_t left;   // bytes of these
  uint64_t cost, bound, whole;
} account;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static void tell_function(MlirOperation function, const char *name, const char *text) {
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_PASSED,
                                  .location = mlirOperationGetLocation(function),
                                  .category = PASS,
                                  .name = name,
                                  .function = stow_bridge_function_name(function),
                                  .text = text});
}

// "sram: ", where memories have names.
static void put_memory(const fitting *f, stow_text *text) {
  if (f->prices.here->name)
    stow_text_printf(text, "%s: ", f->prices.here->name);
}

static void tell_fits(const fitting *f, const stow_attempt *a, const account *did) {
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
  tell_function(a->op, "function", text.data);
  free(text.data);
}

static const char *limit_name(const fitting *f) {
  return f->prices.here->name ? f->prices.here->name : "capacity-in-bytes";
}

static const char *but_constants(const fitting *f) {
  return f->prices.here->constants ? " without its constants" : "";
}

static bool refuse_node(const fitting *f, const stow_fit_block *b, const stow_budget_plan *plan) {
  MlirOperation op = stow_fit_op(b, plan->least_node);
  return stow_ir_refuse(mlirOperationGetLocation(op),
                        "fit-memory: '%.*s' alone needs %" PRIu64
                        " bytes, with what stays around it; "
                        "%s%s is %" PRIu64,
                        (int)stow_ir_op_name(op).length, stow_ir_op_name(op).data, plan->least,
                        limit_name(f), but_constants(f), f->prices.here->bytes);
}

static bool refuse_function(const fitting *f, const stow_attempt *a, const char *why) {
  return stow_ir_refuse(mlirOperationGetLocation(a->op),
                        "fit-memory: the function needs %" PRIu64 " bytes, %s%s is %" PRIu64 ": %s",
                        a->before.in_space, limit_name(f), but_constants(f), f->prices.here->bytes,
                        why);
}

// A buffer that stowage.offset puts behind the end.
static bool refuse_offset(const fitting *f, MlirOperation alloc, uint64_t end) {
  return stow_ir_refuse(mlirOperationGetLocation(alloc),
                        "fit-memory: by its stowage.offset the buffer ends at %" PRIu64
                        ", %s%s is %" PRIu64 "; state a lower offset, or remove the attribute",
                        end, limit_name(f), but_constants(f), f->prices.here->bytes);
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

// Whether the buffer goes elsewhere where it is placed, rather than being read as the constant that
// it is a copy of.
static bool is_moved(const stow_fit_block *b, size_t memory) {
  return mlirOperationIsNull(b->origins.at[memory].filling);
}

static void add_up(const stow_fit_block *b, const stow_budget_plan *plan, account *did) {
  did->cost += plan->cost;
  did->whole = stow_ir_larger(b->cost, 1);
  for (size_t i = 0; i < plan->step_count; ++i) {
    const stow_budget_step *step = &plan->steps[i];
    did->again += step->action == STOW_BUDGET_AGAIN;
    did->stores += step->action == STOW_BUDGET_STORE;
    if (step->action == STOW_BUDGET_PLACE && is_moved(b, step->memory)) {
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

// The only block of the function, or null.
static MlirBlock body_of(MlirOperation function) {
  MlirBlock first = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
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

// Constants that are copied in the end, or come in tiles.
typedef struct copied {
  size_t count, tiled;
  uint64_t bytes, tiled_bytes;
  uint64_t saved, cost, hidden; // by the model
  uint64_t without;             // what the function costs where all are read where they lie
  bool transferred;
} copied;

// What a function is rewritten for, and what came of it: an error was told where `failed` is set,
// else `why` says why not; NULL: it was.
typedef struct attempt {
  MlirOperation function;
  uint64_t limit; // on the bytes alive
  account did;
  stow_report_fitted *drawn;
  stow_op_list staged; // allocs of copies of constants
  copied copied;
  const char *why;
  bool failed;
  bool apart;  // ops in place get buffers of their own
  bool proven; // no choice fits
} attempt;

static void read_block(const fitting *f, const stow_function_memory *memory, const attempt *a,
                       stow_fit_block *out) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  facts.space = &f->prices.here->space;
  facts.each = stow_fit_places(&f->prices) || f->prices.stages;
  stow_fit_read(&facts, body_of(a->function), &f->prices, out);
  stow_reorder_facts_free(&facts);
}

static void find_and_apply(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_fit_block b;
  stow_budget_plan plan;
  const stow_budget_options how = {a->limit, f->effort};
  read_block(f, memory, a, &b);
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

static void read_again(const fitting *f, stow_module_memory *memory) {
  stow_module_memory_free(memory);
  *memory = stow_module_memory_of(f->module, STOW_UNKNOWN_OPS_ESCAPE);
}

static void part(const fitting *f, stow_module_memory *memory, attempt *a) {
  if (stow_fit_part(memory_of(memory, a->function), body_of(a->function), f->prices.here->space) ==
      0) {
    a->why = "no op is in place";
    a->proven = true; // as before
  }
  read_again(f, memory);
}

// Each life a buffer, and then `what`.
static void split_and(const fitting *f, attempt *a,
                      void (*what)(const fitting *, const stow_function_memory *, attempt *)) {
  stow_module_memory memory = stow_module_memory_of(f->module, STOW_UNKNOWN_OPS_ESCAPE);
  const stow_function_memory *own = memory_of(&memory, a->function);
  a->why = obstacle_of(&own->flow);
  if (!a->why) {
    stow_fit_split(own, body_of(a->function));
    read_again(f, &memory);
    if (a->apart)
      part(f, &memory, a);
    if (!a->why)
      what(f, memory_of(&memory, a->function), a);
  }
  stow_module_memory_free(&memory);
}

static bool is_in(const fitting *f, MlirOperation alloc) {
  const MlirType type = mlirValueGetType(mlirOperationGetResult(alloc, 0));
  return mlirAttributeEqual(stow_ir_memory_space(type), f->prices.here->space);
}

// Whether all buffers with an offset of their own can have it. False after an error.
static bool offsets_fit(const fitting *f, const stow_attempt *a) {
  STOW_EACH_OP_OF(op, a->op) {
    const MlirAttribute at = stow_attribute_of(op, "stowage.offset");
    const int64_t from = mlirAttributeIsNull(at) || !mlirAttributeIsAInteger(at)
                             ? -1
                             : mlirIntegerAttrGetValueInt(at);
    if (from < 0 || !stow_ir_is_plain_alloc(op) || !is_in(f, op))
      continue;
    const uint64_t end = (uint64_t)from + stow_ir_made_bytes(mlirOperationGetResult(op, 0));
    if (end > f->prices.here->bytes)
      return refuse_offset(f, op, end);
  }
  return true;
}

// Lowers the limit on what is alive until the planned arenas fit, and adds what was done for it.
// Leaves the last attempt; what was kept stays so.
static bool lower_limit(const fitting *f, stow_attempts *all, stow_attempt *a, attempt *last,
                        account *did) {
  const bool apart = last->apart;
  uint64_t limit = f->prices.here->bytes, over = 0;
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    if (round > 0)
      stow_attempt_renew(a);
    limit = over < limit ? limit - over : limit / 2;
    *last = (attempt){.function = a->op, .limit = limit, .did = *did, .apart = apart};
    split_and(f, last, find_and_apply);
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

// With the buffers as they are; where nothing fits so, with more of them. False after an error.
static bool fit_function(const fitting *f, stow_attempts *all, stow_attempt *a, account *did) {
  attempt last = {0}, apart = {.apart = true};
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

static void draw(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_fit_block b;
  read_block(f, memory, a, &b);
  stow_fit_draw(&b, f->effort, f->told, a->drawn);
  stow_fit_block_free(&b);
}

// As it stands, which it still does afterwards.
static void draw_function(const fitting *f, stow_attempt *a, uint64_t before) {
  if (!f->told)
    return;
  char *name = stow_ir_copy_string(stow_bridge_function_name(a->op));
  stow_report_fitted drawn = {.function = name, .before = before, .after = a->now.in_space};
  attempt at = {.function = a->op, .drawn = &drawn};
  STOW_PUSH(f->told->memory, name);
  if (f->prices.here->name) {
    drawn.arenas = stow_ir_allocate(f->machine->all.count, sizeof *drawn.arenas);
    STOW_PUSH(f->told->memory, drawn.arenas);
  }
  if (before > 0) {
    stow_attempt_keep(a);
    split_and(f, &at, draw);
    stow_attempt_end(a, false);
  }
  STOW_PUSH(f->told->functions, drawn);
}

//===----------------------------------------------------------------------===//
// Several memories
//===----------------------------------------------------------------------===//

// The step from memory `at` to the one behind it. In a faster memory that is done, nothing may live
// longer, so ops run again in the first one only.
static fitting at_memory(const fitting *f, size_t at) {
  const stow_machine_memory *all = f->machine->all.at, *constants = f->machine->constants;
  fitting step = *f;
  step.prices = (stow_fit_prices){.measure = f->prices.measure,
                                  .first = all,
                                  .here = &all[at],
                                  .next = at + 1 < f->machine->all.count ? &all[at + 1] : NULL,
                                  .constants = constants,
                                  .once = at > 0};
  step.prices.stages = at == 0 && constants && constants->cost > all->cost;
  step.prices.transfers = step.prices.stages && f->transfers;
  return step;
}

// Those that stay in the default memory have its alignment, unless their offset is stated.
static void align_in_default(const fitting *f, const stow_flow *flow) {
  STOW_EACH(const stow_alloc, alloc, flow->allocs)
    if (stow_ir_is_plain_alloc(alloc->op) && !stow_ir_has_attribute(alloc->op, "stowage.offset") &&
        mlirAttributeIsNull(
            stow_ir_memory_space(mlirValueGetType(mlirOperationGetResult(alloc->op, 0)))))
      stow_fit_align_in(alloc->op, &f->machine->all.at[f->machine->home]);
}

// What may be placed elsewhere begins in the first memory, and so does what an op of the block
// allocates for itself.
static void move_to_first(const fitting *f, const stow_function_memory *memory, attempt *a) {
  const stow_machine_memory *first = &f->machine->all.at[0];
  const stow_machine_memory given = {.space = {NULL}};
  const fitting apart = {
      .prices = {.measure = f->prices.measure, .first = first, .here = &given, .next = first}};
  const MlirBlock block = body_of(a->function);
  stow_fit_block b;
  read_block(&apart, memory, a, &b);
  for (size_t m = 0; m < b.memories.count; ++m)
    if (b.memories.at[m].placeable)
      stow_fit_move_to(mlirOperationGetResult(b.origins.at[m].alloc, 0), first);
  stow_fit_block_free(&b);
  for (size_t i = 0; i < memory->flow.allocs.count; ++i) {
    const stow_alloc *alloc = &memory->flow.allocs.at[i];
    if (!mlirBlockEqual(mlirOperationGetBlock(alloc->op), block) &&
        mlirAttributeIsNull(stow_ir_memory_space(alloc->type)) &&
        stow_fit_may_move(memory, i, first))
      stow_fit_move_to(mlirOperationGetResult(alloc->op, 0), first);
  }
  align_in_default(f, &memory->flow);
}

// Where enough others may go instead, no bound is known of what it costs.
static void send_one_on(const fitting *f, const stow_function_memory *memory, attempt *a) {
  const stow_budget_options any = {.capacity = UINT64_MAX / 4, .max_effort = 1};
  stow_fit_block b;
  stow_budget_plan plan;
  read_block(f, memory, a, &b);
  if (!stow_budget_find(&b.problem, &any, &plan))
    stow_bridge_out_of_memory();
  stow_fit_sent s = {0};
  const uint64_t over = stow_ir_larger(plan.least, f->prices.here->bytes) - f->prices.here->bytes;
  if (over > 0)
    s = stow_fit_cheapest_inside(&f->prices, memory, stow_fit_op(&b, plan.least_node));
  if (s.bytes > 0) {
    a->did = (account){.places = 1,
                       .placed = s.bytes,
                       .cost = s.cost >> b.shift,
                       .bound = s.others < over ? s.cost >> b.shift : 0,
                       .whole = stow_ir_larger(b.cost, 1)};
    stow_fit_move_to(s.buffer, f->prices.next);
  }
  stow_budget_plan_free(&plan);
  stow_fit_block_free(&b);
}

// An op that alone needs more than there is gives the buffers of its own to the next memory, those
// first that cost least per byte. What is searched has no part in this.
static void send_on(const fitting *f, const stow_attempt *a, account *did) {
  attempt last;
  do {
    last = (attempt){.function = a->op};
    split_and(f, &last, send_one_on);
    did->places += last.did.places;
    did->placed += last.did.placed;
    did->cost += last.did.cost;
    did->bound += last.did.bound;
    did->whole = stow_ir_larger(did->whole, last.did.whole);
  } while (last.did.places > 0);
}

// Those whose copy takes longer than it saves are read where they lie.
static void unstage_what_costs(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_fit_block b;
  stow_map pays = {0};
  read_block(f, memory, a, &b);
  for (size_t m = 0; m < b.memories.count; ++m)
    if (!is_moved(&b, m) && stow_fit_placed_cost(&b, m) > 0)
      stow_map_note(&pays, b.origins.at[m].alloc.ptr);
  STOW_EACH_ITEM(MlirOperation, alloc, a->staged)
    if (stow_map_get(&pays, alloc.ptr) < 0)
      stow_fit_unstage(alloc);
  stow_map_free(&pays);
  stow_fit_block_free(&b);
}

static void stage_all(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  const stow_fit_staging how = {&facts, body_of(a->function), f->machine->all.at,
                                f->prices.transfers};
  stow_fit_stage(&how, &a->staged);
  stow_reorder_facts_free(&facts);
}

static void stage_constants(const fitting *f, MlirOperation function) {
  attempt staged = {.function = function};
  if (!f->prices.stages)
    return;
  split_and(f, &staged, stage_all);
  if (staged.staged.count > 0)
    split_and(f, &staged, unstage_what_costs);
  free(staged.staged.at);
}

static void count_staged(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_fit_block b;
  read_block(f, memory, a, &b);
  for (size_t m = 0; m < b.memories.count; ++m)
    if (!is_moved(&b, m)) {
      ++a->copied.count;
      a->copied.bytes += b.memories.at[m].bytes;
      a->copied.saved += stow_fit_placed_cost(&b, m);
      a->copied.cost += b.memories.at[m].saved + b.origins.at[m].hidden;
      a->copied.hidden += b.origins.at[m].hidden;
    }
  a->copied.without = b.cost + a->copied.saved;
  stow_fit_block_free(&b);
}

static void count_tiles(const stow_fit_tiles *tiles, copied *sum) {
  STOW_EACH(const stow_fit_tile, tile, *tiles) {
    ++sum->tiled;
    sum->tiled_bytes += tile->bytes * (uint64_t)tile->count;
    sum->saved += tile->saved;
    sum->cost += tile->cost;
    sum->hidden += tile->hidden;
  }
}

static void transfer_staged(const fitting *f, const stow_function_memory *memory, attempt *a) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  stow_fit_block b;
  stow_fit_tiles tiles = {0};
  read_block(f, memory, a, &b);
  stow_fit_find_tiles(&facts, &b, &f->prices,
                      &(stow_fit_tile_room){a->limit, f->prices.here->alignment}, &tiles);
  count_tiles(&tiles, &a->copied);
  stow_fit_transfer(&b, &tiles, f->prices.here);
  stow_fit_tiles_free(&tiles);
  stow_fit_block_free(&b);
  stow_reorder_facts_free(&facts);
}

static void tell_staged(const fitting *f, MlirOperation function, const copied *sum) {
  stow_text text = {0};
  if (sum->count + sum->tiled == 0)
    return;
  stow_text_printf(&text, "constants copied from %s: %zu, of %" PRIu64 " bytes",
                   f->machine->constants->name, sum->count, sum->bytes);
  if (sum->tiled > 0)
    stow_text_printf(&text, "; by rows: %zu, of %" PRIu64 " bytes", sum->tiled, sum->tiled_bytes);
  stow_text_printf(&text, "; %.2f %% less %s by the model",
                   100.0 * (double)sum->saved / (double)sum->without, f->prices.measure->name);
  if (sum->transferred && f->prices.measure->hides)
    stow_text_printf(&text, ", if transfers run beside other ops for %.2f %% of their time",
                     100.0 * (double)sum->hidden / (double)sum->cost);
  tell_function(function, "constants", text.data);
  free(text.data);
}

static bool all_fit(const fitting *f, stow_attempts *all, const stow_attempt *a) {
  bool fits = true;
  STOW_EACH(const stow_machine_memory, memory, f->machine->all) {
    stow_attempts_plan_in(f->module, all, memory->space);
    fits &= a->now.in_space <= memory->bytes;
  }
  return fits;
}

// Whether some buffer of a transfer is none that merge-alloc plans.
static void find_lost(const fitting *f, const stow_function_memory *memory, attempt *a) {
  for (size_t i = 0; i < memory->flow.allocs.count; ++i)
    if (memory->buffers[i].reason != STOW_PLANNED && is_in(f, memory->flow.allocs.at[i].op))
      STOW_EACH_USE(use, mlirOperationGetResult(memory->flow.allocs.at[i].op, 0))
        a->failed |= stow_ir_is(mlirOpOperandGetOwner(use), STOW_MEMREF_DMA_START);
}

// Copies of constants become transfers, and others come in tiles, as far as what is planned then
// fits; with `room` bytes for these.
static bool transfer_within(const fitting *f, stow_attempts *all, stow_attempt *a, uint64_t room,
                            copied *sum) {
  attempt sent = {.function = a->op, .limit = room, .copied = *sum};
  split_and(f, &sent, transfer_staged);
  split_and(f, &sent, find_lost);
  if (sent.failed || !all_fit(f, all, a))
    return false;
  *sum = sent.copied;
  return true;
}

static bool transfer(const fitting *f, stow_attempts *all, stow_attempt *a, copied *sum) {
  const uint64_t bytes = f->prices.here->bytes;
  const uint64_t rooms[] = {bytes, bytes - bytes / 16, bytes - bytes / 4, 0};
  stow_attempt_keep(a);
  bool done = false;
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms && !done; ++i) {
    if (i > 0)
      stow_attempt_renew(a);
    done = transfer_within(f, all, a, rooms[i], sum);
  }
  stow_attempt_end(a, done);
  return done;
}

static copied settle_staged(const fitting *f, stow_attempts *all, stow_attempt *a) {
  attempt settled = {.function = a->op};
  if (f->prices.stages)
    split_and(f, &settled, count_staged);
  if (f->prices.transfers)
    settled.copied.transferred = transfer(f, all, a, &settled.copied);
  return settled.copied;
}

static void note_arenas(const fitting *f, size_t function, const stow_attempt *a) {
  if (!f->told)
    return;
  stow_report_fitted *told = &f->told->functions.at[function];
  told->arenas[f->prices.here - f->machine->all.at] = a->now.in_space;
  told->after = told->arenas[0];
}

// What is in one memory fits there, or goes on.
static bool fit_step(const fitting *f, stow_attempts *all, size_t function, account *did) {
  stow_attempt *a = &all->at[function];
  stow_attempts_plan_in(f->module, all, f->prices.here->space);
  a->before = a->now;
  did->before = did->reduced = a->now.in_space;
  if (did->before > f->prices.here->bytes && stow_fit_places(&f->prices)) {
    send_on(f, a, did);
    stow_attempts_plan_in(f->module, all, f->prices.here->space);
  }
  const bool fits = a->now.in_space <= f->prices.here->bytes || fit_function(f, all, a, did);
  note_arenas(f, function, a);
  return fits;
}

// The arenas of a function that is done, with what was done for each memory.
static void tell_memories(const fitting *f, stow_attempts *all, size_t function,
                          const account *did) {
  const stow_attempt *a = &all->at[function];
  for (size_t m = 0; m < f->machine->all.count; ++m) {
    const fitting step = at_memory(f, m);
    stow_attempts_plan_in(f->module, all, step.prices.here->space);
    note_arenas(&step, function, a);
    if (did[m].before > 0 || a->now.in_space > 0)
      tell_fits(&step, a, &did[m]);
  }
}

// `before`: bytes of the function as it was given.
static bool place_function(const fitting *f, stow_attempts *all, size_t function, uint64_t before) {
  stow_attempt *a = &all->at[function], given = *a;
  attempt moved = {.function = a->op};
  account *did = stow_ir_allocate(f->machine->all.count, sizeof *did);
  bool fits = true;
  stow_attempt_keep(&given);
  split_and(f, &moved, move_to_first);
  stage_constants(f, a->op);
  draw_function(f, a, before);
  for (size_t m = 0; m < f->machine->all.count && fits; ++m) {
    const fitting step = at_memory(f, m);
    fits = fit_step(&step, all, function, &did[m]);
  }
  assert(!fits || all_fit(f, all, a)); // no later step was at the cost of an earlier one
  if (fits) {
    const copied sum = settle_staged(f, all, a);
    tell_memories(f, all, function, did);
    tell_staged(f, a->op, &sum);
  }
  given.op = a->op;
  stow_attempt_end(&given, fits);
  a->op = given.op;
  stow_fit_forget_alignments(a->op);
  free(did);
  return fits;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

// The most that a function needs.
static uint64_t most_of(const stow_attempts *all) {
  uint64_t most = 0;
  STOW_EACH(const stow_attempt, a, *all)
    most = stow_ir_larger(most, a->before.in_space);
  return most;
}

// `before`: as the functions were given, in the same order.
static bool fit_functions(const fitting *f, const stow_attempts *before) {
  bool fits = true;
  stow_attempts all = stow_attempts_begin_all(f->module, f->results_apart);
  assert(all.count == before->count);
  for (size_t i = 0; i < all.count; ++i) {
    const uint64_t given = before->at[i].before.in_space;
    if (f->prices.here->name) {
      fits &= place_function(f, &all, i, given);
      continue;
    }
    stow_attempt *a = &all.at[i];
    account did = {.before = given, .reduced = a->before.in_space};
    draw_function(f, a, given);
    const bool done = a->before.in_space <= f->prices.here->bytes || fit_function(f, &all, a, &did);
    if (done && f->told)
      f->told->functions.at[i].after = a->now.in_space;
    if (done && given > f->prices.here->bytes)
      tell_fits(f, a, &did);
    fits = fits && done;
  }
  free(all.at);
  return fits;
}

// Returns what was told; freed with free().
static char *tell_idle(MlirOperation module, uint64_t most) {
  char *why = most > 0 ? stow_ir_format("arenas of %" PRIu64 " bytes fit already", most)
                       : stow_reduce_none_planned_text(module);
  stow_bridge_tell_idle_pass(module, PASS, why);
  return why;
}

static bool needs_less(const fitting *f, uint64_t most) { return most > f->prices.here->bytes; }

// Fewer bytes that cost no time; what follows tells of it.
static void reduce(const fitting *f) {
  stow_bridge_mute(true);
  if (f->reduce)
    stow_reduce_peak(f->module, NULL); // only a step can fail
  stow_bridge_mute(false);
}

static bool gets_global(MlirOperation op) { return stow_ir_is(op, STOW_MEMREF_GET_GLOBAL); }

static bool has_some(MlirOperation module, bool (*wanted)(MlirOperation)) {
  stow_op_list ops = stow_ir_ops_in(module, wanted);
  free(ops.at);
  return ops.count > 0;
}

static bool has_nothing_to_place(const fitting *f) {
  return !has_some(f->module, stow_ir_is_allocation) &&
         !(f->prices.stages && has_some(f->module, gets_global));
}

// In one memory, functions that fit stay as they are.
static bool fit_module(const fitting *f, char **out_note) {
  stow_attempts before = stow_attempts_begin_all(f->module, f->results_apart);
  const uint64_t most = most_of(&before);
  const bool idle = f->prices.here->name ? has_nothing_to_place(f) : !needs_less(f, most);
  bool fits = true;
  if (idle)
    *out_note = tell_idle(f->module, most);
  if (needs_less(f, most))
    reduce(f);
  if (!idle)
    fits = fit_functions(f, &before);
  else
    STOW_EACH(stow_attempt, a, before)
      draw_function(f, a, a->before.in_space);
  free(before.at);
  return fits;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool refuse_option(const fitting *f, const char *what) {
  return stow_ir_refuse(mlirOperationGetLocation(f->module), "fit-memory: %s", what);
}

static bool read_space(const fitting *f, const char *text, MlirAttribute *out) {
  *out = mlirAttributeParseGet(mlirOperationGetContext(f->module), stow_ir_string(text));
  const bool is_space =
      !mlirAttributeIsNull(*out) &&
      !(mlirAttributeIsAInteger(*out) && mlirIntegerAttrGetValueInt(*out) == 0); // the default one
  return is_space ||
         stow_ir_refuse(
             mlirOperationGetLocation(f->module),
             "fit-memory: spill-space=%s is no second memory space; MLIR writes one as 1 or "
             "#gpu.address_space<global>",
             text);
}

// One memory, of which the capacity is all that is known, and one to spill to. Of time, the cost is
// that of a copy with both its sides; of traffic, what is counted there.
static bool take_capacity(fitting *f, const stow_fit_memory_options *options,
                          stow_machine *machine) {
  const uint64_t spill = options->spill_cost > 0 ? options->spill_cost : STOW_DEFAULT_SPILL_COST;
  const uint64_t here = options->objective == STOW_FIT_TRAFFIC ? 0 : 1;
  stow_machine_memory second = {.alignment = 1, .cost = spill - here, .copied = true};
  if (options->spill_space && !read_space(f, options->spill_space, &second.space))
    return false;
  STOW_PUSH(machine->all,
            (stow_machine_memory){.bytes = options->capacity, .alignment = 1, .cost = 1});
  if (options->spill_space)
    STOW_PUSH(machine->all, second);
  *f = at_memory(f, 0);
  return true;
}

// Buffers have what constants leave of their memory.
static bool take_constants(const fitting *f, stow_machine *machine) {
  stow_machine_memory *in = machine->constants;
  if (!in)
    return !f->transfers || refuse_option(f, "dma copies constants, and none of the memories has "
                                             "any: say of one that it has `constants`");
  const uint64_t bytes = stow_fit_bytes_of_constants(f->module, in);
  if (bytes > in->bytes)
    return stow_ir_refuse(mlirOperationGetLocation(f->module),
                          "fit-memory: constants have %" PRIu64 " bytes, %s is %" PRIu64, bytes,
                          in->name, in->bytes);
  in->bytes -= bytes;
  return true;
}

static bool take_memories(fitting *f, const stow_fit_memory_options *options,
                          stow_machine *machine) {
  if (options->spill_space)
    return refuse_option(f, "spill-space needs capacity-in-bytes; of several memories the next one "
                            "is where buffers are spilled to");
  if (!stow_machine_read(f->module, options->memories, machine))
    return false;
  if (machine->all.count == 0)
    return refuse_option(f, "capacity-in-bytes or memories must be given");
  stow_fit_drop_default_name(f->module, machine);
  *f = at_memory(f, 0);
  return true;
}

static bool take_options(fitting *f, const stow_fit_memory_options *options,
                         stow_machine *machine) {
  if (options->capacity > 0 && options->memories)
    return refuse_option(f, "capacity-in-bytes is for one memory, memories is for several: give "
                            "one of the two");
  f->machine = machine;
  return (options->capacity > 0 ? take_capacity(f, options, machine)
                                : take_memories(f, options, machine)) &&
         take_constants(f, machine);
}

static bool report(const stow_report_files *files, stow_fit_report *told, bool maps) {
  if (maps)
    told->frontiers.map =
        stow_planned_map(files->module, STOW_UNKNOWN_OPS_DEFAULT, "after fit-memory");
  told->frontiers.functions = told->functions.at;
  told->frontiers.function_count = told->functions.count;
  return stow_ir_write_reports(files, &told->frontiers);
}

static bool fit_and_report(const fitting *f, const stow_report_files *files,
                           stow_fit_report *told) {
  const bool maps = stow_ir_reports_want_maps(files);
  char *note = NULL;
  if (maps)
    told->frontiers.map_before =
        stow_planned_map(f->module, STOW_UNKNOWN_OPS_DEFAULT, "before fit-memory");
  stow_fit_report_memories(told, f->machine);
  const bool fits = fit_module(f, &note);
  told->frontiers.note = note;
  const bool written = report(files, told, maps);
  free(note);
  return fits && written;
}

bool stow_fit_memory(MlirOperation module, const stow_fit_memory_options *given) {
  stow_fit_memory_options options = {0};
  if (given)
    stow_ir_take_options(&options, given, sizeof options);
  const stow_report_files files = stow_fit_files(module, &options);
  stow_fit_report told = {
      .frontiers = {.title = PASS, .measure = stow_fit_measure_of(options.objective)->name}};
  stow_machine machine = {0};
  fitting f = {.module = module,
               .effort = options.effort > 0 ? options.effort : STOW_BUDGET_EFFORT,
               .reduce = !options.keep_peak,
               .transfers = options.transfers,
               .results_apart = options.results_apart,
               .prices = {.measure = stow_fit_measure_of(options.objective)},
               .told = options.report_count > 0 ? &told : NULL};
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  const bool fits = stow_ir_can_report(&files) && take_options(&f, &options, &machine) &&
                    fit_and_report(&f, &files, &told);
  stow_machine_free(&machine);
  stow_fit_report_free(&told);
  return fits;
}
