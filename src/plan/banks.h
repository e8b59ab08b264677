//===- banks.h - buffers that must lie in different banks -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers lie in different banks exactly if one does not reach into the bytes of the other,
// counted from the begin of its first bank to the end of its last. So a buffer that is placed keeps
// its partners out of a wider range than its own bytes. That range depends on where it lies, not on
// a difference of offsets, so it is no gap (gaps.h): first fit asks here, too.
//
// Where banks take turns, a partner only keeps begins out of the bank that it begins in.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_BANKS_H
#define STOWAGE_PLAN_BANKS_H

#include "problem.h"

// A partner of a block, with the bytes of the two buffers that are meant.
typedef struct stow_bank_partner {
  uint32_t block;
  uint64_t size, own_size;
} stow_bank_partner;

typedef struct stow_banks {
  uint64_t bank_size;    // 0: there are no such pairs
  uint64_t bank_count;   // that take turns; 0: they do not
  const uint32_t *first; // per block and one more, into partners
  const stow_bank_partner *partners;
  bool contradictory; // two that must start together are partners
} stow_banks;

// Reads those of a problem between buffers that have a block, STOW_NO_BLOCK for others. They live
// as long as `memory`.
stow_status stow_banks_read(const stow_problem *problem, const uint32_t *block_of,
                            uint32_t block_count, stow_memory *memory, stow_banks *out_banks);

// Where a block at `offset` is in a bank of a partner that is placed, writes from where on it may
// be in another one, or UINT64_MAX where that is no number, and returns true.
bool stow_banks_raise(const stow_banks *banks, uint32_t block, uint64_t alignment,
                      const uint64_t *offsets, const unsigned char *placed, uint64_t offset,
                      uint64_t *out_from);

#endif // STOWAGE_PLAN_BANKS_H
