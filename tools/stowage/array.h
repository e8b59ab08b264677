//===- array.h - growing arrays -------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_ARRAY_H
#define STOWAGE_TOOL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

// Makes room for `needed` elements of `element` bytes in the heap array `*array` of `*capacity`
// elements, growing it by half at least. On false nothing has changed.
bool tool_reserve(void **array, size_t *capacity, size_t needed, size_t element);

#endif // STOWAGE_TOOL_ARRAY_H
