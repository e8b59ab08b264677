//===- cmd_convert.c - stowage convert ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "format.h"
#include "input.h"

static void forget_offsets(tool_instance *instance) {
  for (size_t i = 0; i < instance->count; i++)
    instance->offsets[i] = STOW_ANY_OFFSET;
}

tool_exit tool_convert(const tool_options *options) {
  const char *const input = tool_single_input(options);
  tool_instance instance;
  if (!input || !tool_load(input, options, &instance))
    return TOOL_BAD;
  const tool_format opposite = instance.from_json ? TOOL_FORMAT_CSV : TOOL_FORMAT_JSON;
  const tool_format format = tool_choose_format(options, opposite);
  if (options->ignore_offsets)
    forget_offsets(&instance);
  const bool done =
      format != TOOL_FORMAT_UNKNOWN && tool_write_instance(&instance, options, format);
  tool_instance_release(&instance);
  return done ? TOOL_DONE : TOOL_BAD;
}
