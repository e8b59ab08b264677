//===- portfolio.h - many searches for one plan ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_PORTFOLIO_H
#define STOWAGE_PLAN_PORTFOLIO_H

#include "context.h"
#include "search.h"

typedef struct stow_portfolio stow_portfolio;

// Everything needed to search `graph`, made of `blocks` of `model`; NULL where memory is short.
stow_portfolio *stow_portfolio_create(const stow_model *model, const stow_plan_graph *graph,
                                      stow_context *context, stow_memory *memory);

// Looks for a plan within `capacity`, at least the size of every item, once with every order and
// `limit` steps for each. The shuffled ones are others in every round. The answer and the effort
// are the same for every number of threads.
stow_verdict stow_portfolio_run(stow_portfolio *portfolio, uint64_t capacity, unsigned round,
                                uint64_t limit, uint64_t *out_offsets);

#endif // STOWAGE_PLAN_PORTFOLIO_H
