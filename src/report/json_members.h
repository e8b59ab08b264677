//===- json_members.h - members of JSON objects ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_JSON_MEMBERS_H
#define STOWAGE_REPORT_JSON_MEMBERS_H

#include "put.h"

// `before`, then the key in quotes and a colon.
void stow_put_json_key(stow_sink sink, const char *before, const char *key);

// The same with a value behind it.
void stow_put_json_text(stow_sink sink, const char *before, const char *key, const char *text);
void stow_put_json_text_if_any(stow_sink sink, const char *before, const char *key,
                               const char *text);
void stow_put_json_signed(stow_sink sink, const char *before, const char *key, int64_t value);
void stow_put_json_unsigned(stow_sink sink, const char *before, const char *key, uint64_t value);
void stow_put_json_bool(stow_sink sink, const char *before, const char *key, bool value);

// The beginning of a report; the note may be NULL.
void stow_put_json_head(stow_sink sink, const char *title, const char *note);

// A member that is an array: `put` puts an item, each on a line of its own.
#define STOW_PUT_JSON_LIST(sink, before, key, indent, items, count, put)                           \
  do {                                                                                             \
    stow_put_json_key(sink, before, key);                                                          \
    for (size_t item_ = 0; item_ < (count); item_++) {                                             \
      STOW_PUT(sink, item_ ? ",\n" : "[\n", indent);                                               \
      put(sink, &(items)[item_]);                                                                  \
    }                                                                                              \
    stow_put(sink, (count) ? "]" : "[]");                                                          \
  } while (0)

#endif // STOWAGE_REPORT_JSON_MEMBERS_H
