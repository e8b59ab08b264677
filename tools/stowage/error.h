//===- error.h - what is wrong with an input, and where -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fault of the user's input is data: it travels up as a struct and is
// printed in one place, as "file:line:column: error: message".
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_ERROR_H
#define STOWAGE_TOOL_ERROR_H

#include <stdbool.h>
#include <stddef.h>

// Lines and columns count from 1; columns in bytes. Line 0: the file as a whole.
typedef struct tool_position {
  size_t line, column;
} tool_position;

typedef struct tool_error {
  tool_position position;
  char message[240];
} tool_error;

// Fills `out_error` and returns false, so that a check reads "return tool_fail(...)".
__attribute__((format(printf, 3, 4))) bool tool_fail(tool_error *out_error, tool_position position,
                                                     const char *format, ...);

bool tool_fail_memory(tool_error *out_error);

// A piece of input as it may stand in a message: quoted, cut, without control characters.
typedef struct tool_excerpt {
  char text[48];
} tool_excerpt;

tool_excerpt tool_quote(const char *text, size_t size);

// Prints "name:line:column: error: message" on stderr.
void tool_print_error(const char *name, const tool_error *error);

#endif // STOWAGE_TOOL_ERROR_H
