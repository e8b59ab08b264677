//===- own_bytes.h - the descriptor of bytes, where the header has none ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

typedef struct {
  int8_t *allocated, *aligned;
  intptr_t offset, sizes[1], strides[1];
} own_bytes;
