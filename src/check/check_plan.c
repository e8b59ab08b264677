//===- check_plan.c - check-arena-plan ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: each function with a body is read into a program (program.h) and checked by itself, at
// several samples of its numbers where sizes or offsets are known at run time only; then the
// module's channels and launches.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/steps.h"

#include <stdlib.h>

typedef struct checker {
  stow_check_options options;
  stow_symbols *symbols;
  bool faulty, has_arena, shares_globals;
} checker;

// Checks a function, at a sample's numbers if there is one.
static bool check(checker *c, MlirOperation function, stow_check_numbers *numbers) {
  stow_check_program program = {.function = function,
                                .layout = stow_layout_at(function),
                                .options = &c->options,
                                .symbols = c->symbols,
                                .shares_globals = c->shares_globals,
                                .numbers = numbers,
                                .transfers = {.most_steps = c->options.max_effort,
                                              .symbols = c->symbols,
                                              .read_phases = stow_check_read_phases}};
  stow_check_fault *faults = NULL;
  size_t count = 0;
  stow_check_program_read(&program);
  const bool followed = program.transfers.steps <= c->options.max_effort &&
                        stow_check_faults_find(&program, &faults, &count);
  if (followed)
    stow_check_report_faults(&program, faults, count);
  if (!followed || !stow_check_barriers_find(&program))
    stow_check_report_effort(&program);
  if (followed && !stow_check_pending_find(&program))
    stow_check_report_effort(&program);
  stow_check_races_find(&program);
  stow_check_pending_report(&program);
  if (c->options.leaks && (!numbers || numbers->sample == 0))
    stow_check_report_leaks(&program);
  const bool right = !program.faulty;
  c->has_arena |= program.names.count > 0;
  free(faults);
  stow_check_program_free(&program);
  return right;
}

// False ends the samples: they make no difference, or one of them has shown a fault.
static bool check_sample(checker *c, MlirOperation function, uint64_t sample) {
  stow_check_numbers numbers;
  stow_check_numbers_find(&numbers, function, sample);
  const bool right = !numbers.fit || check(c, function, &numbers);
  const bool matters = !numbers.fit || numbers.asked != 0;
  stow_check_numbers_free(&numbers);
  c->faulty |= !right;
  return right && matters;
}

static void check_function(checker *c, MlirOperation function) {
  if (c->options.samples == 0)
    c->faulty |= !check(c, function, NULL);
  for (uint64_t s = 0; s < c->options.samples && check_sample(c, function, s); ++s)
    ;
}

bool stow_check_arena_plan(MlirOperation module, const stow_check_options *options) {
  checker c = {.symbols = stow_symbols_create(),
               .shares_globals = stow_check_any_global_shared(module)};
  stow_ir_take_options(&c.options, options, sizeof c.options);
  if (c.options.max_effort == 0)
    c.options.max_effort = STOW_CHECK_EFFORT;
  STOW_EACH_OP_OF(op, module)
    if (stow_bridge_op_is_function(op) && !mlirRegionIsNull(stow_bridge_function_body(op))) {
      check_function(&c, op);
      c.faulty |= !stow_check_channels_find(op, c.options.max_effort, &c.has_arena);
    }
  c.faulty |= !stow_check_launches_find(module, c.symbols);
  stow_symbols_destroy(c.symbols);
  if (!c.has_arena)
    stow_bridge_tell_idle_pass(module, "check-arena-plan",
                               "no arena found: no memory of i8 that views are cut from");
  return !c.faulty;
}
