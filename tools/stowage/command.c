//===- command.c - what the commands share --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command.h"

#include <stdio.h>
#include <string.h>

const char *tool_source_name(const char *input) { return strcmp(input, "-") ? input : "<stdin>"; }

const char *tool_single_input(const tool_options *options) {
  if (options->input_count == 1)
    return options->inputs[0];
  fprintf(stderr, "stowage: error: expected one FILE ('-' is standard input), found %zu\n",
          options->input_count);
  return NULL;
}

tool_exit tool_report_status(const char *source, stow_status status) {
  const char *const meaning = status == STOW_OVERFLOW ? "the sizes and offsets do not fit 64 bits"
                              : status == STOW_NO_MEMORY ? "out of memory"
                                                         : "not a valid problem";
  fprintf(stderr, "%s: error: %s\n", source, meaning);
  return TOOL_BAD;
}
