//===- grow.h - arrays that grow -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_GROW_H
#define STOWAGE_STREAM_GROW_H

#include <stdbool.h>
#include <stdlib.h>

// Makes room for one item more than `count` in an array from malloc, whose address may change.
// False where there is no memory: the array is as it was.
static inline bool stow_stream_make_room(void **items, size_t count, size_t *capacity,
                                         size_t item_size) {
  if (count < *capacity)
    return true;
  const size_t larger = *capacity ? 2 * *capacity : 64;
  void *moved = realloc(*items, larger * item_size);
  if (moved) {
    *items = moved;
    *capacity = larger;
  }
  return moved;
}

// The same for an array with its fields.
#define STOW_STREAM_ROOM(ITEMS, COUNT, CAPACITY)                                                   \
  stow_stream_make_room((void **)&(ITEMS), (COUNT), &(CAPACITY), sizeof *(ITEMS))

#endif // STOWAGE_STREAM_GROW_H
