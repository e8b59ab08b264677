//===- index.c - the items of a table by a key ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counting sort: the items of each key, in the order of the table.
//
//===----------------------------------------------------------------------===//

#include "ir/index.h"

#include <stdlib.h>

stow_index stow_index_of(stow_column keys, size_t key_count) {
  stow_index index = {stow_ir_allocate(key_count + 1, sizeof(int32_t)),
                      stow_ir_allocate(keys.count, sizeof(int32_t))};
  int32_t *next = stow_ir_allocate(key_count, sizeof *next);
  for (size_t i = 0; i < keys.count; ++i)
    if (stow_ir_number_at(&keys, i) >= 0)
      ++index.first[stow_ir_number_at(&keys, i) + 1];
  for (size_t k = 0; k < key_count; ++k) {
    next[k] = index.first[k];
    index.first[k + 1] += index.first[k];
  }
  for (size_t i = 0; i < keys.count; ++i)
    if (stow_ir_number_at(&keys, i) >= 0)
      index.items[next[stow_ir_number_at(&keys, i)]++] = (int32_t)i;
  free(next);
  return index;
}

stow_index stow_index_of_values(stow_column keys, stow_column values, size_t key_count) {
  stow_index index = stow_index_of(keys, key_count);
  for (int32_t i = 0; i < index.first[key_count]; ++i)
    index.items[i] = (int32_t)stow_ir_number_at(&values, (size_t)index.items[i]);
  return index;
}

void stow_index_free(stow_index *index) {
  free(index->first);
  free(index->items);
  *index = (stow_index){0};
}
