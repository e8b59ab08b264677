//===- edges.c - where control goes from the end of a segment -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

static int64_t operand_at(const void *forwarded, size_t i) {
  return ((const stow_forwarded *)forwarded)[i].operand;
}

// Forwarded operands of a segment are in the order of their operands.
static int32_t find_forwarded(const stow_domain *domain, int32_t segment, intptr_t operand) {
  const stow_own_segment *s = &domain->segments.at[segment];
  size_t count = (size_t)s->forwarded_count;
  if (count == 0)
    return -1;
  const stow_forwarded *of_segment = domain->forwarded.at + s->forwarded;
  size_t i = stow_first_from(of_segment, count, operand, operand_at);
  return i < count && of_segment[i].operand == operand ? s->forwarded + (int32_t)i : -1;
}

// Code for the edge around an if without else can stand in an else.
static intptr_t empty_else(MlirOperation op) {
  bool is_if = stow_is(op, STOW_SCF_IF) || stow_is(op, STOW_AFFINE_IF);
  return is_if && mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1))) ? 1 : -1;
}

typedef struct laying {
  stow_domain *domain;
  MlirOperation op; // a branch, or an op with regions
} laying;

static void lay_edge(void *user, const stow_control_edge *e) {
  const laying *l = user;
  stow_domain *domain = l->domain;
  const void *end = mlirOperationIsNull(e->end) ? l->op.ptr : e->end.ptr;
  const void *start = mlirBlockIsNull(e->block) ? l->op.ptr : e->block.ptr;
  int32_t from = stow_map_get(&domain->segment_ended, end);
  int32_t edge =
      stow_domain_add_edge(domain, from, stow_map_get(&domain->segment_at, start), e->successor);
  if (mlirOperationIsNull(e->end) && e->to == STOW_PARENT)
    domain->edges.at[edge].empty_region = empty_else(l->op);
  for (size_t i = 0; i < e->count; ++i) {
    if (!stow_is_buffer(mlirValueGetType(e->passes[i].target)))
      continue;
    int32_t phi = stow_domain_ref(domain, e->passes[i].target);
    int32_t forwarded = find_forwarded(domain, from, e->passes[i].operand);
    if (forwarded >= 0)
      STOW_PUSH(domain->incoming, (stow_incoming){forwarded, phi, edge});
  }
}

static void lay_unknown_branch(stow_domain *domain, int32_t segment, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(op); i < n; ++i)
    stow_domain_add_edge(domain, segment,
                         stow_map_get(&domain->segment_at, mlirOperationGetSuccessor(op, i).ptr),
                         -1);
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
    laying l = {domain, op};
    if (facts & STOW_OP_BRANCH)
      stow_branch_edges(op, lay_edge, &l);
    else
      lay_unknown_branch(domain, (int32_t)s, op);
    if (stow_leaves_function(domain, op, facts))
      lay_return(domain, (int32_t)s);
    if (stow_tells_control_flow(op, facts))
      stow_region_edges(op, lay_edge, &l);
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
  stow_leave_out_unreachable(domain);
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
