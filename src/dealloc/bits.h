//===- bits.h - whether a conditional owner owns, at run time -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an scf.if or a branch decides alone whether the owner owns, its condition is the
// bit. Elsewhere a bit in memory is set on every path to the owner. Owners that follow
// one another share one. It is stack memory except where that would grow (activation.h).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_BITS_H
#define STOWAGE_DEALLOC_BITS_H

#include "dealloc/deallocation.h"
#include "dealloc/make.h"

typedef struct stow_bits {
  const stow_domain *domain;
  const stow_owners *owners;
  MlirValue *told;   // per ref: the condition that is its bit, or null
  bool *told_not;    // per ref: it owns where that condition is false
  int32_t *cell;     // per ref: the owner whose memory its bit has; -1: it has none
  MlirValue *memory; // per cell
  MlirValue yes, no; // constants, where they are needed
} stow_bits;

// Finds the conditions that are bits; adds no op. Freed with stow_bits_free.
stow_bits stow_bits_find(const stow_decision *decision);
void stow_bits_free(stow_bits *bits);

// Makes what reads and sets need, and what settlements do.
void stow_bits_make(stow_bits *bits, bool settles);

// Frees what is not stack memory, behind all reads and sets.
void stow_bits_end(const stow_bits *bits);

// Whether a handover to a target sets the target's bit.
bool stow_bit_is_set(const stow_bits *bits, const stow_handover *handover, int32_t target);

MlirValue stow_bit_get(const stow_bits *bits, const stow_builder *builder, int32_t ref);
void stow_bit_set(const stow_bits *bits, const stow_builder *builder, int32_t ref, MlirValue bit);

// Gives cells to more than one owner where they can share.
void stow_share_bits(stow_bits *bits, const stow_releases *releases);

#endif // STOWAGE_DEALLOC_BITS_H
