//===- sites.c - where the decided region's segments and refs are ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a decided region. Computes for each of its segments the block, the op behind which it
// begins, and the one that ends it. Where a select was split into a choice, it makes the scf.if,
// and sites, values and endings are those of its arms.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/bits.h"
#include "dealloc/place/make.h"

#include <stdlib.h>

// What an arm yields, before choices inside of it are made.
static MlirValue *values_of(const stow_sites *sites, int32_t ending) {
  const stow_domain *domain = sites->domain;
  const stow_ending *arm = &domain->endings.at[ending];
  MlirValue *values = stow_ir_allocate((size_t)arm->operand_count, sizeof *values);
  for (int32_t i = 0; i < arm->operand_count; ++i)
    values[i] = sites->values[domain->operands.at[arm->operand + i].ref];
  return values;
}

static MlirOperation make_if(const stow_sites *sites, const stow_choice *choice) {
  const stow_domain *domain = sites->domain;
  MlirOperation before = sites->endings[choice->ending];
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  MlirValue *chosen = values_of(sites, choice->arms[0]);
  MlirValue *other = values_of(sites, choice->arms[1]);
  MlirOperation made = stow_dealloc_make_choice(&builder, choice->condition, chosen, other,
                                                domain->endings.at[choice->arms[0]].operand_count);
  free(chosen);
  free(other);
  return made;
}

static void pass_on_results(stow_sites *sites, const stow_choice *choice, MlirOperation made) {
  const stow_domain *domain = sites->domain;
  const stow_ending *ending = &domain->endings.at[choice->ending];
  intptr_t result = 0;
  for (int32_t i = ending->operand; i < ending->operand + ending->operand_count; ++i) {
    int32_t ref = domain->operands.at[i].ref;
    if (domain->refs.at[ref].segment != choice->after)
      continue;
    sites->values[ref] = mlirOperationGetResult(made, result++);
    mlirOperationSetOperand(sites->endings[choice->ending], domain->operands.at[i].operand,
                            sites->values[ref]);
  }
}

static void enter_arm(stow_sites *sites, int32_t ending, MlirOperation made, intptr_t region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, region));
  sites->endings[ending] = mlirBlockGetTerminator(block);
  sites->blocks[sites->domain->endings.at[ending].first] = block;
}

static void make_choices(stow_sites *sites) {
  const stow_domain *domain = sites->domain;
  STOW_EACH(const stow_choice, choice, domain->choices) {
    MlirOperation made = make_if(sites, choice);
    sites->ends[choice->segment] = made;
    sites->after[choice->after] = made;
    sites->blocks[choice->after] = mlirOperationGetBlock(made);
    pass_on_results(sites, choice, made);
    enter_arm(sites, choice->arms[0], made, 0);
    enter_arm(sites, choice->arms[1], made, 1);
  }
  for (size_t e = 0; e < domain->endings.count; ++e)
    if (domain->endings.at[e].goes_to >= 0)
      sites->ends[domain->endings.at[e].segment] = sites->endings[e];
}

stow_sites stow_sites_make(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  stow_sites sites = {.domain = domain,
                      .blocks = stow_ir_allocate(domain->segments.count, sizeof *sites.blocks),
                      .after = stow_ir_allocate(domain->segments.count, sizeof *sites.after),
                      .ends = stow_ir_allocate(domain->segments.count, sizeof *sites.ends),
                      .values = stow_ir_allocate(domain->refs.count, sizeof *sites.values),
                      .endings = stow_ir_allocate(domain->endings.count, sizeof *sites.endings)};
  for (size_t s = 0; s < domain->segments.count; ++s) {
    const stow_segment *segment = &domain->segments.at[s];
    sites.blocks[s] = segment->block;
    sites.after[s] = segment->after;
    sites.ends[s] = segment->last;
  }
  for (size_t r = 0; r < domain->refs.count; ++r)
    sites.values[r] = domain->refs.at[r].value;
  for (size_t e = 0; e < domain->endings.count; ++e)
    sites.endings[e] = domain->endings.at[e].op;
  make_choices(&sites);
  return sites;
}

void stow_sites_free(stow_sites *sites) {
  free(sites->blocks);
  free(sites->after);
  free(sites->ends);
  free(sites->values);
  free(sites->endings);
  *sites = (stow_sites){0};
}

void stow_dealloc_erase_dead_selects(const stow_decision *decision) {
  for (size_t i = decision->splits.count; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(decision->splits.at[i].select)))
      mlirOperationDestroy(mlirOpResultGetOwner(decision->splits.at[i].select));
}
