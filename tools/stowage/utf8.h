//===- utf8.h - is it text ------------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_UTF8_H
#define STOWAGE_TOOL_UTF8_H

#include <stdbool.h>
#include <stddef.h>

// Whether `size` bytes are valid UTF-8 without NUL. What is not cannot be written as JSON again.
bool tool_is_utf8(const char *text, size_t size);

#endif // STOWAGE_TOOL_UTF8_H
