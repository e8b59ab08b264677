//===- elide_copies.c - copies that need not be ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewriting a link merges two lives into one, which may cost more bytes than it saves. So
// functions are planned as by merge-alloc: as they are, with all links rewritten, and then
// with more or fewer of them, until the effort is used up. The variant that needs the fewest
// bytes is kept, and never one that needs more than before. In each round every function tries
// one variant, so that a round plans the module once.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "copies/carried.h"
#include "copies/limits.h"
#include "ir/nothing_done.h"
#include "mlir-c/BuiltinTypes.h"
#include "stowage/passes.h"

#include <stdlib.h>

// Links from `first` on, `count` of them in the order of the search.
typedef struct segment {
  size_t first, count;
} segment;

typedef struct function {
  stow_attempt *attempt; // the links of what is kept are numbered
  size_t link_count;
  stow_copies_link *links; // of the trial under way
  MlirOperation *ops;      // the same
  bool *best;              // per link: allowed in the best trial
  size_t *order, ordered;  // links that were rewritten when all were allowed, by cost
  size_t slow_from;        // of `order`
  STOW_ARRAY(segment) queue;
  size_t next; // of the queue: the trials so far
  bool tries, adds;
  stow_planned least; // and `now` of the attempt: with what the trial allocates earlier
  stow_copies_trial trial;
} function;

typedef struct functions {
  stow_attempts attempts;
  STOW_ARRAY(function) list; // one each
  bool in_place, remarks, lends, noalias;
  stow_copies_reads reads;
  uint64_t max_constant;
} functions;

//===----------------------------------------------------------------------===//
// One trial
//===----------------------------------------------------------------------===//

static bool has_symbols(MlirOperation op) {
  MlirSymbolTable table = mlirSymbolTableCreate(op);
  const bool some = !mlirSymbolTableIsNull(table);
  if (some)
    mlirSymbolTableDestroy(table);
  return some;
}

// Whether the names that the op may use are those of the function: it is in no module inside of it.
static bool is_own(MlirOperation root, MlirOperation op) {
  while (!mlirOperationEqual(op = mlirOperationGetParentOperation(op), root))
    if ((stow_op_facts(op) & STOW_OP_ISOLATED) && has_symbols(op))
      return false;
  return true;
}

static void number_links(function *f) {
  stow_op_list ops = stow_ir_ops_in(f->attempt->kept, stow_copies_is_link);
  for (size_t i = 0; i < ops.count; ++i)
    if (is_own(f->attempt->kept, ops.at[i]))
      stow_copies_set_number(ops.at[i], f->link_count++);
    else
      stow_copies_forget_number(ops.at[i]);
  f->links = stow_ir_allocate(ops.count, sizeof *f->links);
  f->ops = stow_ir_allocate(ops.count, sizeof *f->ops);
  f->best = stow_ir_allocate(ops.count, sizeof *f->best);
  f->order = stow_ir_allocate(ops.count, sizeof *f->order);
  free(ops.at);
}

static bool allocates_besides_alloc(MlirOperation op) {
  if (stow_bridge_op_is_call(op))
    return true;
  return (stow_ir_op_traits(op) & STOW_ALLOCATES_HEAP) &&
         !mlirShapedTypeHasStaticShape(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static bool has_others(MlirOperation root) {
  STOW_EACH_OP_OF(op, root)
    if (allocates_besides_alloc(op))
      return true;
  return false;
}

static void forget_numbers(MlirOperation root) {
  STOW_EACH_OP_OF(op, root)
    if (stow_copies_is_link(op))
      stow_copies_forget_number(op);
}

// Rewrites a copy of the function by the links that are allowed.
static void run_trial(const functions *all, function *f) {
  stow_attempt_renew(f->attempt);
  for (size_t i = 0; i < f->trial.globals.count; ++i)
    mlirOperationDestroy(f->trial.globals.at[i]);
  f->trial.globals.count = 0;
  for (size_t i = 0; i < f->link_count; ++i) {
    f->links[i].done = false;
    f->links[i].cost = STOW_COPIES_NOTHING;
  }
  f->trial.function = f->attempt->op;
  f->trial.early = f->trial.rewrites = f->trial.lives = 0;
  f->trial.effort = STOW_COPIES_TRIAL_EFFORT;
  f->trial.symbols = mlirSymbolTableCreate(mlirOperationGetParentOperation(f->attempt->op));
  stow_copies_find_links(&f->trial);
  if (f->trial.splits)
    stow_copies_split(&f->trial);
  size_t before;
  do {
    before = f->trial.rewrites;
    if (f->trial.tells_left) // what stays is told of the last round
      stow_remarks_settle(&f->trial.remarks, f->trial.function, false);
    stow_copies_read_through(&f->trial);
    stow_copies_fold(&f->trial, all->max_constant);
    stow_copies_place(&f->trial, all->in_place);
  } while (f->trial.rewrites > before);
  stow_copies_lend(&f->trial);
  stow_copies_assert_rewritten(&f->trial);
  if (!mlirSymbolTableIsNull(f->trial.symbols))
    mlirSymbolTableDestroy(f->trial.symbols);
}

static void plan(functions *all, MlirOperation module) {
  stow_attempts_plan(module, &all->attempts);
  STOW_EACH(const function, f, all->list)
    f->attempt->now = stow_reduce_planned_with(f->attempt->now, f->trial.early);
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static void allow(function *f, bool all) {
  for (size_t i = 0; i < f->link_count; ++i)
    f->links[i].allowed = all || f->best[i];
}

// So that a segment is of one kind.
static void order_links(function *f) {
  for (stow_copies_cost cost = STOW_COPIES_NOTHING; cost <= STOW_COPIES_SLOW; ++cost) {
    f->slow_from = f->ordered;
    for (size_t i = 0; i < f->link_count; ++i)
      if (f->links[i].done && f->links[i].cost == cost)
        f->order[f->ordered++] = i;
  }
}

static size_t links_up_to(const function *f, stow_copies_cost cost) {
  size_t count = 0;
  for (size_t i = 0; i < f->ordered; ++i)
    count += f->links[f->order[i]].cost <= cost;
  return count;
}

static void push_halves(function *f, size_t first, size_t count, size_t at) {
  if (at > 0)
    STOW_PUSH(f->queue, (segment){first, at});
  if (at < count)
    STOW_PUSH(f->queue, (segment){first + at, count - at});
}

// After the first trial, in which all links were allowed: where that costs bytes, segments are
// added to none; otherwise they are taken away, but those that cost nothing.
static void begin_search(function *f) {
  f->tries = f->ordered > 0;
  f->adds = stow_reduce_is_dearer(f->attempt->now, f->attempt->before);
  f->least = f->adds ? f->attempt->before : f->attempt->now;
  for (size_t i = 0; i < f->ordered && !f->adds; ++i)
    f->best[f->order[i]] = true;
  push_halves(f, f->slow_from, f->ordered - f->slow_from, 0);
  const size_t first = f->adds ? 0 : links_up_to(f, STOW_COPIES_NOTHING);
  push_halves(f, first, f->slow_from - first, links_up_to(f, STOW_COPIES_FREE) - first);
}

static bool begin_trial(function *f) {
  f->tries = f->next < f->queue.count &&
             f->next < (f->adds ? STOW_COPIES_MOST_ADDED : STOW_COPIES_MOST_TAKEN);
  if (!f->tries)
    return false;
  const segment s = f->queue.at[f->next];
  allow(f, false);
  for (size_t i = s.first; i < s.first + s.count; ++i)
    f->links[f->order[i]].allowed = f->adds;
  return true;
}

// All slow links together must pay, or none is elided. Then those that save nothing are dropped.
static bool is_better(const function *f, segment s) {
  const uint64_t now = f->attempt->now.arenas, least = f->least.arenas;
  if (stow_reduce_is_dearer(f->attempt->now, f->attempt->before))
    return false;
  if (s.first < f->slow_from)
    return now < least || (f->adds && now == least);
  if (f->adds)
    return stow_reduce_pays_for_strides(now, least);
  return now <= least ||
         (s.count == f->ordered - f->slow_from && !stow_reduce_pays_for_strides(least, now));
}

static void end_trial(function *f) {
  const segment s = f->queue.at[f->next++];
  if (is_better(f, s)) {
    f->least = f->attempt->now;
    for (size_t i = 0; i < f->link_count; ++i)
      f->best[i] = f->links[i].allowed;
  } else if (s.count > 1) {
    push_halves(f, s.first, s.count, s.count / 2);
  }
}

static bool run_round(functions *all, MlirOperation module) {
  bool any = false;
  for (size_t i = 0; i < all->list.count; ++i)
    if (all->list.at[i].tries && begin_trial(&all->list.at[i])) {
      run_trial(all, &all->list.at[i]);
      any = true;
    }
  if (any)
    plan(all, module);
  for (size_t i = 0; i < all->list.count; ++i)
    if (all->list.at[i].tries)
      end_trial(&all->list.at[i]);
  return any;
}

// All links, in functions that try.
static void try_links(functions *all, MlirOperation module) {
  bool any = false;
  for (size_t i = 0; i < all->list.count; ++i)
    if (all->list.at[i].tries) {
      allow(&all->list.at[i], true);
      run_trial(all, &all->list.at[i]);
      any = true;
    }
  if (any)
    plan(all, module);
}

// With a buffer for each life only where that saves bytes: streams prefer few buffers.
static void try_all(functions *all, MlirOperation module) {
  STOW_EACH(function, f, all->list) {
    f->trial = (stow_copies_trial){.links = f->links,
                                   .link_count = f->link_count,
                                   .ops = f->ops,
                                   .tells_left = all->remarks,
                                   .lends = all->lends,
                                   .noalias = all->noalias,
                                   .reads = all->reads,
                                   .splits = true,
                                   .has_others = has_others(f->attempt->kept)};
    f->tries = true;
  }
  try_links(all, module);
  STOW_EACH(function, f, all->list) {
    f->least = f->attempt->now;
    f->tries = f->trial.lives > 0;
    f->trial.splits = false;
  }
  try_links(all, module);
  STOW_EACH(function, f, all->list)
    f->tries = f->trial.splits = f->tries && stow_reduce_is_gain(f->least, f->attempt->now);
  try_links(all, module);
  for (size_t i = 0; i < all->list.count; ++i) {
    all->list.at[i].trial.tells_left = false;
    order_links(&all->list.at[i]);
    begin_search(&all->list.at[i]);
  }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

// Links that were rewritten when all were allowed, and are not in the best trial.
static void tell_undone(function *f) {
  f->trial.tells_left = true;
  for (size_t i = 0; i < f->ordered; ++i)
    f->links[f->order[i]].cost = f->best[f->order[i]] ? STOW_COPIES_NOTHING
                                 : i < f->slow_from   ? STOW_COPIES_DOUBTFUL
                                                      : STOW_COPIES_SLOW;
  STOW_EACH_FOUND(op, stow_ir_ops_in(f->attempt->op, stow_copies_is_link)) {
    const stow_copies_cost cost = stow_copies_cost_of(&f->trial, op);
    if (cost != STOW_COPIES_NOTHING)
      stow_copies_tell_left(&f->trial, op,
                            cost == STOW_COPIES_SLOW ? STOW_COPIES_STRIDED : STOW_COPIES_PEAK,
                            (MlirOperation){NULL});
  }
}

static size_t settle(functions *all, function *f) {
  size_t done = 0;
  allow(f, false);
  f->trial.tells_done = all->remarks;
  run_trial(all, f);
  for (size_t i = 0; i < f->link_count; ++i)
    done += f->links[i].done;
  if (all->remarks)
    tell_undone(f);
  stow_remarks_settle(&f->trial.remarks, f->trial.function, true);
  forget_numbers(f->attempt->op);
  f->attempt->now = f->least;
  stow_attempt_finish(f->attempt, "elide-copies", "copies and ops rewritten", done, true);
  free(f->links);
  free(f->ops);
  free(f->trial.globals.at);
  free(f->best);
  free(f->order);
  free(f->queue.at);
  return done;
}

static void begin(functions *all, MlirOperation module) {
  all->attempts = stow_attempts_begin(module, NULL);
  STOW_EACH(stow_attempt, attempt, all->attempts) {
    function f = {.attempt = attempt};
    stow_attempt_keep(attempt);
    number_links(&f);
    STOW_PUSH(all->list, f);
  }
}

static void tell_idle(MlirOperation module) {
  char *why = stow_ir_format("no copy elided and no op made to work in place%s",
                             stow_ir_or_no_alloc(module, ": remarks say why each stays"));
  stow_bridge_tell_idle_pass(module, "elide-copies", why);
  free(why);
}

void stow_elide_copies(MlirOperation module, const stow_elide_copies_options *given) {
  stow_elide_copies_options options;
  stow_ir_take_options(&options, given, sizeof options);
  functions all = {.in_place = !options.keep_operands,
                   .lends = options.lend_arguments,
                   .noalias = options.assume_noalias_arguments,
                   .reads = options.contiguous_reads ? STOW_COPIES_CONTIGUOUS
                            : options.strided_reads  ? STOW_COPIES_ANY
                                                     : STOW_COPIES_THAT_PAY,
                   .max_constant = options.max_constant_bytes,
                   .remarks = stow_remarks_enabled(mlirOperationGetContext(module))};
  size_t done = 0;
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  const bool carried = stow_copies_carry_buffers(module, options.allocation_free_loops);
  begin(&all, module);
  try_all(&all, module);
  while (run_round(&all, module))
    ;
  for (size_t i = 0; i < all.list.count; ++i)
    done += settle(&all, &all.list.at[i]);
  if (done == 0 && !carried)
    tell_idle(module);
  free(all.list.at);
  free(all.attempts.at);
}
