//===- sort.c - stable sorting of indices by 64-bit keys ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few pairs are sorted by insertion. Many are sorted digit by digit, least significant first, in
// linear time; a digit that all keys share costs one counting pass and no move.
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

// Turns counts per digit into the first position of each. Returns 0 where one digit has all.
static int positions_from_counts(size_t positions[DIGIT_VALUES], size_t count) {
  size_t sum = 0;
  for (unsigned digit = 0; digit < DIGIT_VALUES; ++digit) {
    const size_t here = positions[digit];
    if (here == count)
      return 0;
    positions[digit] = sum;
    sum += here;
  }
  return 1;
}

static int sort_by_digit(const stow_sort_pair *from, stow_sort_pair *to, size_t count,
                         unsigned shift) {
  size_t positions[DIGIT_VALUES] = {0};
  for (size_t i = 0; i < count; ++i)
    ++positions[digit_of(from[i].key, shift)];
  if (!positions_from_counts(positions, count))
    return 0;
  for (size_t i = 0; i < count; ++i)
    to[positions[digit_of(from[i].key, shift)]++] = from[i];
  return 1;
}

void stow_sort_pairs(stow_sort_pair *pairs, stow_sort_pair *scratch, size_t count) {
  if (count <= INSERTION_COUNT) {
    sort_by_insertion(pairs, count);
    return;
  }
  assert(scratch);
  stow_sort_pair *from = pairs, *to = scratch;
  for (unsigned shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
    if (!sort_by_digit(from, to, count, shift))
      continue;
    stow_sort_pair *const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != pairs)
    memcpy(pairs, from, count * sizeof *pairs);
}
