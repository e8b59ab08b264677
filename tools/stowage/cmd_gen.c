//===- cmd_gen.c - stowage gen --------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "format.h"
#include "shapes.h"

#include <stdio.h>

enum { MOST_BUFFERS = 100000000 };

static bool check(const tool_options *options) {
  if (options->input_count) {
    fprintf(stderr, "stowage gen: error: expected no FILE, found '%s'\n", options->inputs[0]);
    return false;
  }
  if (options->alignment & (options->alignment - 1)) {
    fprintf(stderr,
            "stowage gen: error: expected an alignment that is a power of two, found %llu\n",
            (unsigned long long)options->alignment);
    return false;
  }
  if (options->buffers > MOST_BUFFERS) {
    fprintf(stderr, "stowage gen: error: expected at most %d buffers\n", MOST_BUFFERS);
    return false;
  }
  return true;
}

tool_exit tool_gen(const tool_options *options) {
  const tool_format format = tool_choose_format(options, TOOL_FORMAT_CSV);
  tool_instance instance;
  bool known;
  if (format == TOOL_FORMAT_UNKNOWN || !check(options))
    return TOOL_BAD;
  if (!tool_make_shape(options->shape, (size_t)options->buffers, options->seed, options->alignment,
                       &instance, &known)) {
    if (known)
      return tool_report_status("stowage gen", STOW_NO_MEMORY);
    fprintf(stderr, "stowage gen: error: no shape '%s'; expected " TOOL_SHAPE_NAMES "\n",
            options->shape);
    return TOOL_BAD;
  }
  const bool done = tool_write_instance(&instance, options, format);
  tool_instance_release(&instance);
  return done ? TOOL_DONE : TOOL_BAD;
}
