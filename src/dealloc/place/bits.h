//===- bits.h - whether a conditional owner owns, at run time -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the condition of one scf.if or branch decides whether an owner owns, it is the bit.
// Else a bit in memory is set on every edge to the owner. Owners that move to one another
// share one. It is stack memory except where that would grow (activation.h).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_BITS_H
#define STOWAGE_DEALLOC_BITS_H

#include "dealloc/own/decision.h"
#include "dealloc/place/make.h"

//===----------------------------------------------------------------------===//
// sites.c: where the decided region's segments and refs are
//===----------------------------------------------------------------------===//
//
// Choices are part of a domain before their ops exist. When their scf.ifs are made, some
// segments lie in other blocks and end with other ops, and some refs are other values,
// than was read.

typedef struct stow_sites {
  const stow_domain *domain;
  MlirBlock *blocks;      // per segment
  MlirOperation *after;   // per segment: the op with regions it begins behind, or null
  MlirOperation *ends;    // per segment
  MlirValue *values;      // per ref
  MlirOperation *endings; // per ending
} stow_sites;

// Makes the choices, first of all changes. Freed with stow_sites_free.
stow_sites stow_sites_make(const stow_decision *decision);
void stow_sites_free(stow_sites *sites);

// Erases the selects that were split. Last of all changes.
void stow_dealloc_erase_dead_selects(const stow_decision *decision);

//===----------------------------------------------------------------------===//
// conditions.c: conditions that are bits
//===----------------------------------------------------------------------===//

typedef struct stow_condition {
  MlirValue value; // an i1
  bool negated;    // the owner owns where that is false
} stow_condition;

// Finds the condition that is a conditional owner's bit. False: there is none.
bool stow_condition_find(const stow_sites *sites, const stow_owners *owners, int32_t ref,
                         stow_condition *out_condition);

//===----------------------------------------------------------------------===//
// shared_bits.c: conditional owners that share a bit
//===----------------------------------------------------------------------===//

// `cell`, per ref: the owner whose bit in memory it has, at first its own; -1: none. Gives owners
// the bits of others where they can share.
void stow_dealloc_share_bits(const stow_owners *owners, const stow_releases *releases,
                             int32_t *cell);

//===----------------------------------------------------------------------===//
// bits.c: all bits of a region
//===----------------------------------------------------------------------===//

typedef struct stow_bits {
  const stow_domain *domain;
  const stow_owners *owners;
  stow_condition *conditions; // per ref: the one that is its bit; or null
  int32_t *cell;              // per ref: the owner whose memory its bit has; -1: it has none
  MlirValue *memory;          // per cell
  MlirValue yes, no;          // constants, where they are needed
} stow_bits;

// Finds the conditions that are bits; adds no op. Freed with stow_bits_free.
stow_bits stow_bits_find(const stow_decision *decision, const stow_sites *sites);
void stow_bits_free(stow_bits *bits);

// Makes the memory and the constants that bits need, and edge_moves.
void stow_bits_make(stow_bits *bits, bool on_edge);

// Frees bits on the heap, behind all reads and sets.
void stow_bits_end(const stow_bits *bits);

// Whether a forwarded operand to a phi sets the phi's bit.
bool stow_dealloc_bit_is_set(const stow_bits *bits, const stow_forwarded *forwarded, int32_t phi);

MlirValue stow_dealloc_bit_get(const stow_bits *bits, const stow_builder *builder, int32_t ref);
void stow_dealloc_bit_set(const stow_bits *bits, const stow_builder *builder, int32_t ref,
                          MlirValue bit);

#endif // STOWAGE_DEALLOC_BITS_H
