//===- choices.c - selects split into branches ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The end of a segment may forward the result of an arith.select of two buffers that both
// die there. The select's condition says which of them lives on and which must be freed.
// So the domain can be read as if an scf.if stood before the ending, with one arm per
// buffer. Selects of one condition make one scf.if, so that two of them may swap two
// names.
//
// Endings of arms may need choices of their own: they go to the end of the list.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

int32_t stow_domain_add_ending(stow_domain *domain, MlirOperation op, int32_t segment) {
  return (int32_t)STOW_PUSH(domain->endings,
                            (stow_ending){.op = op,
                                          .segment = segment,
                                          .first = segment,
                                          .goes_to = -1,
                                          .operand = (int32_t)domain->operands.count});
}

void stow_domain_add_operand(stow_domain *domain, int32_t operand, int32_t ref, int32_t phi) {
  STOW_PUSH(domain->operands, (stow_ending_operand){operand, ref, phi});
  ++domain->endings.at[domain->endings.count - 1].operand_count;
}

static bool is_split(const stow_domain *domain, MlirOperation before, int32_t ref) {
  MlirValue value = domain->refs.at[ref].value;
  if (domain->refs.at[ref].origin != STOW_VIEW ||
      !stow_ir_is(mlirOpResultGetOwner(value), STOW_ARITH_SELECT))
    return false;
  for (size_t i = 0; i < domain->split_count; ++i)
    if (mlirValueEqual(domain->splits[i].select, value) &&
        mlirOperationEqual(domain->splits[i].before, before))
      return true;
  return false;
}

static MlirValue operand_of(const stow_domain *domain, int32_t ref, intptr_t operand) {
  return mlirOperationGetOperand(mlirOpResultGetOwner(domain->refs.at[ref].value), operand);
}

// The condition of the first select to be split; null: there is none.
static MlirValue next_condition(const stow_domain *domain, const stow_ending *ending,
                                MlirOperation before) {
  for (int32_t i = ending->operand; i < ending->operand + ending->operand_count; ++i)
    if (is_split(domain, before, domain->operands.at[i].ref))
      return operand_of(domain, domain->operands.at[i].ref, 0);
  return (MlirValue){NULL};
}

// One more segment that ends before the same op as the one given.
static int32_t add_segment_like(stow_domain *domain, int32_t segment) {
  stow_segment like = domain->segments.at[segment];
  like.after = (MlirOperation){NULL};
  return stow_domain_add_segment(domain, like);
}

// Phis behind the choice, in the order of the ending's operands; -1: none.
static void add_phis(stow_domain *domain, const stow_choice *choice, MlirOperation before,
                     int32_t *phis) {
  const stow_ending ending = domain->endings.at[choice->ending];
  for (int32_t i = 0; i < ending.operand_count; ++i) {
    int32_t ref = domain->operands.at[ending.operand + i].ref;
    phis[i] = -1;
    if (!is_split(domain, before, ref) ||
        !mlirValueEqual(operand_of(domain, ref, 0), choice->condition))
      continue;
    phis[i] = stow_domain_add_ref(domain, domain->refs.at[ref].value);
    domain->refs.at[phis[i]].origin = STOW_PHI;
    domain->refs.at[phis[i]].segment = choice->after;
    domain->refs.at[phis[i]].position = -1;
  }
}

static int32_t add_arm(stow_domain *domain, const stow_choice *choice, intptr_t chosen,
                       const int32_t *phis) {
  const stow_ending ending = domain->endings.at[choice->ending];
  int32_t segment = add_segment_like(domain, choice->segment);
  stow_domain_add_edge(domain, choice->segment, segment, (stow_exit){-1, -1});
  int32_t arm = stow_domain_add_ending(domain, (MlirOperation){NULL}, segment);
  domain->endings.at[arm].goes_to = choice->after;
  int32_t slot = 0;
  for (int32_t i = 0; i < ending.operand_count; ++i) {
    if (phis[i] < 0)
      continue;
    MlirValue value = operand_of(domain, domain->operands.at[ending.operand + i].ref, chosen);
    stow_domain_add_operand(domain, slot++, stow_domain_ref(domain, value), phis[i]);
  }
  return arm;
}

static void add_choice(stow_domain *domain, int32_t ending, MlirOperation before,
                       MlirValue condition) {
  const stow_ending around = domain->endings.at[ending];
  stow_choice choice = {.condition = condition, .ending = ending, .segment = around.segment};
  choice.after = add_segment_like(domain, around.segment);
  int32_t *phis = stow_ir_allocate((size_t)around.operand_count, sizeof *phis);
  add_phis(domain, &choice, before, phis);
  choice.arms[0] = add_arm(domain, &choice, 1, phis);
  choice.arms[1] = add_arm(domain, &choice, 2, phis);
  for (int32_t i = 0; i < around.operand_count; ++i)
    if (phis[i] >= 0)
      domain->operands.at[around.operand + i].ref = phis[i];
  domain->endings.at[ending].segment = choice.after;
  free(phis);
  STOW_PUSH(domain->choices, choice);
}

static void close_arm(stow_domain *domain, int32_t arm) {
  const stow_ending ending = domain->endings.at[arm];
  int32_t edge = stow_domain_add_edge(domain, ending.segment, ending.goes_to, (stow_exit){-1, -1});
  for (int32_t i = ending.operand; i < ending.operand + ending.operand_count; ++i) {
    STOW_PUSH(domain->incoming,
              (stow_incoming){(int32_t)domain->forwarded.count, domain->operands.at[i].phi, edge});
    stow_domain_add_forwarded(domain, ending.segment, domain->operands.at[i].operand,
                              domain->operands.at[i].ref);
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
      close_arm(domain, (int32_t)e);
  }
}
