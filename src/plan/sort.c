//===- sort.c - stable sorting of indices by 64-bit keys ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few pairs are sorted by insertion. Many are sorted digit by digit, least significant first, in
// linear time; digits that all keys share are passed over.
//
//===----------------------------------------------------------------------===//

#include "sort.h"

#include <assert.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGIT_VALUES = 1 << DIGIT_BITS, KEY_BITS = 64, INSERTION_COUNT = 48 };

static void sort_by_insertion(stow_sort_pair *pairs, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    const stow_sort_pair moved = pairs[i];
    size_t to = i;
    for (; to > 0 && pairs[to - 1].key > moved.key; --to)
      pairs[to] = pairs[to - 1];
    pairs[to] = moved;
  }
}

static unsigned digit_of(uint64_t key, unsigned shift) {
  return (unsigned)(key >> shift) & (DIGIT_VALUES - 1);
}

// Turns counts per digit into the first position of each.
static void positions_from_counts(size_t positions[DIGIT_VALUES]) {
  size_t sum = 0;
  for (unsigned digit = 0; digit < DIGIT_VALUES; ++digit) {
    const size_t here = positions[digit];
    positions[digit] = sum;
    sum += here;
  }
}

static void sort_by_digit(const stow_sort_pair *from, stow_sort_pair *to, size_t count,
                          unsigned shift) {
  size_t positions[DIGIT_VALUES] = {0};
  for (size_t i = 0; i < count; ++i)
    ++positions[digit_of(from[i].key, shift)];
  positions_from_counts(positions);
  for (size_t i = 0; i < count; ++i)
    to[positions[digit_of(from[i].key, shift)]++] = from[i];
}

// The bits that not all keys share.
static uint64_t differing_bits(const stow_sort_pair *pairs, size_t count) {
  uint64_t bits = 0;
  for (size_t i = 1; i < count; ++i)
    bits |= pairs[i].key ^ pairs->key;
  return bits;
}

void stow_sort_pairs(stow_sort_pair *pairs, stow_sort_pair *scratch, size_t count) {
  if (count <= INSERTION_COUNT) {
    sort_by_insertion(pairs, count);
    return;
  }
  assert(scratch);
  const uint64_t differing = differing_bits(pairs, count);
  stow_sort_pair *from = pairs, *to = scratch;
  for (unsigned shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
    if (digit_of(differing, shift) == 0)
      continue;
    sort_by_digit(from, to, count, shift);
    stow_sort_pair *const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != pairs)
    memcpy(pairs, from, count * sizeof *pairs);
}
