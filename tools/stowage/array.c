//===- array.c - growing arrays -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "array.h"

#include <stdint.h>
#include <stdlib.h>

bool tool_reserve(void **array, size_t *capacity, size_t needed, size_t element) {
  if (needed <= *capacity)
    return true;
  size_t grown = *capacity + *capacity / 2 + 16;
  if (grown < needed)
    grown = needed;
  if (grown > SIZE_MAX / 2 / element)
    return false;
  void *const moved = realloc(*array, grown * element);
  if (!moved)
    return false;
  *array = moved;
  *capacity = grown;
  return true;
}
