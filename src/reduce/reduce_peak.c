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

enum { MAX_CONSTANT_BYTES = 65536 }; // elide-copies' default

static void elide(MlirOperation module) {
  const stow_elide_copies_options options = {.max_constant_bytes = MAX_CONSTANT_BYTES,
                                             .allocation_free_loops = true};
  stow_elide_copies(module, &options);
}

static void order(MlirOperation module) {
  const bool done = stow_order_for_memory(module, NULL); // only a report can fail
  assert(done);
  (void)done;
}

// In the order in which they run.
static const struct {
  const char *name;
  void (*run)(MlirOperation module);
  void (*run_within)(MlirOperation module, uint64_t most); // that bytes of arenas may be
} steps[] = {{"elide-copies", elide, NULL},
             {"order-for-memory", order, NULL},
             {"stream-rows", NULL, stow_stream_rows_within}};

enum { STEPS = sizeof steps / sizeof *steps };

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
static choice add_step(const choice *now, unsigned step, uint64_t most) {
  choice next = {.module = mlirOperationClone(now->module), .steps = now->steps | 1u << step};
  assert(!(now->steps >> step)); // those that ran come before it
  STOW_EACH(const stow_remark, remark, now->remarks)
    stow_remarks_keep(&next.remarks, remark);
  stow_divert_remarks(stow_remarks_keep, &next.remarks);
  if (steps[step].run)
    steps[step].run(next.module);
  else
    steps[step].run_within(next.module, most);
  stow_divert_remarks(NULL, NULL);
  next.bytes = bytes_of(next.module);
  assert(next.bytes <= now->bytes); // what each step guarantees
  return next;
}

// Tries the steps from `first` on behind those of `now`. A step after which the arenas are as large
// as before may still be of use to the next; one that changes nothing is as none.
static void try_steps(const choice *now, unsigned first, choice *best) {
  for (unsigned step = first; step < STEPS; ++step) {
    choice next = add_step(now, step, best->bytes);
    if (stow_same_bodies(now->module, next.module)) {
      free_choice(&next);
      continue;
    }
    try_steps(&next, step + 1, best);
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
                                  .function = stow_string(""),
                                  .text = text.data});
  free(text.data);
}

static void tell_idle(MlirOperation module, bool is_planned) {
  char *why = is_planned ? stow_format("no combination of its passes makes the arenas smaller")
                         : stow_none_planned_text(module);
  stow_tell_idle_pass(module, "reduce-peak", why);
  free(why);
}

// The module gets what the best choice made of it.
static void take(MlirOperation module, choice *best) {
  assert(mlirOperationGetNumAttributes(module) == mlirOperationGetNumAttributes(best->module));
  mlirRegionTakeBody(mlirOperationGetRegion(module, 0), mlirOperationGetRegion(best->module, 0));
  stow_remarks_settle(&best->remarks, (MlirOperation){NULL}, true);
}

void stow_reduce_peak(MlirOperation module) {
  stow_load_dialects(mlirOperationGetContext(module));
  const bool carried = stow_carry_buffers(module, true);
  const choice as_is = {.module = module, .bytes = bytes_of(module)};
  choice best = {.bytes = as_is.bytes};
  if (as_is.bytes > 0)
    try_steps(&as_is, 0, &best);
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
