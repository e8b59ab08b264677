//===- deallocation.c - buffer-deallocation and tighten-deallocs ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/ownership.h"
#include "dealloc/promises.h"

#include <stdlib.h>
#include <string.h>

stow_ownership_settings stow_ownership_settings_of(const stow_deallocation_options *options) {
  stow_deallocation_options o = {0};
  size_t size = options->struct_size ? options->struct_size : sizeof o;
  memcpy(&o, options, size < sizeof o ? size : sizeof o);
  return (stow_ownership_settings){.unknown_ops_escape = o.unknown_ops_escape,
                                   .prefer = {.clone_first = o.clone_first}};
}

static bool makes_clones(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  for (size_t h = 0; h < domain->handover_count; ++h)
    if (stow_is_copied(domain, &domain->handovers[h]))
      return true;
  return false;
}

static void apply(MlirOperation module, stow_ownership *ownership) {
  bool clones = false;
  for (size_t i = 0; i < ownership->decision_count; ++i) {
    stow_remark_decision(ownership->decisions[i]);
    clones |= makes_clones(ownership->decisions[i]);
  }
  const uint64_t promise = clones ? stow_largest_promise(module) : 0;
  for (size_t i = 0; i < ownership->decision_count; ++i)
    stow_apply_decision(ownership->decisions[i], promise);
}

void stow_buffer_deallocation(MlirOperation module, const stow_deallocation_options *options) {
  stow_load_dialects(mlirOperationGetContext(module));
  stow_ownership_settings settings = stow_ownership_settings_of(options);
  settings.prefer.free_early = true;
  stow_ownership ownership = stow_ownership_of(module, &settings);
  apply(module, &ownership);
  stow_ownership_free(&ownership);
}

//===----------------------------------------------------------------------===//
// Deallocs placed anew
//===----------------------------------------------------------------------===//

static MlirOperation *understood_deallocs(const stow_ownership *ownership, size_t *out_count) {
  MlirOperation *ops = NULL;
  size_t capacity = 0;
  *out_count = 0;
  for (size_t i = 0; i < ownership->decision_count; ++i) {
    const stow_decision *decision = ownership->decisions[i];
    for (size_t f = 0; f < decision->domain.free_count; ++f) {
      if (stow_freed_owner(decision, &decision->domain.frees[f]) < 0)
        continue;
      ops = stow_grow(ops, *out_count, &capacity, sizeof *ops);
      ops[(*out_count)++] = decision->domain.frees[f].op;
    }
  }
  return ops;
}

static bool leaves_alone(const stow_ownership *ownership) {
  for (size_t i = 0; i < ownership->decision_count; ++i)
    if (ownership->decisions[i]->leaves)
      return true;
  return false;
}

// Clones, bits and branches: the next round reads them as the program's own ops.
static bool adds_ops(const stow_decision *decision) {
  const stow_domain *domain = &decision->domain;
  bool conditional = false;
  for (size_t r = 0; r < domain->ref_count && !conditional; ++r)
    conditional = decision->owners.conditional[r];
  return conditional || domain->choice_count > 0 || makes_clones(decision);
}

static stow_placement placement_of(const stow_ownership *ownership) {
  for (size_t i = 0; i < ownership->decision_count; ++i)
    if (adds_ops(ownership->decisions[i]))
      return STOW_PLACED_WITH_OPS;
  return STOW_PLACED;
}

stow_placement stow_place_deallocs_anew(MlirOperation module, const MlirOperation *deallocs,
                                        size_t count, const stow_ownership *before) {
  stow_map ignored = {0};
  for (size_t i = 0; i < count; ++i)
    stow_map_add(&ignored, deallocs[i].ptr, 1);
  stow_ownership_settings anew = before->settings;
  anew.ignored = &ignored;
  anew.before = before;
  anew.prefer.free_early = true;
  stow_ownership ownership = stow_ownership_of(module, &anew);
  stow_placement placement = leaves_alone(&ownership) ? STOW_NOT_PLACED : placement_of(&ownership);
  if (placement != STOW_NOT_PLACED)
    apply(module, &ownership);
  stow_ownership_free(&ownership);
  for (size_t i = 0; placement != STOW_NOT_PLACED && i < count; ++i)
    mlirOperationDestroy(deallocs[i]);
  stow_map_free(&ignored);
  return placement;
}

static stow_placement tighten(MlirOperation module, const stow_ownership_settings *settings) {
  stow_ownership before = stow_ownership_of(module, settings);
  size_t count;
  MlirOperation *deallocs = understood_deallocs(&before, &count);
  stow_placement placement = stow_place_deallocs_anew(module, deallocs, count, &before);
  stow_ownership_free(&before);
  free(deallocs);
  return placement;
}

void stow_tighten_deallocs(MlirOperation module, const stow_deallocation_options *options) {
  stow_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings = stow_ownership_settings_of(options);
  for (int round = 0; round < STOW_MAX_ROUNDS; ++round)
    if (tighten(module, &settings) != STOW_PLACED_WITH_OPS)
      break;
}
