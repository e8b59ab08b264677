//===- index.h - the items of a table by a key ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_INDEX_H
#define STOWAGE_IR_INDEX_H

#include "ir/support.h"

// The items with key k are items[first[k]] up to but not items[first[k + 1]], in their order in the
// table.
typedef struct stow_index {
  int32_t *first, *items;
} stow_index;

// An item with a negative key is left out.
stow_index stow_index_of(stow_column keys, size_t key_count);

// The same with the value of each item in place of its number.
stow_index stow_index_of_values(stow_column keys, stow_column values, size_t key_count);
void stow_index_free(stow_index *index);

// Each item with a key, in order.
#define STOW_EACH_OF(item, index, key)                                                             \
  for (int32_t item##_at = (index).first[key], item;                                               \
       item##_at < (index).first[(key) + 1] && (item = (index).items[item##_at], true);            \
       ++item##_at)

#endif // STOWAGE_IR_INDEX_H
