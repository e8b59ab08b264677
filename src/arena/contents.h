//===- contents.h - what is in buffers, for reports -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users recognize a buffer by the op that computes its values: the first op in program order that
// writes it, except for one that only initializes it, a linalg op that reads no memory.
//
// stream-rows gives several buffers one allocation, and marks each view of it with the bytes that
// the buffer had before. Such views are *parts*.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_CONTENTS_H
#define STOWAGE_ARENA_CONTENTS_H

#include "ir/buffers.h"
#include "ir/index.h"

typedef struct stow_held {
  int32_t value, alloc;
  uint64_t low, high; // bytes of the alloc
  uint64_t before;    // bytes
} stow_held;

typedef struct stow_contents {
  MlirOperation *makers; // per value of the flow; null where no op is known to write it. An alloc's
                         // or a part's are those of its views, too
  STOW_ARRAY(stow_held) parts; // that are touched, in program order
  stow_index parts_of;         // per alloc: its parts
} stow_contents;

// The bytes that stream-rows says an alloc or a view had before; 0: it is not one of those.
uint64_t stow_arena_bytes_before(MlirOperation op);

stow_contents stow_contents_of(const stow_function_memory *function);
void stow_contents_free(stow_contents *contents);

#endif // STOWAGE_ARENA_CONTENTS_H
