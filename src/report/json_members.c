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

static void put_text(stow_sink sink, const char *before, const char *key, const char *text) {
  stow_put_json_key(sink, before, key);
  stow_put_json_string(sink, text);
}

void stow_put_json_head(stow_sink sink, const char *title, const char *note) {
  stow_put(sink, "{\n  \"version\": 1");
  put_text(sink, ",\n  ", "title", title);
  if (note)
    put_text(sink, ",\n  ", "note", note);
}

void stow_put_json_first(stow_sink sink, const char *key, const char *text) {
  put_text(sink, "{", key, text);
}

void stow_put_json_text(stow_sink sink, const char *key, const char *text) {
  put_text(sink, ", ", key, text);
}

void stow_put_json_text_if_any(stow_sink sink, const char *key, const char *text) {
  if (text)
    stow_put_json_text(sink, key, text);
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
