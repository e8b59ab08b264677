//===- reduce_peak.c - the steps that make arenas smaller, together -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step guarantees that no arena becomes larger. But it may prevent what the next one
// would gain: a buffer that became part of another cannot be streamed separately. So the steps
// are tried on clones, with and without each. What no arena can hold, as loops allocate it for
// their next iteration, comes into arenas first.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "bridge/linalg.h"
#include "copies/carried.h"
#include "ir/nothing_done.h"
#include "reduce/attempts.h"
#include "rows/within.h"
#include "stowage/passes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Of what a step may make, no more than `most` bytes of arenas are of use. Only reports can fail,
// and there are none.
typedef bool run_step(MlirOperation module, const stow_reduce_peak_options *options, uint64_t most);

static bool elide(MlirOperation module, const stow_reduce_peak_options *options, uint64_t most) {
  (void)most;
  const stow_elide_copies_options how = {.max_constant_bytes = STOW_DEFAULT_CONSTANT_BYTES,
                                         .contiguous_reads = options->contiguous_reads,
                                         .assume_noalias_arguments =
                                             options->assume_noalias_arguments,
                                         .allocation_free_loops = true};
  stow_elide_copies(module, &how);
  return true;
}

static bool order(MlirOperation module, const stow_reduce_peak_options *options, uint64_t most) {
  (void)most;
  const stow_order_for_memory_options how = {.assume_noalias_arguments =
                                                 options->assume_noalias_arguments};
  return stow_order_for_memory(module, &how);
}

static bool stream(MlirOperation module, const stow_reduce_peak_options *options, uint64_t most) {
  const stow_stream_rows_options how = {.assume_noalias_arguments =
                                            options->assume_noalias_arguments};
  return stow_rows_stream_within(module, &how, most);
}

// In the order in which they run.
enum { ELIDE_COPIES, ORDER_FOR_MEMORY, STREAM_ROWS, STEPS };

static const struct {
  const char *name;
  run_step *run;
} steps[STEPS] = {[ELIDE_COPIES] = {"elide-copies", elide},
                  [ORDER_FOR_MEMORY] = {"order-for-memory", order},
                  [STREAM_ROWS] = {"stream-rows", stream}};

// What may be tried.
typedef struct trials {
  stow_reduce_peak_options options;
  unsigned allowed; // bit i: steps[i]
} trials;

// Steps behind each other.
typedef struct choice {
  MlirOperation module; // after them; null: as it was
  unsigned steps;       // bit i: steps[i]
  uint64_t bytes;       // of the module's arenas
  stow_remarks remarks; // of all steps
} choice;

static uint64_t bytes_of(MlirOperation module) {
  const stow_attempts functions = stow_attempts_begin(module, NULL);
  uint64_t sum = 0;
  STOW_EACH(const stow_attempt, f, functions) {
    assert(sum <= UINT64_MAX - f->now.arenas);
    sum += f->now.arenas;
  }
  free(functions.at);
  return sum;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static void free_choice(choice *c) {
  if (!mlirOperationIsNull(c->module))
    mlirOperationDestroy(c->module);
  stow_remarks_settle(&c->remarks, (MlirOperation){NULL}, false);
  *c = (choice){0};
}

static bool is_better(const choice *a, const choice *b) {
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes;
  return __builtin_popcount(a->steps) < __builtin_popcount(b->steps);
}

// One step more, in a module of its own.
static choice add_step(const trials *t, const choice *now, unsigned step, uint64_t most) {
  choice next = {.module = mlirOperationClone(now->module), .steps = now->steps | 1u << step};
  assert(!(now->steps >> step)); // those that ran come before it
  STOW_EACH(const stow_remark, remark, now->remarks)
    stow_remarks_keep(&next.remarks, remark);
  stow_bridge_divert_remarks(stow_remarks_keep, &next.remarks);
  const bool done = steps[step].run(next.module, &t->options, most);
  assert(done);
  (void)done;
  stow_bridge_divert_remarks(NULL, NULL);
  next.bytes = bytes_of(next.module);
  assert(next.bytes <= now->bytes); // what each step guarantees
  return next;
}

// Tries the steps from `first` on behind those of `now`. A step after which the arenas are as large
// as before may still be of use to the next; one that changes nothing is as none.
static void try_steps(const trials *t, const choice *now, unsigned first, choice *best) {
  for (unsigned step = first; step < STEPS; ++step) {
    if (!(t->allowed & 1u << step))
      continue;
    choice next = add_step(t, now, step, best->bytes);
    if (stow_bridge_same_bodies(now->module, next.module)) {
      free_choice(&next);
      continue;
    }
    try_steps(t, &next, step + 1, best);
    if (!is_better(&next, best)) {
      free_choice(&next);
      continue;
    }
    free_choice(best);
    *best = next;
  }
}

static void tell(MlirOperation module, uint64_t before, const choice *best) {
  if (!stow_remarks_enabled(mlirOperationGetContext(module)))
    return;
  stow_text text = {0};
  stow_text_printf(&text, "arenas of %" PRIu64 " bytes, not %" PRIu64 ":", best->bytes, before);
  for (unsigned i = 0; i < STEPS; ++i)
    if (best->steps & 1u << i)
      stow_text_printf(&text, "%s %s", best->steps & ((1u << i) - 1) ? "," : "", steps[i].name);
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_PASSED,
                                  .location = mlirOperationGetLocation(module),
                                  .category = "reduce-peak",
                                  .name = "steps",
                                  .function = stow_ir_string(""),
                                  .text = text.data});
  free(text.data);
}

static void tell_idle(MlirOperation module, bool is_planned) {
  char *why = is_planned ? stow_ir_format("no combination of its passes makes the arenas smaller")
                         : stow_reduce_none_planned_text(module);
  stow_bridge_tell_idle_pass(module, "reduce-peak", why);
  free(why);
}

// The module gets what the best choice made of it.
static void take(MlirOperation module, choice *best) {
  assert(mlirOperationGetNumAttributes(module) == mlirOperationGetNumAttributes(best->module));
  mlirRegionTakeBody(mlirOperationGetRegion(module, 0), mlirOperationGetRegion(best->module, 0));
  stow_remarks_settle(&best->remarks, (MlirOperation){NULL}, true);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static unsigned step_of(const char *name) {
  unsigned step = 0;
  while (step < STEPS && strcmp(steps[step].name, name) != 0)
    ++step;
  return step;
}

// False, with an error, where a step is not known.
static bool read_steps(MlirOperation module, trials *t) {
  t->allowed = t->options.step_count > 0 ? 0 : (1u << STEPS) - 1;
  for (size_t i = 0; i < t->options.step_count; ++i) {
    const unsigned step = step_of(t->options.steps[i]);
    if (step == STEPS) {
      char *text =
          stow_ir_format("reduce-peak: steps must be of elide-copies, order-for-memory and "
                         "stream-rows, not '%s'",
                         t->options.steps[i]);
      stow_bridge_error(mlirOperationGetLocation(module), text, NULL, 0);
      free(text);
      return false;
    }
    t->allowed |= 1u << step;
  }
  return true;
}

static void reduce(MlirOperation module, const trials *t) {
  const bool carried = t->allowed & 1u << ELIDE_COPIES && stow_copies_carry_buffers(module, true);
  const choice as_is = {.module = module, .bytes = bytes_of(module)};
  choice best = {.bytes = as_is.bytes};
  if (as_is.bytes > 0)
    try_steps(t, &as_is, 0, &best);
  if (best.steps == 0) {
    if (!carried)
      tell_idle(module, as_is.bytes > 0);
    return;
  }
  take(module, &best);
  assert(best.bytes < as_is.bytes && bytes_of(module) == best.bytes);
  tell(module, as_is.bytes, &best);
  free_choice(&best);
}

bool stow_reduce_peak(MlirOperation module, const stow_reduce_peak_options *options) {
  trials t = {0};
  stow_ir_take_options(&t.options, options, sizeof t.options);
  if (!read_steps(module, &t))
    return false;
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  reduce(module, &t);
  return true;
}
