//===- divide.h - costs in the largest unit that divides them all ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each cost that choices may have is a multiple of the greatest common divisor of all. So is what
// choices cost together: a bound rounds up to the next multiple. With costs in that unit, whatever
// assumes that costs are whole numbers assumes as much as is known.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_DIVIDE_H
#define STOWAGE_BUDGET_DIVIDE_H

#include "stowage/budget.h"

typedef struct stow_budget_divided {
  stow_budget_problem problem; // the given one; costs that are paid are whole multiples of `unit`
  uint64_t unit;
  stow_budget_node *nodes; // NULL: the problem is as given
  stow_budget_memory *memories;
  stow_budget_access *accesses;
} stow_budget_divided;

// False where memory ran out. Freed with stow_budget_divided_free, also after false; lives no
// longer than the given problem.
bool stow_budget_divide(const stow_budget_problem *problem, stow_budget_divided *out);
void stow_budget_divided_free(stow_budget_divided *divided);

#endif // STOWAGE_BUDGET_DIVIDE_H
