//===- cmd_verify.c - stowage verify --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "input.h"
#include "loaded.h"

#include <inttypes.h>
#include <stdio.h>

tool_exit tool_verify(const tool_options *options) {
  const char *const input = tool_single_input(options);
  tool_instance instance;
  if (!input || !tool_load(input, options, &instance))
    return TOOL_BAD;
  const char *const source = tool_source_name(input);
  const uint64_t capacity = options->capacity ? options->capacity : instance.arena_capacity;
  const tool_exit done = tool_check_plan(&instance, source, capacity);
  if (done == TOOL_DONE && !options->quiet)
    printf("%s: a valid plan of %zu buffers in %" PRIu64 " bytes\n", source, instance.count,
           tool_arena_bytes(&instance));
  tool_instance_release(&instance);
  return done;
}
