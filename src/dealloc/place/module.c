//===- module.c - deallocs placed in a module -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the decisions of all functions. Says what was decided, then applies it function by
// function. Deallocs are placed anew only if all of the program's can be: else nothing is changed.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/place.h"

bool stow_dealloc_makes_clones(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t f = 0; f < domain->forwarded.count; ++f)
    if (stow_dealloc_is_copied(&decision->owners, &domain->forwarded.at[f]))
      return true;
  return false;
}

void stow_dealloc_place(MlirOperation module, const stow_ownership *ownership) {
  bool clones = false;
  for (size_t i = 0; i < ownership->decisions.count; ++i) {
    stow_dealloc_remark_decision(ownership->decisions.at[i], ownership->settings.pass);
    clones |= stow_dealloc_makes_clones(ownership->decisions.at[i]);
  }
  const uint64_t promise = clones ? stow_dealloc_largest_promise(module) : 0;
  for (size_t i = 0; i < ownership->decisions.count; ++i)
    stow_dealloc_apply_decision(ownership->decisions.at[i], promise);
}

// Clones, bits and branches: the next round reads them as the program's own ops.
static bool adds_ops(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  bool conditional = false;
  for (size_t r = 0; r < domain->refs.count && !conditional; ++r)
    conditional = decision->owners.of[r].conditional;
  return conditional || domain->choices.count > 0 || stow_dealloc_makes_clones(decision);
}

static stow_placement placement_of(const stow_ownership *ownership) {
  for (size_t i = 0; i < ownership->decisions.count; ++i)
    if (adds_ops(ownership->decisions.at[i]))
      return STOW_PLACED_WITH_OPS;
  return STOW_PLACED;
}

static bool leaves_alone(const stow_ownership *ownership) {
  for (size_t i = 0; i < ownership->decisions.count; ++i)
    if (ownership->decisions.at[i]->leaks)
      return true;
  return false;
}

stow_placement stow_dealloc_place_anew(MlirOperation module, const stow_op_list *deallocs,
                                       const stow_ownership *before) {
  stow_map ignored = {0};
  for (size_t i = 0; i < deallocs->count; ++i)
    stow_map_add(&ignored, deallocs->at[i].ptr, 1);
  stow_ownership_settings anew = before->settings;
  anew.ignored = &ignored;
  anew.before = before;
  anew.prefer.free_early = true;
  stow_ownership ownership = stow_ownership_of(module, &anew);
  stow_placement placement = leaves_alone(&ownership) ? STOW_NOT_PLACED : placement_of(&ownership);
  if (placement != STOW_NOT_PLACED)
    stow_dealloc_place(module, &ownership);
  stow_ownership_free(&ownership);
  for (size_t i = 0; placement != STOW_NOT_PLACED && i < deallocs->count; ++i)
    mlirOperationDestroy(deallocs->at[i]);
  stow_map_free(&ignored);
  return placement;
}
