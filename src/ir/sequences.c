//===- sequences.c - sequences of words, each kept once --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An open hash table over one array of words: a sequence is a number, and equal ones have the same.
//
//===----------------------------------------------------------------------===//

#include "ir/sequences.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const int64_t *at, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; ++i) {
    hash = (hash ^ (uint64_t)at[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}

static bool is_sequence(const stow_sequences *s, int32_t sequence, const stow_words *w) {
  const size_t begin = stow_sequences_begin(s, sequence);
  return s->ends.at[sequence] - begin == w->count &&
         (w->count == 0 || memcmp(s->all.at + begin, w->at, w->count * sizeof *w->at) == 0);
}

static void put_into_slot(stow_sequences *s, int32_t sequence) {
  const size_t begin = stow_sequences_begin(s, sequence);
  size_t slot = hash_of(s->all.at + begin, s->ends.at[sequence] - begin);
  while (s->slots[slot & (s->slot_count - 1)] >= 0)
    ++slot;
  s->slots[slot & (s->slot_count - 1)] = sequence;
}

static void grow_slots(stow_sequences *s) {
  s->slot_count = s->slot_count ? 2 * s->slot_count : 64;
  free(s->slots);
  s->slots = stow_ir_allocate(s->slot_count, sizeof *s->slots);
  memset(s->slots, -1, s->slot_count * sizeof *s->slots);
  for (size_t i = 0; i < s->ends.count; ++i)
    put_into_slot(s, (int32_t)i);
}

int32_t stow_sequences_keep(stow_sequences *s, const stow_words *w, bool *out_new) {
  if (2 * s->ends.count >= s->slot_count)
    grow_slots(s);
  size_t slot = hash_of(w->at, w->count);
  for (int32_t found; (found = s->slots[slot & (s->slot_count - 1)]) >= 0; ++slot)
    if (is_sequence(s, found, w)) {
      *out_new = false;
      return found;
    }
  *out_new = true;
  for (size_t i = 0; i < w->count; ++i)
    STOW_PUSH(s->all, w->at[i]);
  const int32_t sequence = (int32_t)STOW_PUSH(s->ends, s->all.count);
  put_into_slot(s, sequence);
  return sequence;
}

void stow_sequences_free(stow_sequences *s) {
  free(s->all.at);
  free(s->ends.at);
  free(s->slots);
  *s = (stow_sequences){0};
}
