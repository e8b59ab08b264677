//===- spaces.h - the memories a buffer may go to -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_SPACES_H
#define STOWAGE_TOOL_SPACES_H

#include "instance.h"

typedef enum tool_space_status {
  TOOL_SPACE_FOUND,
  TOOL_SPACE_TOO_MANY,
  TOOL_SPACE_NO_MEMORY,
} tool_space_status;

// The space of this name. One not met before is added, without a limit and at a cost of 1 a byte.
tool_space_status tool_find_or_add_space(tool_instance *instance, const char *name, size_t size,
                                         size_t *out_space);

// Adds the spaces of "NAME:CAPACITY:COST,...", of which CAPACITY (0: no limit) and COST (default 1)
// may be missing. On false a message has been printed.
bool tool_declare_spaces(tool_instance *instance, const char *text);

#endif // STOWAGE_TOOL_SPACES_H
