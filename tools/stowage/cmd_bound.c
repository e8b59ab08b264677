//===- cmd_bound.c - stowage bound ----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>

static tool_exit print_bound(const tool_options *options, const char *input) {
  tool_instance instance;
  if (!tool_load(input, options, &instance))
    return TOOL_BAD;
  const stow_problem problem = tool_instance_problem(&instance, !options->ignore_offsets);
  uint64_t bound;
  const stow_status status = stow_lower_bound(&problem, &bound);
  tool_instance_release(&instance);
  if (status != STOW_OK)
    return tool_report_status(tool_source_name(input), status);
  if (options->input_count > 1)
    printf("%s: ", tool_source_name(input));
  printf("%" PRIu64 "\n", bound);
  return TOOL_DONE;
}

tool_exit tool_bound(const tool_options *options) {
  if (!options->input_count && !tool_single_input(options))
    return TOOL_BAD;
  for (size_t i = 0; i < options->input_count; i++) {
    const tool_exit done = print_bound(options, options->inputs[i]);
    if (done != TOOL_DONE)
      return done;
  }
  return TOOL_DONE;
}
