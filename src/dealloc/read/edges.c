//===- edges.c - where control goes from the end of a segment -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

// Forwarded operands of a segment are in the order of their operands.
static int32_t find_forwarded(const stow_domain *domain, int32_t segment, intptr_t operand) {
  const stow_own_segment *s = &domain->segments.at[segment];
  int32_t low = s->forwarded, high = low + s->forwarded_count;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (domain->forwarded.at[middle].operand < operand)
      low = middle + 1;
    else
      high = middle;
  }
  bool found =
      low < s->forwarded + s->forwarded_count && domain->forwarded.at[low].operand == operand;
  return found ? low : -1;
}

static void lay_branch(stow_domain *domain, int32_t segment, intptr_t successor) {
  MlirOperation op = domain->segments.at[segment].end;
  MlirBlock block = mlirOperationGetSuccessor(op, successor);
  int32_t to = stow_map_get(&domain->segment_at, block.ptr);
  int32_t edge = stow_domain_add_edge(domain, segment, to, successor);
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!stow_is_buffer(mlirValueGetType(argument)))
      continue;
    int32_t phi = stow_domain_ref(domain, argument);
    intptr_t operand = stow_branch_operand_index(op, successor, i);
    int32_t forwarded = operand < 0 ? -1 : find_forwarded(domain, segment, operand);
    if (forwarded >= 0)
      STOW_PUSH(domain->incoming, (stow_incoming){forwarded, phi, edge});
  }
}

typedef struct laying {
  stow_domain *domain;
  int32_t around; // the segment that the op ends
  int32_t edge;
} laying;

static void lay_region_edge(void *user, intptr_t from, intptr_t to, MlirOperation terminator,
                            intptr_t operand, MlirValue phi) {
  (void)from;
  laying *l = user;
  stow_domain *domain = l->domain;
  MlirOperation op = domain->segments.at[l->around].end;
  int32_t source = mlirOperationIsNull(terminator)
                       ? l->around
                       : stow_map_get(&domain->segment_ended, terminator.ptr);
  if (operand < 0) {
    const void *key = op.ptr;
    if (to != STOW_PARENT)
      key = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, to)).ptr;
    l->edge = stow_domain_add_edge(domain, source, stow_map_get(&domain->segment_at, key), -1);
    return;
  }
  if (!stow_is_buffer(mlirValueGetType(phi)))
    return;
  int32_t forwarded = find_forwarded(domain, source, operand);
  int32_t ref = stow_domain_ref(domain, phi);
  if (forwarded >= 0)
    STOW_PUSH(domain->incoming, (stow_incoming){forwarded, ref, l->edge});
}

// Code for the edge around an if without else can stand in an else.
static void note_empty_region(stow_domain *domain, int32_t segment, size_t first_edge) {
  MlirOperation op = domain->segments.at[segment].end;
  if (!stow_is(op, STOW_SCF_IF) && !stow_is(op, STOW_AFFINE_IF))
    return;
  if (!mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1))))
    return;
  for (size_t p = first_edge; p < domain->edges.count; ++p)
    if (domain->edges.at[p].from == segment &&
        mlirOperationEqual(domain->segments.at[domain->edges.at[p].to].after, op))
      domain->edges.at[p].empty_region = 1;
}

static void lay_return(stow_domain *domain, int32_t segment) {
  const stow_own_segment *s = &domain->segments.at[segment];
  for (int32_t f = s->forwarded; f < s->forwarded + s->forwarded_count; ++f)
    STOW_PUSH(domain->incoming,
              (stow_incoming){f, domain->result + domain->forwarded.at[f].operand, -1});
}

static void lay_edges(stow_domain *domain) {
  for (size_t s = 0; s < domain->segments.count; ++s) {
    MlirOperation op = domain->segments.at[s].end;
    if (mlirOperationIsNull(op) || domain->segments.at[s].made)
      continue;
    uint32_t facts = stow_op_facts(op);
    size_t first = domain->edges.count;
    for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i)
      if (facts & STOW_OP_BRANCH)
        lay_branch(domain, (int32_t)s, i);
      else
        stow_domain_add_edge(
            domain, (int32_t)s,
            stow_map_get(&domain->segment_at, mlirOperationGetSuccessor(op, i).ptr), -1);
    if (stow_leaves_function(domain, op, facts))
      lay_return(domain, (int32_t)s);
    if (stow_tells_control_flow(op, facts)) {
      laying l = {domain, (int32_t)s, -1};
      stow_region_passes(op, lay_region_edge, &l);
      note_empty_region(domain, (int32_t)s, first);
    }
  }
}

static int by_forwarded(const void *a, const void *b) {
  const stow_incoming *x = a, *y = b;
  if (x->forwarded != y->forwarded)
    return x->forwarded < y->forwarded ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static void sort_incoming(stow_domain *domain) {
  STOW_SORT(domain->incoming, by_forwarded);
  for (size_t i = domain->incoming.count; i-- > 0;) {
    stow_forwarded *f = &domain->forwarded.at[domain->incoming.at[i].forwarded];
    f->incoming = (int32_t)i;
    ++f->incoming_count;
  }
}

void stow_lay_edges(stow_domain *domain) {
  lay_edges(domain);
  sort_incoming(domain);
}

// If an edge into a phi's segment has no incoming value for it, its value there is unknown.
void stow_mark_unfilled(stow_domain *domain) {
  const stow_index *entering = &domain->entering;
  for (size_t r = 0; r < domain->refs.count; ++r) {
    stow_ref *ref = &domain->refs.at[r];
    ref->foreign |= ref->origin == STOW_OUTSIDE;
    if (ref->origin != STOW_PHI || ref->segment < 0)
      continue;
    int32_t filled = domain->incoming_of.first[r + 1] - domain->incoming_of.first[r];
    int32_t edges = entering->first[ref->segment + 1] - entering->first[ref->segment];
    if (filled < edges)
      stow_domain_add_escape(domain, (int32_t)r, ref->segment,
                             domain->segments.at[ref->segment].end,
                             "it becomes what may come from elsewhere, too");
  }
}
