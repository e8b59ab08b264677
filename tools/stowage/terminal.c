//===- terminal.c - what a stream is written to ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "terminal.h"

#include "number.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool tool_is_terminal(FILE *stream) {
  const char *const terminal = getenv("TERM");
  return isatty(fileno(stream)) == 1 && terminal && *terminal && strcmp(terminal, "dumb");
}

static size_t columns_of_environment(void) {
  const char *const value = getenv("COLUMNS");
  uint64_t columns;
  bool fits;
  if (!value || !*value)
    return 0;
  const size_t used = tool_scan_unsigned(value, strlen(value), &columns, &fits);
  return used && !value[used] && fits && columns < 100000 ? (size_t)columns : 0;
}

size_t tool_terminal_columns(FILE *stream) {
  struct winsize size;
  const size_t columns = columns_of_environment();
  if (columns)
    return columns;
  return ioctl(fileno(stream), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}
