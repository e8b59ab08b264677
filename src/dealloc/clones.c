//===- clones.c - simplify-clones ------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone can be spared in two cases, each within a stretch of ops that run one after
// another, from the clone to a dealloc:
//
//   the source is freed there: the clone may be the source and live on in its place
//   the clone is freed there:  its readers may read the source
//
// In both, nobody may write the one or the other in between: buffers are mutable. What
// is written through names that may stand for one of the two, or for memory from outside
// where one of the two may be such, counts.
//
//===----------------------------------------------------------------------===//

#include "dealloc/ownership.h"
#include "stowage/passes.h"

#include <stdlib.h>

typedef struct candidate {
  MlirOperation clone, dealloc;
} candidate;

typedef struct candidates {
  candidate *items;
  size_t count, capacity;
} candidates;

static bool may_stand_for(const stow_owners *owners, int32_t ref, int32_t owner) {
  const stow_ref_set *set = &owners->sets[ref];
  for (size_t i = 0; i < set->count; ++i)
    if (set->items[i] == owner)
      return true;
  return false;
}

static bool may_share(const stow_owners *owners, int32_t a, int32_t b) {
  const stow_ref_set *set = &owners->sets[a];
  for (size_t i = 0; i < set->count; ++i)
    if (may_stand_for(owners, b, set->items[i]))
      return true;
  return owners->mixed[a] && owners->mixed[b];
}

// Whether the source or the clone is written between two positions of a stretch.
static bool is_written(const stow_decision *decision, const stow_mention *clone, int32_t made,
                       int64_t until) {
  const stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->use_count; ++i) {
    const stow_mention *use = &domain->uses[i];
    if (use->stretch != clone->stretch || !use->writes || use->position <= clone->position ||
        use->position >= until)
      continue;
    if (use->ref < 0 ? decision->owners.mixed[clone->ref]
                     : may_share(&decision->owners, use->ref, clone->ref) ||
                           may_stand_for(&decision->owners, use->ref, made))
      return true;
  }
  return false;
}

static bool same_types(MlirOperation clone) {
  return mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(clone, 0)),
                       mlirValueGetType(mlirOperationGetResult(clone, 0)));
}

// The dealloc that makes the clone needless, or null.
static MlirOperation find_dealloc(const stow_decision *decision, const stow_mention *clone) {
  const stow_domain *domain = &decision->domain;
  int32_t made = stow_map_get(&domain->ref_index, mlirOperationGetResult(clone->op, 0).ptr);
  int32_t source = stow_only_owner(&decision->owners, clone->ref);
  for (size_t i = 0; i < domain->free_count; ++i) {
    const stow_mention *mention = &domain->frees[i];
    int32_t owner = stow_freed_owner(decision, mention);
    bool ends = owner >= 0 && (owner == made || (owner == source && source == clone->ref));
    if (ends && mention->stretch == clone->stretch && mention->position > clone->position &&
        !is_written(decision, clone, made, mention->position))
      return mention->op;
  }
  return (MlirOperation){NULL};
}

static bool is_taken(const candidates *found, MlirOperation op) {
  for (size_t i = 0; i < found->count; ++i)
    if (mlirOperationEqual(found->items[i].dealloc, op) ||
        mlirOperationEqual(found->items[i].clone, op))
      return true;
  return false;
}

// Another candidate's source or clone: it is looked at again in the next round.
static bool meets_another(const candidates *found, MlirOperation clone) {
  MlirValue source = mlirOperationGetOperand(clone, 0);
  for (size_t i = 0; i < found->count; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(found->items[i].clone, 0), source) ||
        mlirValueEqual(mlirOperationGetResult(found->items[i].clone, 0), source))
      return true;
  return false;
}

static void collect(const stow_decision *decision, candidates *found) {
  const stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->use_count; ++i) {
    const stow_mention *use = &domain->uses[i];
    if (!stow_op_is(use->op, "bufferization.clone") || use->ref < 0 || !same_types(use->op) ||
        !domain->stretches[use->stretch].reachable || decision->owners.left[use->ref] >= 0)
      continue;
    MlirOperation dealloc = find_dealloc(decision, use);
    if (mlirOperationIsNull(dealloc) || is_taken(found, dealloc) || meets_another(found, use->op))
      continue;
    found->items = stow_grow(found->items, found->count, &found->capacity, sizeof *found->items);
    found->items[found->count++] = (candidate){use->op, dealloc};
  }
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
  for (size_t i = 0; i < ownership.decision_count; ++i)
    collect(ownership.decisions[i], &found);
  stow_ownership_free(&ownership);
  for (size_t i = 0; i < found.count; ++i)
    replace(&found.items[i]);
  free(found.items);
  return found.count > 0;
}

void stow_simplify_clones(MlirOperation module) {
  stow_load_dialects(mlirOperationGetContext(module));
  while (simplify(module))
    ;
}
