//===- clones.c - clones whose effect cannot be observed ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone can be spared in two cases, each within a segment of ops that run one after
// another, from the clone to a dealloc:
//
//   the source is freed there: the clone may be the source and live on in its place
//   the clone is freed there:  its readers may read the source
//
// In both, neither may be written in between: buffers are mutable. A write through a name
// that may be one of the two counts; if the address of one has escaped, so does a write of
// memory from outside.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/ownership.h"
#include "stowage/passes.h"

#include <stdlib.h>

typedef struct candidate {
  MlirOperation clone, dealloc;
} candidate;

typedef struct candidates {
  STOW_ARRAY(candidate) items;
  stow_map ops;      // their clones and deallocs
  stow_map made;     // what their clones make
  stow_map sources;  // what they clone,
  stow_map replaced; // and which of that dies, so that its clone takes its place
} candidates;

// A decision with its tables by key.
typedef struct search {
  const stow_decision *decision;
  int32_t *freed;       // per free of the program: the owner that it ends, or -1
  stow_index frees;     // by owner
  stow_index mentioned; // uses by segment
} search;

static bool may_share(const stow_owners *owners, int32_t a, int32_t b) {
  return stow_ref_sets_meet(&owners->of[a].set, &owners->of[b].set) ||
         (owners->of[a].mixed && owners->of[b].mixed);
}

static bool writes_either(const stow_decision *decision, const stow_own_mention *use,
                          const stow_own_mention *clone, int32_t made) {
  const stow_owners *owners = &decision->owners;
  if (!use->writes)
    return false;
  if (use->ref < 0)
    return owners->of[clone->ref].mixed || owners->of[made].mixed;
  return may_share(owners, use->ref, clone->ref) || may_share(owners, use->ref, made);
}

// The first use in a segment that comes after a position, as an item of the index.
static int32_t first_after(const search *s, int32_t segment, int64_t position) {
  int32_t low = s->mentioned.first[segment], high = s->mentioned.first[segment + 1];
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (s->decision->domain.uses.at[s->mentioned.items[middle]].position <= position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Whether the source or the clone is written between two positions of a segment.
static bool is_written(const search *s, const stow_own_mention *clone, int32_t made,
                       int64_t until) {
  int32_t end = s->mentioned.first[clone->segment + 1];
  for (int32_t i = first_after(s, clone->segment, clone->position); i < end; ++i) {
    const stow_own_mention *use = &s->decision->domain.uses.at[s->mentioned.items[i]];
    if (use->position >= until)
      return false;
    if (writes_either(s->decision, use, clone, made))
      return true;
  }
  return false;
}

static bool same_types(MlirOperation clone) {
  return mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(clone, 0)),
                       mlirValueGetType(mlirOperationGetResult(clone, 0)));
}

// The first dealloc of an owner behind the clone, with nothing written in between; or null.
static const stow_own_mention *find_dealloc(const search *s, const stow_own_mention *clone,
                                            int32_t owner, int32_t made) {
  STOW_EACH_OF(i, s->frees, owner) {
    const stow_own_mention *mention = &s->decision->domain.frees.at[i];
    if (mention->segment == clone->segment && mention->position > clone->position &&
        !is_written(s, clone, made, mention->position))
      return mention;
  }
  return NULL;
}

static bool has(const stow_map *map, const void *key) { return stow_map_get(map, key) >= 0; }

// A candidate that touches another one waits for the next round. Several clones of one source do
// not, if all of them die and none takes the source's place.
static bool touches_another(const candidates *found, const candidate *c, bool replaces) {
  const void *source = mlirOperationGetOperand(c->clone, 0).ptr;
  return has(&found->ops, c->dealloc.ptr) || has(&found->made, source) ||
         has(&found->replaced, source) || (replaces && has(&found->sources, source)) ||
         has(&found->sources, mlirOperationGetResult(c->clone, 0).ptr);
}

static void add(candidates *found, const candidate *c, bool replaces) {
  if (touches_another(found, c, replaces))
    return;
  const void *source = mlirOperationGetOperand(c->clone, 0).ptr;
  STOW_PUSH(found->items, *c);
  stow_map_note(&found->ops, c->clone.ptr);
  stow_map_note(&found->ops, c->dealloc.ptr);
  stow_map_note(&found->made, mlirOperationGetResult(c->clone, 0).ptr);
  stow_map_note(&found->sources, source);
  if (replaces)
    stow_map_note(&found->replaced, source);
}

static void try_clone(const search *s, const stow_own_mention *clone, candidates *found) {
  const stow_domain *domain = &s->decision->domain;
  const stow_owners *owners = &s->decision->owners;
  int32_t made = stow_map_get(&domain->ref_index, mlirOperationGetResult(clone->op, 0).ptr);
  const stow_own_mention *dealloc = find_dealloc(s, clone, made, made), *other = NULL;
  if (stow_dealloc_only_owner(owners, clone->ref) == clone->ref)
    other = find_dealloc(s, clone, clone->ref, made);
  bool replaces = other && (!dealloc || other->position < dealloc->position);
  if (replaces)
    dealloc = other;
  if (dealloc)
    add(found, &(candidate){clone->op, dealloc->op}, replaces);
}

static search search_in(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  search s = {.decision = decision,
              .freed = stow_ir_allocate(domain->frees.count, sizeof *s.freed),
              .mentioned = stow_index_of(STOW_COLUMN(domain->uses.at, domain->uses.count, segment),
                                         domain->segments.count)};
  for (size_t f = 0; f < domain->frees.count; ++f)
    s.freed[f] = stow_dealloc_freed_owner(decision, &domain->frees.at[f]);
  s.frees = stow_index_of(STOW_NUMBERS(s.freed, domain->frees.count), domain->refs.count);
  return s;
}

static void collect(const stow_decision *decision, candidates *found) {
  const stow_domain *domain = &decision->domain;
  search s = search_in(decision);
  STOW_EACH(const stow_own_mention, use, domain->uses)
    if (stow_ir_is(use->op, STOW_BUFFERIZATION_CLONE) && !stow_ir_is_manual(use->op) &&
        use->ref >= 0 && same_types(use->op) && decision->owners.of[use->ref].escape < 0)
      try_clone(&s, use, found);
  stow_index_free(&s.frees);
  stow_index_free(&s.mentioned);
  free(s.freed);
}

static void free_candidates(candidates *found) {
  stow_map_free(&found->ops);
  stow_map_free(&found->made);
  stow_map_free(&found->sources);
  stow_map_free(&found->replaced);
  free(found->items.at);
}

static void replace(const candidate *c) {
  mlirOperationDestroy(c->dealloc);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(c->clone, 0),
                                mlirOperationGetOperand(c->clone, 0));
  mlirOperationDestroy(c->clone);
}

// One round; false where nothing was found.
static bool simplify(MlirOperation module) {
  const stow_ownership_settings settings = {0};
  stow_ownership ownership = stow_ownership_of(module, &settings);
  candidates found = {0};
  for (size_t i = 0; i < ownership.decisions.count; ++i)
    collect(ownership.decisions.at[i], &found);
  stow_ownership_free(&ownership);
  for (size_t i = 0; i < found.items.count; ++i)
    replace(&found.items.at[i]);
  bool any = found.items.count > 0;
  free_candidates(&found);
  return any;
}

void stow_simplify_clones(MlirOperation module) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  while (simplify(module))
    ;
}
