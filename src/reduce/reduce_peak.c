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
#include "copies/carried.h"
#include "ir/nothing_done.h"
#include "reduce/attempts.h"
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

static void stream(MlirOperation module) {
  const bool done = stow_stream_rows(module, NULL); // only a report can fail
  assert(done);
  (void)done;
}

// In the order in which they run.
static const struct {
  const char *name;
  void (*run)(MlirOperation module);
} steps[] = {{"elide-copies", elide}, {"order-for-memory", order}, {"stream-rows", stream}};

enum { STEPS = sizeof steps / sizeof *steps };

typedef struct choice {
  unsigned steps; // bit i: steps[i]
  uint64_t bytes; // of the module's arenas
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

static bool is_better(choice a, choice b) {
  if (a.bytes != b.bytes)
    return a.bytes < b.bytes;
  return __builtin_popcount(a.steps) < __builtin_popcount(b.steps);
}

// Tries the steps from `next` on behind those of `now`, which made `module`. A step after which the
// arenas are as large as before may still be of use to the next.
static void try_steps(MlirOperation module, unsigned next, choice now, choice *best) {
  if (is_better(now, *best))
    *best = now;
  for (; next < STEPS; ++next) {
    MlirOperation clone = mlirOperationClone(module);
    assert(!(now.steps >> next)); // those that ran come before it
    steps[next].run(clone);
    const uint64_t bytes = bytes_of(clone);
    assert(bytes <= now.bytes); // what each step guarantees
    try_steps(clone, next + 1, (choice){now.steps | 1u << next, bytes}, best);
    mlirOperationDestroy(clone);
  }
}

static void tell(MlirOperation module, uint64_t before, choice best) {
  if (!stow_remarks_enabled(mlirOperationGetContext(module)))
    return;
  stow_text text = {0};
  stow_text_printf(&text, "arenas of %" PRIu64 " bytes, not %" PRIu64 ":", best.bytes, before);
  for (unsigned i = 0; i < STEPS; ++i)
    if (best.steps & 1u << i)
      stow_text_printf(&text, "%s %s", best.steps & ((1u << i) - 1) ? "," : "", steps[i].name);
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

void stow_reduce_peak(MlirOperation module) {
  stow_load_dialects(mlirOperationGetContext(module));
  const bool carried = stow_carry_buffers(module, true);
  const choice as_is = {0, bytes_of(module)};
  choice best = as_is;
  stow_mute(true);
  if (as_is.bytes > 0)
    try_steps(module, 0, as_is, &best);
  stow_mute(false);
  if (best.steps == 0) {
    if (!carried)
      tell_idle(module, as_is.bytes > 0);
    return;
  }
  for (unsigned i = 0; i < STEPS; ++i)
    if (best.steps & 1u << i)
      steps[i].run(module);
  assert(best.bytes < as_is.bytes && bytes_of(module) == best.bytes);
  tell(module, as_is.bytes, best);
}
