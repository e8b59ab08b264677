//===- sequences.h - sequences of words, each kept once --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SEQUENCES_H
#define STOWAGE_IR_SEQUENCES_H

#include "ir/support.h"

typedef STOW_ARRAY(int64_t) stow_words;

// A zeroed one is empty.
typedef struct stow_sequences {
  stow_words all;
  STOW_ARRAY(size_t) ends; // of each sequence
  int32_t *slots;          // sequences by hash, or -1
  size_t slot_count;       // a power of two
} stow_sequences;

// The number of the sequence of these words, counted from 0; `out_new`: it was not there.
int32_t stow_sequences_keep(stow_sequences *s, const stow_words *words, bool *out_new);

// Where the words of a sequence begin in `all`.
static inline size_t stow_sequences_begin(const stow_sequences *s, int32_t sequence) {
  return sequence ? s->ends.at[sequence - 1] : 0;
}

void stow_sequences_free(stow_sequences *s);

#endif // STOWAGE_IR_SEQUENCES_H
