//===- error.c - what is wrong with an input, and where -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool tool_fail(tool_error *out_error, tool_position position, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out_error->message, sizeof out_error->message, format, arguments);
  va_end(arguments);
  out_error->position = position;
  return false;
}

bool tool_fail_memory(tool_error *out_error) {
  return tool_fail(out_error, (tool_position){0, 0}, "out of memory");
}

tool_excerpt tool_quote(const char *text, size_t size) {
  enum { SHOWN = 40 };
  tool_excerpt excerpt;
  size_t used = 0;
  excerpt.text[used++] = '\'';
  for (size_t i = 0; i < size && i < SHOWN; i++) {
    const unsigned char c = (unsigned char)text[i];
    excerpt.text[used++] = c >= 0x20 && c < 0x7F ? (char)c : '?';
  }
  for (size_t i = 0; i < 3 && size > SHOWN; i++)
    excerpt.text[used++] = '.';
  excerpt.text[used++] = '\'';
  excerpt.text[used] = '\0';
  return excerpt;
}

void tool_print_error(const char *name, const tool_error *error) {
  if (error->position.line)
    fprintf(stderr, "%s:%zu:%zu: error: %s\n", name, error->position.line, error->position.column,
            error->message);
  else
    fprintf(stderr, "%s: error: %s\n", name, error->message);
}
