//===- memories.c - a function in several memories ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fastest first has all buffers. What it has no room for goes on to the next, and so forth: a
// step of the way down is what one capacity is without them, with a third choice, to place a buffer
// in the next memory. Before that, constants that a slower memory has are copied to the first one,
// if that pays; a copy that finds no room there is not made. Where such copies are transfers,
// constants that are not copied come by rows, in what is left of the memory.
//
//===----------------------------------------------------------------------===//

#include "fit/fitting.h"
#include "ir/size.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// The next one that is open behind memory `at`, or null.
static const stow_machine_memory *next_of(const stow_fitting *f, size_t at) {
  const size_t count = f->machine->all.count;
  size_t next = at + 1;
  while (next < count && f->closed && f->closed[next])
    ++next;
  return next < count ? &f->machine->all.at[next] : NULL;
}

stow_fitting stow_fit_at_memory(const stow_fitting *f, size_t at) {
  const stow_machine_memory *all = f->machine->all.at, *constants = f->machine->constants;
  stow_fitting step = *f;
  step.prices = (stow_fit_prices){.measure = f->prices.measure,
                                  .first = all,
                                  .here = &all[at],
                                  .next = next_of(f, at),
                                  .constants = constants,
                                  .once = at > 0};
  step.prices.stages = at == 0 && constants && constants->cost > all->cost;
  step.prices.transfers = step.prices.stages && f->transfers;
  return step;
}

// Those that stay in the default memory have its alignment, unless their offset is stated.
static void align_in_default(const stow_fitting *f, const stow_flow *flow) {
  STOW_EACH(const stow_alloc, alloc, flow->allocs)
    if (stow_ir_is_plain_alloc(alloc->op) && !stow_ir_has_attribute(alloc->op, "stowage.offset") &&
        mlirAttributeIsNull(
            stow_ir_memory_space(mlirValueGetType(mlirOperationGetResult(alloc->op, 0)))))
      stow_fit_align_in(alloc->op, &f->machine->all.at[f->machine->home]);
}

// What may be placed elsewhere begins in the first memory, and so does what an op of the block
// allocates for itself.
static void move_to_first(const stow_fitting *f, const stow_function_memory *memory,
                          stow_fit_try *a) {
  const stow_machine_memory *first = &f->machine->all.at[0];
  const stow_machine_memory given = {.space = {NULL}};
  const stow_fitting apart = {
      .prices = {.measure = f->prices.measure, .first = first, .here = &given, .next = first}};
  const MlirBlock block = stow_fit_body_of(a->function);
  stow_fit_block b;
  stow_fit_read_block(&apart, memory, a, &b);
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
static void send_one_on(const stow_fitting *f, const stow_function_memory *memory,
                        stow_fit_try *a) {
  const stow_budget_options any = {.capacity = UINT64_MAX / 4, .max_effort = 1};
  stow_fit_block b;
  stow_budget_plan plan;
  stow_fit_read_block(f, memory, a, &b);
  if (!stow_budget_find(&b.problem, &any, &plan))
    stow_bridge_out_of_memory();
  stow_fit_sent s = {0};
  const uint64_t over = stow_ir_larger(plan.least, f->prices.here->bytes) - f->prices.here->bytes;
  if (over > 0)
    s = stow_fit_cheapest_inside(&f->prices, memory, stow_fit_op(&b, plan.least_node));
  if (s.bytes > 0) {
    a->did = (stow_fit_account){.places = 1,
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
static void send_on(const stow_fitting *f, const stow_attempt *a, stow_fit_account *did) {
  stow_fit_try last;
  do {
    last = (stow_fit_try){.function = a->op};
    stow_fit_split_and(f, &last, send_one_on);
    did->places += last.did.places;
    did->placed += last.did.placed;
    did->cost += last.did.cost;
    did->bound += last.did.bound;
    did->whole = stow_ir_larger(did->whole, last.did.whole);
  } while (last.did.places > 0);
}

// Those whose copy takes longer than it saves are read where they lie.
static void unstage_what_costs(const stow_fitting *f, const stow_function_memory *memory,
                               stow_fit_try *a) {
  stow_fit_block b;
  stow_map pays = {0};
  stow_fit_read_block(f, memory, a, &b);
  for (size_t m = 0; m < b.memories.count; ++m)
    if (!stow_fit_is_moved(&b, m) && stow_fit_placed_cost(&b, m) > 0)
      stow_map_note(&pays, b.origins.at[m].alloc.ptr);
  STOW_EACH_ITEM(MlirOperation, alloc, a->staged)
    if (stow_map_get(&pays, alloc.ptr) < 0)
      stow_fit_unstage(alloc);
  stow_map_free(&pays);
  stow_fit_block_free(&b);
}

static void stage_all(const stow_fitting *f, const stow_function_memory *memory, stow_fit_try *a) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  const stow_fit_staging how = {&facts, stow_fit_body_of(a->function), f->machine->all.at,
                                f->prices.transfers};
  stow_fit_stage(&how, &a->staged);
  stow_reorder_facts_free(&facts);
}

static void stage_constants(const stow_fitting *f, MlirOperation function) {
  stow_fit_try staged = {.function = function};
  if (!f->prices.stages)
    return;
  stow_fit_split_and(f, &staged, stage_all);
  if (staged.staged.count > 0)
    stow_fit_split_and(f, &staged, unstage_what_costs);
  free(staged.staged.at);
}

static void count_staged(const stow_fitting *f, const stow_function_memory *memory,
                         stow_fit_try *a) {
  stow_fit_block b;
  stow_fit_read_block(f, memory, a, &b);
  for (size_t m = 0; m < b.memories.count; ++m)
    if (!stow_fit_is_moved(&b, m)) {
      ++a->copied.count;
      a->copied.bytes += b.memories.at[m].bytes;
      a->copied.saved += stow_fit_placed_cost(&b, m);
      a->copied.cost += b.memories.at[m].saved + b.origins.at[m].hidden;
      a->copied.hidden += b.origins.at[m].hidden;
    }
  a->copied.without = b.cost + a->copied.saved;
  stow_fit_block_free(&b);
}

static void count_tiles(const stow_fit_tiles *tiles, stow_fit_copied *sum) {
  STOW_EACH(const stow_fit_tile, tile, *tiles) {
    ++sum->tiled;
    sum->tiled_bytes += tile->bytes * (uint64_t)tile->count;
    sum->saved += tile->saved;
    sum->cost += tile->cost;
    sum->hidden += tile->hidden;
  }
}

static void transfer_staged(const stow_fitting *f, const stow_function_memory *memory,
                            stow_fit_try *a) {
  stow_reorder_facts facts = stow_reorder_facts_of(memory, false);
  stow_fit_block b;
  stow_fit_tiles tiles = {0};
  stow_fit_read_block(f, memory, a, &b);
  stow_fit_find_tiles(&facts, &b, &f->prices,
                      &(stow_fit_tile_room){a->limit, f->prices.here->alignment}, &tiles);
  count_tiles(&tiles, &a->copied);
  stow_fit_transfer(&b, &tiles, f->prices.here);
  stow_fit_tiles_free(&tiles);
  stow_fit_block_free(&b);
  stow_reorder_facts_free(&facts);
}

static void tell_staged(const stow_fitting *f, MlirOperation function, const stow_fit_copied *sum) {
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
  stow_fit_tell(function, "constants", text.data);
  free(text.data);
}

static bool all_fit(const stow_fitting *f, stow_attempts *all, const stow_attempt *a) {
  bool fits = true;
  STOW_EACH(const stow_machine_memory, memory, f->machine->all) {
    stow_attempts_plan_in(f->module, all, memory->space);
    fits &= a->now.in_space <= memory->bytes;
  }
  return fits;
}

// Whether some buffer of a transfer is none that merge-alloc plans.
static void find_lost(const stow_fitting *f, const stow_function_memory *memory, stow_fit_try *a) {
  for (size_t i = 0; i < memory->flow.allocs.count; ++i)
    if (memory->buffers[i].reason != STOW_PLANNED &&
        stow_fit_is_in(f, memory->flow.allocs.at[i].op))
      STOW_EACH_USE(use, mlirOperationGetResult(memory->flow.allocs.at[i].op, 0))
        a->failed |= stow_ir_is(mlirOpOperandGetOwner(use), STOW_MEMREF_DMA_START);
}

// Copies of constants become transfers, and others come in tiles, as far as what is planned then
// fits; with `room` bytes for these.
static bool transfer_within(const stow_fitting *f, stow_attempts *all, stow_attempt *a,
                            uint64_t room, stow_fit_copied *sum) {
  stow_fit_try sent = {.function = a->op, .limit = room, .copied = *sum};
  stow_fit_split_and(f, &sent, transfer_staged);
  stow_fit_split_and(f, &sent, find_lost);
  if (sent.failed || !all_fit(f, all, a))
    return false;
  *sum = sent.copied;
  return true;
}

static bool transfer(const stow_fitting *f, stow_attempts *all, stow_attempt *a,
                     stow_fit_copied *sum) {
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

static stow_fit_copied settle_staged(const stow_fitting *f, stow_attempts *all, stow_attempt *a) {
  stow_fit_try settled = {.function = a->op};
  if (f->prices.stages)
    stow_fit_split_and(f, &settled, count_staged);
  if (f->prices.transfers)
    settled.copied.transferred = transfer(f, all, a, &settled.copied);
  return settled.copied;
}

static void note_arenas(const stow_fitting *f, size_t function, const stow_attempt *a) {
  if (!f->told)
    return;
  stow_report_fitted *told = &f->told->functions.at[function];
  told->arenas[f->prices.here - f->machine->all.at] = a->now.in_space;
  told->after = told->arenas[0];
}

// What is in one memory fits there, or goes on.
static bool fit_step(const stow_fitting *f, stow_attempts *all, size_t function,
                     stow_fit_account *did) {
  stow_attempt *a = &all->at[function];
  stow_attempts_plan_in(f->module, all, f->prices.here->space);
  a->before = a->now;
  did->before = did->reduced = a->now.in_space;
  if (did->before > f->prices.here->bytes && stow_fit_places(&f->prices)) {
    send_on(f, a, did);
    stow_attempts_plan_in(f->module, all, f->prices.here->space);
  }
  const bool fits = a->now.in_space <= f->prices.here->bytes || stow_fit_function(f, all, a, did);
  note_arenas(f, function, a);
  return fits;
}

// The arenas of a function that is done, with what was done for each memory.
static void tell_memories(const stow_fitting *f, stow_attempts *all, size_t function,
                          const stow_fit_account *did) {
  const stow_attempt *a = &all->at[function];
  for (size_t m = 0; m < f->machine->all.count; ++m) {
    const stow_fitting step = stow_fit_at_memory(f, m);
    stow_attempts_plan_in(f->module, all, step.prices.here->space);
    note_arenas(&step, function, a);
    if (did[m].before > 0 || a->now.in_space > 0)
      stow_fit_tell_fits(&step, a, &did[m]);
  }
}

static void settle_and_tell(const stow_fitting *f, stow_attempts *all, size_t function,
                            const stow_fit_account *did) {
  stow_attempt *a = &all->at[function];
  const stow_fit_copied sum = settle_staged(f, all, a);
  tell_memories(f, all, function, did);
  tell_staged(f, a->op, &sum);
}

static void draw_once(const stow_fitting *f, stow_attempt *a, size_t function, uint64_t before) {
  if (f->told && f->told->functions.count == function)
    stow_fit_draw_function(f, a, before);
}

// With the memories that are open: returns the one in which the function does not fit, and leaves
// it as it was; else the number of memories.
static size_t find_crowded(const stow_fitting *f, stow_attempts *all, size_t function,
                           uint64_t before, stow_fit_account *did) {
  const size_t count = f->machine->all.count;
  stow_attempt *a = &all->at[function], given = *a;
  stow_fit_try moved = {.function = a->op};
  size_t m = 0;
  stow_attempt_keep(&given);
  stow_fit_split_and(f, &moved, move_to_first);
  stage_constants(f, a->op);
  draw_once(f, a, function, before);
  for (; m < count; ++m) {
    const stow_fitting step = stow_fit_at_memory(f, m);
    if (!fit_step(&step, all, function, &did[m]))
      break;
  }
  assert(m < count || all_fit(f, all, a)); // no later step was at the cost of an earlier one
  given.op = a->op;
  stow_attempt_end(&given, m == count);
  a->op = given.op;
  return m;
}

// What was done with fewer memories than there are: of what it costs in the first one, less may be
// possible with all of them, as `bound` says; in the others, nothing is known.
static void lower_bounds(stow_fit_account *did, size_t count, uint64_t bound) {
  did->bound = did->bound < bound ? did->bound : bound;
  for (size_t m = 1; m < count; ++m)
    did[m].bound = 0;
}

// Where a slower memory has no room for all that is sent there, nothing goes there.
bool stow_fit_place_function(const stow_fitting *f, stow_attempts *all, size_t function,
                             uint64_t before) {
  const size_t count = f->machine->all.count;
  stow_fit_account *did = stow_ir_allocate(count, sizeof *did);
  bool *closed = stow_ir_allocate(count, sizeof *closed);
  stow_fitting open = *f;
  open.closed = closed;
  size_t crowded = find_crowded(&open, all, function, before, did);
  const uint64_t bound = did->bound;
  const bool first_fits = crowded == count;
  while (crowded > 0 && crowded < count && !closed[crowded]) {
    closed[crowded] = true;
    memset(did, 0, count * sizeof *did);
    crowded = find_crowded(&open, all, function, before, did);
  }
  const bool fits = crowded == count;
  if (fits && !first_fits)
    lower_bounds(did, count, bound);
  if (fits)
    settle_and_tell(&open, all, function, did);
  stow_fit_forget_alignments(all->at[function].op);
  free(closed);
  free(did);
  return fits ? stow_fit_forget_refused(f) : stow_fit_tell_refused(f);
}
