//===- domain.c - what ownership is decided over --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/domain.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

int32_t stow_domain_add_ref(stow_domain *domain, MlirValue value) {
  int32_t id = (int32_t)domain->refs.count;
  STOW_PUSH(domain->refs, (stow_ref){.value = value, .segment = -1});
  return id;
}

int32_t stow_domain_ref(stow_domain *domain, MlirValue value) {
  int32_t id = stow_map_get(&domain->ref_index, value.ptr);
  if (id >= 0)
    return id;
  id = stow_domain_add_ref(domain, value);
  stow_map_add(&domain->ref_index, value.ptr, id);
  return id;
}

void stow_domain_add_forwarded(stow_domain *domain, int32_t segment, intptr_t operand,
                               int32_t ref) {
  if (!stow_dealloc_is_reachable(domain, segment))
    return;
  stow_passed *passed = &domain->passed.at[segment];
  if (passed->first == passed->end)
    passed->first = (int32_t)domain->forwarded.count;
  STOW_PUSH(domain->forwarded,
            (stow_forwarded){.segment = segment, .operand = (int32_t)operand, .ref = ref});
  passed->end = (int32_t)domain->forwarded.count;
}

void stow_domain_add_use(stow_domain *domain, int32_t ref, stow_own_place place, MlirOperation op,
                         bool writes) {
  if (stow_dealloc_is_reachable(domain, place.segment))
    STOW_PUSH(domain->uses, (stow_own_mention){ref, place.segment, place.position, op, writes});
}

void stow_domain_add_free(stow_domain *domain, int32_t ref, stow_own_place place,
                          MlirOperation op) {
  if (stow_dealloc_is_reachable(domain, place.segment))
    STOW_PUSH(domain->frees, (stow_own_mention){ref, place.segment, place.position, op, true});
}

void stow_domain_add_view(stow_domain *domain, int32_t ref, int32_t view, stow_own_place place) {
  if (stow_dealloc_is_reachable(domain, place.segment))
    STOW_PUSH(domain->views, (stow_jump){ref, view});
}

void stow_domain_add_escape(stow_domain *domain, int32_t ref, int32_t segment, MlirOperation op,
                            const char *reason) {
  stow_domain_add_managed(domain, ref, segment, op, STOW_ESCAPED, reason);
}

void stow_domain_add_managed(stow_domain *domain, int32_t ref, int32_t segment, MlirOperation op,
                             stow_escape_kind kind, const char *reason) {
  if (stow_dealloc_is_reachable(domain, segment))
    STOW_PUSH(domain->escapes, (stow_own_escape){ref, kind, op, reason});
}

// Once for several results of one op.
void stow_domain_doubt(stow_domain *domain, MlirOperation op, const char *reason) {
  if (domain->doubts.count > 0 &&
      mlirOperationEqual(domain->doubts.at[domain->doubts.count - 1].op, op))
    return;
  STOW_PUSH(domain->doubts, (stow_doubt){op, reason});
}

int32_t stow_domain_add_segment(stow_domain *domain, stow_segment segment) {
  STOW_PUSH(domain->passed, (stow_passed){.segment = (int32_t)domain->segments.count});
  return (int32_t)STOW_PUSH(domain->segments, segment);
}

int32_t stow_domain_add_edge(stow_domain *domain, int32_t from, int32_t to, stow_exit how) {
  STOW_PUSH(domain->exits, how);
  return (int32_t)STOW_PUSH(domain->edges, (stow_jump){from, to});
}

void stow_domain_free(stow_domain *domain) {
  stow_by_name_free(&domain->names);
  stow_completions_free(&domain->completions);
  stow_map_free(&domain->ref_index);
  free(domain->segments.at);
  free(domain->passed.at);
  free(domain->edges.at);
  free(domain->exits.at);
  free(domain->dominance);
  free(domain->refs.at);
  free(domain->views.at);
  free(domain->forwarded.at);
  free(domain->incoming.at);
  free(domain->uses.at);
  free(domain->frees.at);
  free(domain->ignored_frees.at);
  free(domain->escapes.at);
  free(domain->doubts.at);
  free(domain->inner.at);
  free(domain->endings.at);
  free(domain->operands.at);
  free(domain->choices.at);
  free(domain->takeovers.at);
  stow_index_free(&domain->leaving);
  stow_index_free(&domain->entering);
  stow_index_free(&domain->views_of);
  stow_index_free(&domain->views_to);
  stow_index_free(&domain->taken_of);
  stow_index_free(&domain->taken_to);
  stow_index_free(&domain->forwarded_of);
  stow_index_free(&domain->incoming_of);
  stow_index_free(&domain->uses_of);
  stow_index_free(&domain->frees_of);
  *domain = (stow_domain){0};
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool stow_dealloc_region_is_inside(const stow_domain *domain, int32_t region, int32_t around) {
  const stow_control_region *regions = domain->control->regions.at;
  while (regions[region].depth > regions[around].depth)
    region = regions[region].parent;
  return region == around;
}

bool stow_dealloc_segment_dominates(const stow_domain *domain, int32_t segment, int32_t other) {
  const stow_dominance *a = &domain->dominance[segment], *b = &domain->dominance[other];
  return a->enter <= b->enter && b->leave <= a->leave;
}

bool stow_dealloc_reaches_start(const stow_domain *domain, int32_t ref, int32_t segment) {
  const stow_ref *r = &domain->refs.at[ref];
  if (r->segment < 0 || segment < 0 || r->segment == segment)
    return false;
  return stow_dealloc_segment_dominates(domain, r->segment, segment) &&
         stow_dealloc_region_is_inside(domain, domain->segments.at[segment].region,
                                       domain->segments.at[r->segment].region);
}

bool stow_dealloc_is_reachable(const stow_domain *domain, int32_t segment) {
  return segment < 0 || domain->segments.at[segment].reachable;
}

int32_t stow_dealloc_segment_ended_by(const stow_domain *domain, MlirOperation op) {
  int32_t segment = stow_map_get(&domain->control->flow.ends, op.ptr);
  return segment < 0 ? -1 : domain->passed.at[segment].segment;
}

bool stow_dealloc_share_edge(const stow_domain *domain, const stow_forwarded *a,
                             const stow_forwarded *b) {
  for (int32_t p = a->incoming; p < a->incoming + a->incoming_count; ++p)
    for (int32_t q = b->incoming; q < b->incoming + b->incoming_count; ++q)
      if (domain->incoming.at[p].edge == domain->incoming.at[q].edge)
        return true;
  return false;
}

bool *stow_dealloc_segments_after(const stow_domain *domain, int32_t segment, int32_t without) {
  bool *after = stow_ir_allocate(domain->segments.count, sizeof *after);
  int32_t *stack = stow_ir_allocate(domain->segments.count + 1, sizeof *stack);
  size_t count = 0;
  stack[count++] = segment;
  while (count > 0) {
    int32_t s = stack[--count];
    STOW_EACH_OF(p, domain->leaving, s) {
      int32_t to = domain->edges.at[p].to;
      if (!after[to] && to != without)
        stack[count++] = to;
      after[to] = true;
    }
  }
  free(stack);
  return after;
}

//===----------------------------------------------------------------------===//
// Walks over refs
//===----------------------------------------------------------------------===//

void stow_dealloc_walk_backward(const stow_domain *d, stow_walk *walk, int32_t ref,
                                stow_follows_fn follows, const void *user) {
  stow_walk_add_all(walk, &d->views_to, ref);
  STOW_EACH_OF(i, d->incoming_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[d->incoming.at[i].forwarded];
    if (!follows || follows(user, f))
      stow_walk_add(walk, f->ref);
  }
}

void stow_dealloc_add_phis(const stow_domain *d, stow_walk *walk, const stow_forwarded *f) {
  for (int32_t p = f->incoming; p < f->incoming + f->incoming_count; ++p)
    stow_walk_add(walk, d->incoming.at[p].phi);
}

void stow_dealloc_walk_forward(const stow_domain *d, stow_walk *walk, int32_t ref,
                               stow_follows_fn follows, const void *user) {
  stow_walk_add_all(walk, &d->views_of, ref);
  STOW_EACH_OF(i, d->forwarded_of, ref)
    if (!follows || follows(user, &d->forwarded.at[i]))
      stow_dealloc_add_phis(d, walk, &d->forwarded.at[i]);
}

//===----------------------------------------------------------------------===//
// Frees by bits
//===----------------------------------------------------------------------===//

bool stow_dealloc_can_be_by_bit(MlirOperation op) {
  return stow_ir_is(op, STOW_MEMREF_DEALLOC) || stow_ir_is(op, STOW_SCF_IF) ||
         stow_ir_is(op, STOW_MEMREF_POINTER);
}

bool stow_dealloc_is_by_bit(MlirOperation op) {
  if (!stow_dealloc_can_be_by_bit(op))
    return false;
  MlirStringRef name = stow_ir_string(STOW_BY_BIT);
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(op, name));
}
