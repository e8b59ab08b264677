//===- context.c - what one call of the planner may spend and has found ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the effort of one call, in steps and never in seconds, and asks the caller's progress
// function whether to go on.
//
//===----------------------------------------------------------------------===//

#include "context.h"

bool stow_context_may_work(const stow_context *context) {
  return !context->stopped && context->effort < context->max_effort;
}

bool stow_context_poll(stow_context *context, uint64_t pending) {
  const stow_plan_options *options = context->options;
  if (context->stopped || !options->progress)
    return context->stopped;
  const stow_progress progress = {.effort = context->effort + pending,
                                  .max_effort = context->unlimited ? STOW_UNLIMITED_EFFORT
                                                                   : context->max_effort,
                                  .arena_size = context->arena_size,
                                  .lower_bound = context->lower_bound};
  context->stopped = options->progress(options->progress_user, &progress) != 0;
  return context->stopped;
}

bool stow_context_spend(stow_context *context, uint64_t effort) {
  if (__builtin_add_overflow(context->effort, effort, &context->effort))
    context->effort = UINT64_MAX;
  return !stow_context_poll(context, 0) && stow_context_may_work(context);
}

uint64_t stow_context_left(const stow_context *context) {
  return context->effort < context->max_effort ? context->max_effort - context->effort : 0;
}

unsigned stow_context_rules(const stow_context *context) {
  return ((1u << STOW_RULE_COUNT) - 1) & ~context->options->rules_off;
}
