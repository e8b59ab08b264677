//===- utf8.c - is it text ------------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "utf8.h"

#include "put.h"

#include <string.h>

// The last bytes may lack their NUL, so they are looked at in a copy.
static size_t length_at(const char *text, size_t left) {
  char head[5] = {0};
  memcpy(head, text, left < 4 ? left : 4);
  return stow_report_utf8_length(head);
}

bool tool_is_utf8(const char *text, size_t size) {
  for (size_t at = 0; at < size;) {
    const size_t length = length_at(text + at, size - at);
    if (!length)
      return false;
    at += length;
  }
  return true;
}
