//===- make_choices.c - the ops of choices --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "dealloc/make.h"

#include <stdlib.h>

// What an arm passes on, before choices inside of it are made.
static MlirValue *values_of(const stow_domain *domain, int32_t ending) {
  const stow_ending *arm = &domain->endings[ending];
  MlirValue *values = stow_allocate((size_t)arm->hand_count, sizeof *values);
  for (int32_t i = 0; i < arm->hand_count; ++i)
    values[i] = domain->refs[domain->hands[arm->hand + i].ref].value;
  return values;
}

static MlirOperation make_if(const stow_domain *domain, const stow_choice *choice) {
  MlirOperation before = domain->endings[choice->ending].op;
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  MlirValue *chosen = values_of(domain, choice->arms[0]);
  MlirValue *other = values_of(domain, choice->arms[1]);
  MlirOperation made = stow_make_choice(&builder, choice->condition, chosen, other,
                                        domain->endings[choice->arms[0]].hand_count);
  free(chosen), free(other);
  return made;
}

static void hand_on_results(stow_domain *domain, const stow_choice *choice, MlirOperation made) {
  const stow_ending *ending = &domain->endings[choice->ending];
  intptr_t result = 0;
  for (int32_t i = ending->hand; i < ending->hand + ending->hand_count; ++i) {
    stow_ref *ref = &domain->refs[domain->hands[i].ref];
    if (ref->stretch != choice->after)
      continue;
    ref->value = mlirOperationGetResult(made, result++);
    mlirOperationSetOperand(ending->op, domain->hands[i].operand, ref->value);
  }
}

static void enter_arm(stow_domain *domain, int32_t ending, MlirOperation made, intptr_t region) {
  stow_ending *arm = &domain->endings[ending];
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, region));
  arm->op = mlirBlockGetTerminator(block);
  domain->stretches[arm->first].block = block;
}

void stow_make_choices(stow_domain *domain) {
  for (size_t i = 0; i < domain->choice_count; ++i) {
    const stow_choice *choice = &domain->choices[i];
    MlirOperation made = make_if(domain, choice);
    domain->stretches[choice->stretch].end = made;
    domain->stretches[choice->after].after = made;
    domain->stretches[choice->after].block = mlirOperationGetBlock(made);
    hand_on_results(domain, choice, made);
    enter_arm(domain, choice->arms[0], made, 0);
    enter_arm(domain, choice->arms[1], made, 1);
  }
  for (size_t e = 0; e < domain->ending_count; ++e)
    if (domain->endings[e].goes_to >= 0)
      domain->stretches[domain->endings[e].stretch].end = domain->endings[e].op;
}

void stow_erase_dead_selects(const stow_decision *decision) {
  for (size_t i = decision->wish_count; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(decision->wishes[i].select)))
      mlirOperationDestroy(mlirOpResultGetOwner(decision->wishes[i].select));
}
