//===- ref_set.c - sets of refs -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sorted list of words with a bit per ref. Most sets are small, and their refs lie close
// together; two sets are gone through side by side.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/owners.h"

#include <assert.h>
#include <string.h>

// The first word from `start` on that has at least a number. In sets that are gone through together
// it is mostly that at `start`.
static size_t word_from(const stow_ref_set *set, size_t start, int32_t number) {
  if (start == set->count || set->at[start].number >= number)
    return start;
  return start +
         stow_ir_first_from(STOW_COLUMN(set->at + start, set->count - start, number), number);
}

static bool is_word(const stow_ref_set *set, size_t place, int32_t number) {
  return place < set->count && set->at[place].number == number;
}

static uint32_t bit_of(int32_t ref) { return UINT32_C(1) << ref % STOW_REFS_PER_WORD; }

bool stow_ref_set_add(stow_ref_set *set, int32_t ref) {
  assert(ref >= 0);
  int32_t number = ref / STOW_REFS_PER_WORD;
  size_t place = word_from(set, 0, number);
  if (!is_word(set, place, number)) {
    STOW_PUSH(*set, (stow_ref_word){number, 0});
    memmove(set->at + place + 1, set->at + place, (set->count - 1 - place) * sizeof *set->at);
    set->at[place] = (stow_ref_word){number, 0};
  }
  bool added = !(set->at[place].refs & bit_of(ref));
  set->at[place].refs |= bit_of(ref);
  return added;
}

void stow_ref_set_find_missing(const stow_ref_set *set, const stow_ref_set *from, int32_t except,
                               stow_ref_set *out) {
  size_t place = 0;
  out->count = 0;
  STOW_EACH_ITEM(stow_ref_word, word, *from) {
    place = word_from(set, place, word.number);
    if (is_word(set, place, word.number))
      word.refs &= ~set->at[place].refs;
    if (except >= 0 && word.number == except / STOW_REFS_PER_WORD)
      word.refs &= ~bit_of(except);
    if (word.refs)
      STOW_PUSH(*out, word);
  }
}

static size_t count_new_words(const stow_ref_set *set, const stow_ref_set *from) {
  size_t place = 0, count = 0;
  for (size_t i = 0; i < from->count; ++i) {
    place = word_from(set, place, from->at[i].number);
    count += !is_word(set, place, from->at[i].number);
  }
  return count;
}

// From the end, so that each word moves once.
static void insert_words(stow_ref_set *set, const stow_ref_set *from, size_t count) {
  size_t i = set->count, j = from->count;
  while (set->count + count > set->capacity)
    set->at = stow_ir_grow(set->at, set->capacity, &set->capacity, sizeof *set->at);
  set->count += count;
  for (size_t to = set->count; to > i;) {
    bool newer = i == 0 || from->at[j - 1].number > set->at[i - 1].number;
    j -= newer || from->at[j - 1].number == set->at[i - 1].number;
    set->at[--to] = newer ? (stow_ref_word){from->at[j].number, 0} : set->at[--i];
  }
}

void stow_ref_set_add_all(stow_ref_set *set, const stow_ref_set *from) {
  size_t place = 0, new_words = count_new_words(set, from);
  if (new_words > 0)
    insert_words(set, from, new_words);
  for (size_t i = 0; i < from->count; ++i) {
    place = word_from(set, place, from->at[i].number);
    set->at[place].refs |= from->at[i].refs;
  }
}

bool stow_ref_set_has(const stow_ref_set *set, int32_t ref) {
  size_t place = word_from(set, 0, ref / STOW_REFS_PER_WORD);
  return is_word(set, place, ref / STOW_REFS_PER_WORD) && set->at[place].refs & bit_of(ref);
}

bool stow_ref_sets_meet(const stow_ref_set *a, const stow_ref_set *b) {
  size_t place = 0;
  for (size_t i = 0; i < a->count; ++i) {
    place = word_from(b, place, a->at[i].number);
    if (is_word(b, place, a->at[i].number) && b->at[place].refs & a->at[i].refs)
      return true;
  }
  return false;
}

size_t stow_ref_set_size(const stow_ref_set *set) {
  size_t size = 0;
  for (size_t i = 0; i < set->count; ++i)
    size += (size_t)__builtin_popcount(set->at[i].refs);
  return size;
}
