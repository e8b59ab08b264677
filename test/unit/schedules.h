//===- schedules.h - the cheapest of all schedules within a capacity ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shortest paths over what memories hold. Nothing is known here of choices, only which step is
// allowed when, as the checker of budget.h has it: any node that ran may run again at any time, a
// copy may be made at any time, and any buffer may end at any time.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TEST_UNIT_SCHEDULES_H
#define STOWAGE_TEST_UNIT_SCHEDULES_H

#include "stowage/budget.h"

enum { SCHEDULES_NODES = 12, SCHEDULES_MEMORIES = 12 };
#define SCHEDULES_TOO_MANY (UINT64_MAX - 1) // states

// Of those that cost no more than `most`; UINT64_MAX: none fits. Each node writes one memory at
// most.
uint64_t cheapest_schedule(const stow_budget_problem *problem, uint64_t capacity, uint64_t most);

#endif // STOWAGE_TEST_UNIT_SCHEDULES_H
