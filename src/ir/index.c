//===- index.c - the items of a table by a key ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/index.h"

#include "ir/support.h"

#include <stdlib.h>

stow_index stow_index_of(const void *table, size_t count, size_t key_count, stow_key_fn key) {
  stow_index index = {stow_allocate(key_count + 1, sizeof(int32_t)),
                      stow_allocate(count, sizeof(int32_t))};
  int32_t *next = stow_allocate(key_count, sizeof *next);
  for (size_t i = 0; i < count; ++i)
    if (key(table, i) >= 0)
      ++index.first[key(table, i) + 1];
  for (size_t k = 0; k < key_count; ++k) {
    next[k] = index.first[k];
    index.first[k + 1] += index.first[k];
  }
  for (size_t i = 0; i < count; ++i)
    if (key(table, i) >= 0)
      index.items[next[key(table, i)]++] = (int32_t)i;
  free(next);
  return index;
}

stow_index stow_index_of_values(const void *table, size_t count, size_t key_count, stow_key_fn key,
                                stow_key_fn value) {
  stow_index index = stow_index_of(table, count, key_count, key);
  for (int32_t i = 0; i < index.first[key_count]; ++i)
    index.items[i] = value(table, (size_t)index.items[i]);
  return index;
}

void stow_index_free(stow_index *index) {
  free(index->first), free(index->items);
  *index = (stow_index){0};
}
