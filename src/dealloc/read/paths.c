//===- paths.c - where control goes from the end of a stretch ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

// Handovers of a stretch are in the order of their operands.
static int32_t find_handover(const stow_domain *domain, int32_t stretch, intptr_t operand) {
  const stow_stretch *s = &domain->stretches.at[stretch];
  int32_t low = s->handover, high = low + s->handover_count;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (domain->handovers.at[middle].operand < operand)
      low = middle + 1;
    else
      high = middle;
  }
  bool found =
      low < s->handover + s->handover_count && domain->handovers.at[low].operand == operand;
  return found ? low : -1;
}

static void lay_branch(stow_domain *domain, int32_t stretch, intptr_t successor) {
  MlirOperation op = domain->stretches.at[stretch].end;
  MlirBlock block = mlirOperationGetSuccessor(op, successor);
  int32_t to = stow_map_get(&domain->stretch_at, block.ptr);
  int32_t path = stow_domain_add_path(domain, stretch, to, successor);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!stow_is_buffer(mlirValueGetType(argument)))
      continue;
    int32_t target = stow_domain_ref(domain, argument);
    intptr_t operand = stow_branch_operand_index(op, successor, i);
    int32_t handover = operand < 0 ? -1 : find_handover(domain, stretch, operand);
    if (handover >= 0)
      stow_domain_add_pass(domain, handover, target, path);
  }
}

typedef struct laying {
  stow_domain *domain;
  int32_t around; // the stretch that the op ends
  int32_t path;
} laying;

static void lay_region_path(void *user, intptr_t from, intptr_t to, MlirOperation terminator,
                            intptr_t operand, MlirValue target) {
  (void)from;
  laying *l = user;
  stow_domain *domain = l->domain;
  MlirOperation op = domain->stretches.at[l->around].end;
  int32_t source = mlirOperationIsNull(terminator)
                       ? l->around
                       : stow_map_get(&domain->stretch_ended, terminator.ptr);
  if (operand < 0) {
    const void *key = op.ptr;
    if (to != STOW_PARENT)
      key = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, to)).ptr;
    l->path = stow_domain_add_path(domain, source, stow_map_get(&domain->stretch_at, key), -1);
    return;
  }
  if (!stow_is_buffer(mlirValueGetType(target)))
    return;
  int32_t handover = find_handover(domain, source, operand);
  int32_t ref = stow_domain_ref(domain, target);
  if (handover >= 0)
    stow_domain_add_pass(domain, handover, ref, l->path);
}

// Code for the path around an if that has no else can stand in an else.
static void note_empty_region(stow_domain *domain, int32_t stretch, size_t first_path) {
  MlirOperation op = domain->stretches.at[stretch].end;
  if (!stow_is(op, STOW_SCF_IF) && !stow_is(op, STOW_AFFINE_IF))
    return;
  if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1))))
    return;
  for (size_t p = first_path; p < domain->paths.count; ++p)
    if (domain->paths.at[p].from == stretch &&
        mlirOperationEqual(domain->stretches.at[domain->paths.at[p].to].after, op))
      domain->paths.at[p].empty_region = 1;
}

static void lay_return(stow_domain *domain, int32_t stretch) {
  const stow_stretch *s = &domain->stretches.at[stretch];
  for (int32_t h = s->handover; h < s->handover + s->handover_count; ++h)
    stow_domain_add_pass(domain, h, domain->result + domain->handovers.at[h].operand, -1);
}

static void lay_paths(stow_domain *domain) {
  for (size_t s = 0; s < domain->stretches.count; ++s) {
    MlirOperation op = domain->stretches.at[s].end;
    if (mlirOperationIsNull(op) || domain->stretches.at[s].made)
      continue;
    uint32_t facts = stow_op_facts(op);
    size_t first = domain->paths.count;
    for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i)
      if (facts & STOW_OP_BRANCH)
        lay_branch(domain, (int32_t)s, i);
      else
        stow_domain_add_path(
            domain, (int32_t)s,
            stow_map_get(&domain->stretch_at, mlirOperationGetSuccessor(op, i).ptr), -1);
    if (stow_leaves_function(domain, op, facts))
      lay_return(domain, (int32_t)s);
    if (stow_tells_control_flow(op, facts)) {
      laying l = {domain, (int32_t)s, -1};
      stow_region_passes(op, lay_region_path, &l);
      note_empty_region(domain, (int32_t)s, first);
    }
  }
}

static int by_handover(const void *a, const void *b) {
  const stow_pass *x = a, *y = b;
  if (x->handover != y->handover)
    return x->handover < y->handover ? -1 : 1;
  return x->path < y->path ? -1 : x->path > y->path;
}

static void sort_passes(stow_domain *domain) {
  STOW_SORT(domain->passes, by_handover);
  for (size_t i = domain->passes.count; i-- > 0;) {
    stow_handover *h = &domain->handovers.at[domain->passes.at[i].handover];
    h->pass = (int32_t)i;
    ++h->pass_count;
  }
}

void stow_lay_paths(stow_domain *domain) {
  lay_paths(domain);
  sort_passes(domain);
}

// If some path into a target's stretch passes it nothing, its value there is unknown.
void stow_mark_unfilled(stow_domain *domain) {
  const stow_index *entering = &domain->entering;
  for (size_t r = 0; r < domain->refs.count; ++r) {
    stow_ref *ref = &domain->refs.at[r];
    ref->foreign |= ref->origin == STOW_OUTSIDE;
    if (ref->origin != STOW_TARGET || ref->stretch < 0)
      continue;
    int32_t filled = domain->handed_to.first[r + 1] - domain->handed_to.first[r];
    int32_t paths = entering->first[ref->stretch + 1] - entering->first[ref->stretch];
    if (filled < paths)
      stow_domain_add_flight(domain, (int32_t)r, ref->stretch,
                             domain->stretches.at[ref->stretch].end,
                             "it becomes what may come from elsewhere, too");
  }
}
