//===- json_members.c - members of JSON objects ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "json_members.h"

void stow_put_json_key(stow_sink sink, const char *before, const char *key) {
  STOW_PUT(sink, before, "\"", key, "\": ");
}

void stow_put_json_text(stow_sink sink, const char *before, const char *key, const char *text) {
  stow_put_json_key(sink, before, key);
  stow_put_json_string(sink, text);
}

void stow_put_json_text_if_any(stow_sink sink, const char *before, const char *key,
                               const char *text) {
  if (text)
    stow_put_json_text(sink, before, key, text);
}

void stow_put_json_signed(stow_sink sink, const char *before, const char *key, int64_t value) {
  stow_put_json_key(sink, before, key);
  stow_put_signed(sink, value);
}

void stow_put_json_unsigned(stow_sink sink, const char *before, const char *key, uint64_t value) {
  stow_put_json_key(sink, before, key);
  stow_put_unsigned(sink, value);
}

void stow_put_json_bool(stow_sink sink, const char *before, const char *key, bool value) {
  stow_put_json_key(sink, before, key);
  stow_put(sink, value ? "true" : "false");
}

void stow_put_json_head(stow_sink sink, const char *title, const char *note) {
  stow_put_json_unsigned(sink, "{\n  ", "version", 1);
  stow_put_json_text(sink, ",\n  ", "title", title);
  stow_put_json_text_if_any(sink, ",\n  ", "note", note);
}
