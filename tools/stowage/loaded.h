//===- loaded.h - a plan as a file holds it -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_LOADED_H
#define STOWAGE_TOOL_LOADED_H

#include "model.h"
#include "options.h"

// An instance with an offset for every buffer, verified, and its report.
typedef struct tool_loaded {
  tool_instance instance;
  stow_plan_result result;
  tool_model model;
} tool_loaded;

// On false a message has been printed and `*out_exit` says how to end.
bool tool_load_plan(const char *input, const tool_options *options, tool_loaded *out_loaded,
                    tool_exit *out_exit);

void tool_loaded_release(tool_loaded *loaded);

// Whether every buffer has an offset and the offsets are a plan, within `capacity` bytes where that
// is not 0. Says on standard error what is wrong.
tool_exit tool_check_plan(const tool_instance *instance, const char *source, uint64_t capacity);

// Where the offsets in the instance cannot all be kept, within `capacity` bytes where that is not
// 0, says why on standard error and returns true.
bool tool_explain_offsets(const tool_instance *instance, const char *source, uint64_t capacity);

// Whether two instances have the same buffers: their ids, sizes and lives. On false a message has
// been printed.
bool tool_check_same(const tool_instance *instance, const char *source, const tool_instance *other,
                     const char *other_source);

// The bytes of the arenas that the offsets in the instance need, one arena per space.
uint64_t tool_arena_bytes(const tool_instance *instance);

#endif // STOWAGE_TOOL_LOADED_H
