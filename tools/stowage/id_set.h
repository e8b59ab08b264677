//===- id_set.h - ids seen so far -----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_ID_SET_H
#define STOWAGE_TOOL_ID_SET_H

#include "instance.h"

// Open addressing over indices of buffers, stored plus one; 0 is empty. At most half full.
typedef struct tool_id_set {
  size_t *slots;
  size_t slot_count; // a power of two, or 0
  size_t used;
} tool_id_set;

void tool_id_set_release(tool_id_set *set);

// Adds a buffer of `instance`. `*out_first` receives the index of the first buffer with the
// same id, which is its own where it is new. False: out of memory.
bool tool_id_set_add(tool_id_set *set, const tool_instance *instance, size_t index,
                     size_t *out_first);

// The index of the buffer with this id, or `instance->count`.
size_t tool_id_set_find(const tool_id_set *set, const tool_instance *instance, const char *id);

#endif // STOWAGE_TOOL_ID_SET_H
