//===- choices.c - selects made anew as branches --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The end of a stretch may pass on the result of an arith.select of two buffers that
// both die there. Only the select's condition knows which of them lives on and which
// must be freed. So the domain can be read as if an scf.if stood before the ending,
// with one arm per buffer; the rest follows from control flow. Selects with one
// condition make one scf.if, so that two of them may swap two names.
//
// Endings are worked off from a list, as those of arms may need choices of their own.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

int32_t stow_domain_add_ending(stow_domain *domain, MlirOperation op, int32_t stretch) {
  return (int32_t)STOW_PUSH(domain->endings, (stow_ending){.op = op,
                                                           .stretch = stretch,
                                                           .first = stretch,
                                                           .goes_to = -1,
                                                           .hand = (int32_t)domain->hands.count});
}

void stow_domain_add_hand(stow_domain *domain, int32_t operand, int32_t ref, int32_t target) {
  STOW_PUSH(domain->hands, (stow_hand){operand, ref, target});
  ++domain->endings.at[domain->endings.count - 1].hand_count;
}

static bool is_wished(const stow_domain *domain, MlirOperation before, int32_t ref) {
  MlirValue value = domain->refs.at[ref].value;
  if (domain->refs.at[ref].origin != STOW_VIEW ||
      !stow_is(mlirOpResultGetOwner(value), STOW_ARITH_SELECT))
    return false;
  for (size_t i = 0; i < domain->wish_count; ++i)
    if (mlirValueEqual(domain->wishes[i].select, value) &&
        mlirOperationEqual(domain->wishes[i].before, before))
      return true;
  return false;
}

static MlirValue operand_of(const stow_domain *domain, int32_t ref, intptr_t operand) {
  return mlirOperationGetOperand(mlirOpResultGetOwner(domain->refs.at[ref].value), operand);
}

// The condition of the first select to be made anew; null: there is none.
static MlirValue next_condition(const stow_domain *domain, const stow_ending *ending,
                                MlirOperation before) {
  for (int32_t i = ending->hand; i < ending->hand + ending->hand_count; ++i)
    if (is_wished(domain, before, domain->hands.at[i].ref))
      return operand_of(domain, domain->hands.at[i].ref, 0);
  return (MlirValue){NULL};
}

static void end_by_choice(stow_domain *domain, int32_t stretch, MlirOperation before) {
  int64_t position = stow_domain_take_position(domain, before);
  stow_stretch *s = &domain->stretches.at[stretch];
  s->end = before;
  s->stop = position;
  s->made = true;
  s->handover = (int32_t)domain->handovers.count;
}

// What is passed after the choice, in the order of the hands.
static void add_targets(stow_domain *domain, const stow_choice *choice, MlirOperation before,
                        int32_t *targets) {
  const stow_ending ending = domain->endings.at[choice->ending];
  for (int32_t i = 0; i < ending.hand_count; ++i) {
    int32_t ref = domain->hands.at[ending.hand + i].ref;
    targets[i] = -1;
    if (!is_wished(domain, before, ref) ||
        !mlirValueEqual(operand_of(domain, ref, 0), choice->condition))
      continue;
    targets[i] = stow_domain_add_ref(domain, domain->refs.at[ref].value);
    domain->refs.at[targets[i]].origin = STOW_TARGET;
    domain->refs.at[targets[i]].stretch = choice->after;
    domain->refs.at[targets[i]].position = -1;
  }
}

static int32_t add_arm(stow_domain *domain, const stow_choice *choice, intptr_t chosen,
                       const int32_t *targets) {
  const stow_ending ending = domain->endings.at[choice->ending];
  const stow_stretch *around = &domain->stretches.at[choice->stretch];
  int32_t stretch = stow_domain_add_stretch(domain, around->block, around->room);
  stow_domain_add_path(domain, choice->stretch, stretch, -1);
  int32_t arm = stow_domain_add_ending(domain, (MlirOperation){NULL}, stretch);
  domain->endings.at[arm].goes_to = choice->after;
  int32_t slot = 0;
  for (int32_t i = 0; i < ending.hand_count; ++i) {
    if (targets[i] < 0)
      continue;
    MlirValue value = operand_of(domain, domain->hands.at[ending.hand + i].ref, chosen);
    stow_domain_add_hand(domain, slot++, stow_domain_ref(domain, value), targets[i]);
  }
  return arm;
}

static void add_choice(stow_domain *domain, int32_t ending, MlirOperation before,
                       MlirValue condition) {
  const stow_ending around = domain->endings.at[ending];
  const stow_stretch stretch = domain->stretches.at[around.stretch];
  stow_choice choice = {.condition = condition, .ending = ending, .stretch = around.stretch};
  end_by_choice(domain, around.stretch, before);
  choice.after = stow_domain_add_stretch(domain, stretch.block, stretch.room);
  int32_t *targets = stow_allocate((size_t)around.hand_count, sizeof *targets);
  add_targets(domain, &choice, before, targets);
  choice.arms[0] = add_arm(domain, &choice, 1, targets);
  choice.arms[1] = add_arm(domain, &choice, 2, targets);
  for (int32_t i = 0; i < around.hand_count; ++i)
    if (targets[i] >= 0)
      domain->hands.at[around.hand + i].ref = targets[i];
  domain->endings.at[ending].stretch = choice.after;
  free(targets);
  STOW_PUSH(domain->choices, choice);
}

static void close_arm(stow_domain *domain, int32_t arm, MlirOperation before) {
  const stow_ending ending = domain->endings.at[arm];
  end_by_choice(domain, ending.stretch, before);
  int32_t path = stow_domain_add_path(domain, ending.stretch, ending.goes_to, -1);
  for (int32_t i = ending.hand; i < ending.hand + ending.hand_count; ++i) {
    stow_domain_add_pass(domain, (int32_t)domain->handovers.count, domain->hands.at[i].target,
                         path);
    stow_domain_add_handover(domain, ending.stretch, domain->hands.at[i].operand,
                             domain->hands.at[i].ref);
  }
}

void stow_domain_choose(stow_domain *domain, int32_t ending) {
  MlirOperation before = domain->endings.at[ending].op;
  if (mlirOperationGetNumSuccessors(before) > 1)
    return;
  for (size_t e = (size_t)ending; e < domain->endings.count; ++e) {
    MlirValue condition = next_condition(domain, &domain->endings.at[e], before);
    for (; condition.ptr; condition = next_condition(domain, &domain->endings.at[e], before))
      add_choice(domain, (int32_t)e, before, condition);
    if (domain->endings.at[e].goes_to >= 0)
      close_arm(domain, (int32_t)e, before);
  }
}
