//===- ref_set.h - sets of refs -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only words that hold a ref are stored. So a set takes no more than its refs as a list would, and
// where very many refs stand for the same ones, a fraction of that.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_REF_SET_H
#define STOWAGE_DEALLOC_REF_SET_H

#include "ir/support.h"

enum { STOW_REFS_PER_WORD = 32 };

typedef struct stow_ref_word {
  int32_t number; // of refs from number * STOW_REFS_PER_WORD on
  uint32_t refs;  // a bit each; never 0
} stow_ref_word;

typedef STOW_ARRAY(stow_ref_word) stow_ref_set; // ascending

// False: it was there.
bool stow_ref_set_add(stow_ref_set *set, int32_t ref);
void stow_ref_set_add_all(stow_ref_set *set, const stow_ref_set *from);

// Makes `out` what a set lacks of another one, but for `except`; -1: for nothing.
void stow_ref_set_find_missing(const stow_ref_set *set, const stow_ref_set *from, int32_t except,
                               stow_ref_set *out);

bool stow_ref_set_has(const stow_ref_set *set, int32_t ref);
bool stow_ref_sets_meet(const stow_ref_set *a, const stow_ref_set *b);
size_t stow_ref_set_size(const stow_ref_set *set);

// The refs of a set, ascending: for (stow_ref_cursor c = {0}; stow_next_ref(set, &c);) c.ref
typedef struct stow_ref_cursor {
  int32_t ref;
  size_t word;   // the next one
  uint32_t rest; // of the one before
} stow_ref_cursor;

static inline bool stow_next_ref(const stow_ref_set *set, stow_ref_cursor *cursor) {
  if (cursor->rest == 0) {
    if (cursor->word == set->count)
      return false;
    cursor->rest = set->at[cursor->word++].refs;
  }
  cursor->ref = set->at[cursor->word - 1].number * STOW_REFS_PER_WORD + __builtin_ctz(cursor->rest);
  cursor->rest &= cursor->rest - 1;
  return true;
}

#endif // STOWAGE_DEALLOC_REF_SET_H
