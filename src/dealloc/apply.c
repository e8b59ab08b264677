//===- apply.c - making the clones and the deallocs -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All positions are fixed before the first op is made: each thing to make is told
// the op that it stands before. At the end of a stretch the order is: deallocs of
// what is needed no longer, clones, deallocs of what was cloned.
//
//===----------------------------------------------------------------------===//

#include "dealloc/deallocation.h"
#include "ir/build.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct applier {
  const stow_domain *domain;
  const stow_releases *releases;
  MlirOperation *before; // per release
  MlirBlock *detours;    // per path: the block that was put on it, or null
} applier;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static MlirOperation first_op_of(const stow_stretch *stretch) {
  return mlirOperationIsNull(stretch->after) ? mlirBlockGetFirstOperation(stretch->block)
                                             : mlirOperationGetNextInBlock(stretch->after);
}

static MlirOperation place_of(const stow_domain *domain, const stow_release *release) {
  switch (release->spot) {
  case STOW_AFTER_OP:
    return mlirOperationGetNextInBlock(domain->op_at[release->at]);
  case STOW_AT_START:
    return first_op_of(&domain->stretches[release->at]);
  case STOW_BEFORE_END:
    return domain->stretches[release->at].end;
  case STOW_ON_PATH:
    break;
  }
  return (MlirOperation){NULL};
}

static void insert_after(MlirBlock block, MlirBlock reference) {
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(reference), reference, block);
}

static void put_detour(applier *a, int32_t path) {
  if (!mlirBlockIsNull(a->detours[path]))
    return;
  const stow_path *p = &a->domain->paths[path];
  const stow_stretch *from = &a->domain->stretches[p->from];
  MlirLocation location = mlirOperationGetLocation(from->end);
  if (p->empty_region >= 0) {
    const char *yield = stow_op_is(from->end, "scf.if") ? "scf.yield" : "affine.yield";
    a->detours[path] = stow_build_block_with(location, yield);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(from->end, p->empty_region),
                               a->detours[path]);
    return;
  }
  a->detours[path] = stow_build_detour(location, a->domain->stretches[p->to].block);
  insert_after(a->detours[path], from->block);
  mlirOperationSetSuccessor(from->end, p->successor, a->detours[path]);
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

// The path on which a clone must stand: that of a branch which has others.
static int32_t path_of_clone(const stow_domain *domain, const stow_handover *h) {
  int32_t path = domain->passes[h->pass].path;
  int32_t leaving = domain->leaving.first[h->stretch + 1] - domain->leaving.first[h->stretch];
  return path >= 0 && leaving > 1 && domain->paths[path].successor >= 0 ? path : -1;
}

static bool is_copied(const stow_domain *domain, const stow_handover *h) {
  return h->manner == STOW_COPY && domain->stretches[h->stretch].reachable;
}

static void clone_operand(MlirOperation op, intptr_t operand) {
  stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  mlirOperationSetOperand(op, operand,
                          stow_build_clone(&builder, mlirOperationGetOperand(op, operand)));
}

static intptr_t argument_number(const stow_domain *domain, int32_t ref) {
  return mlirBlockArgumentGetArgNumber(domain->refs[ref].value);
}

static void make_clone(applier *a, const stow_handover *h) {
  int32_t path = path_of_clone(a->domain, h);
  if (path < 0)
    clone_operand(a->domain->stretches[h->stretch].end, h->operand);
  else
    clone_operand(mlirBlockGetTerminator(a->detours[path]),
                  argument_number(a->domain, a->domain->passes[h->pass].target));
}

//===----------------------------------------------------------------------===//
// Deallocs
//===----------------------------------------------------------------------===//

static void make_dealloc(const applier *a, size_t release, MlirOperation before) {
  const stow_ref *owner = &a->domain->refs[a->releases->items[release].owner];
  stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  bool unranked = mlirTypeIsAUnrankedMemRef(mlirValueGetType(owner->value));
  MlirValue memref = owner->value;
  if (owner->part && !unranked)
    memref = stow_build_base(&builder, memref);
  stow_build_dealloc(&builder, memref);
}

static void make_deallocs(const applier *a, bool after_clones) {
  for (size_t i = 0; i < a->releases->count; ++i) {
    const stow_release *release = &a->releases->items[i];
    bool tied = release->spot == STOW_BEFORE_END || release->spot == STOW_ON_PATH;
    if (tied != after_clones)
      continue;
    bool on_path = release->spot == STOW_ON_PATH;
    make_dealloc(a, i, on_path ? mlirBlockGetTerminator(a->detours[release->at]) : a->before[i]);
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void find_places(applier *a) {
  const stow_domain *domain = a->domain;
  for (size_t i = 0; i < a->releases->count; ++i)
    a->before[i] = place_of(domain, &a->releases->items[i]);
  for (size_t i = 0; i < a->releases->count; ++i)
    if (a->releases->items[i].spot == STOW_ON_PATH)
      put_detour(a, (int32_t)a->releases->items[i].at);
  for (size_t i = 0; i < domain->handover_count; ++i) {
    const stow_handover *h = &domain->handovers[i];
    if (is_copied(domain, h) && path_of_clone(domain, h) >= 0)
      put_detour(a, path_of_clone(domain, h));
  }
}

void stow_apply_decision(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  applier a = {.domain = domain,
               .releases = &decision->releases,
               .before = stow_allocate(decision->releases.count, sizeof *a.before),
               .detours = stow_allocate(domain->path_count, sizeof *a.detours)};
  find_places(&a);
  make_deallocs(&a, false);
  for (size_t i = 0; i < domain->handover_count; ++i)
    if (is_copied(domain, &domain->handovers[i]))
      make_clone(&a, &domain->handovers[i]);
  make_deallocs(&a, true);
  free(a.before), free(a.detours);
}
