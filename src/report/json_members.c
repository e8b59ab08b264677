//===- json_members.c - members of JSON objects ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "json_members.h"

void stow_put_json_key(stow_sink sink, const char *before, const char *key) {
  stow_put(sink, before);
  stow_put(sink, "\"");
  stow_put(sink, key);
  stow_put(sink, "\": ");
}

void stow_put_json_text(stow_sink sink, const char *key, const char *text) {
  stow_put_json_key(sink, ", ", key);
  stow_put_json_string(sink, text);
}

void stow_put_json_signed(stow_sink sink, const char *key, int64_t value) {
  stow_put_json_key(sink, ", ", key);
  stow_put_signed(sink, value);
}

void stow_put_json_unsigned(stow_sink sink, const char *key, uint64_t value) {
  stow_put_json_key(sink, ", ", key);
  stow_put_unsigned(sink, value);
}

void stow_put_json_bool(stow_sink sink, const char *key, bool value) {
  stow_put_json_key(sink, ", ", key);
  stow_put(sink, value ? "true" : "false");
}

void stow_put_json_line(stow_sink sink, size_t index, const char *indent) {
  stow_put(sink, index ? ",\n" : "\n");
  stow_put(sink, indent);
}
