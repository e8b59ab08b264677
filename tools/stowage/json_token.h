//===- json_token.h - JSON, one token at a time ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tokenizer over a stream. It knows nothing of nesting but its depth, so it needs
// no stack, and what a reader does not want is skipped whatever its shape. Strings
// and numbers are bounded by TOOL_STRING_LIMIT.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_JSON_TOKEN_H
#define STOWAGE_TOOL_JSON_TOKEN_H

#include "stream.h"

enum { TOOL_STRING_LIMIT = 1 << 20, TOOL_JSON_DEPTH = 512 };

typedef enum tool_token {
  TOOL_TOKEN_END,
  TOOL_TOKEN_OBJECT, // {
  TOOL_TOKEN_OBJECT_END,
  TOOL_TOKEN_ARRAY, // [
  TOOL_TOKEN_ARRAY_END,
  TOOL_TOKEN_COLON,
  TOOL_TOKEN_COMMA,
  TOOL_TOKEN_STRING,
  TOOL_TOKEN_NUMBER,
  TOOL_TOKEN_WORD, // true, false, null
} tool_token;

typedef struct tool_json {
  tool_stream *stream;
  tool_error *error;
  tool_token token;       // the current one
  tool_position position; // where it begins
  char *text;             // of a string, number or word, NUL-terminated
  size_t text_size, text_capacity;
} tool_json;

// Reads the first token.
bool tool_json_open(tool_json *json, tool_stream *stream, tool_error *error);
void tool_json_close(tool_json *json);

bool tool_json_next(tool_json *json);

// Fails with "expected <what>, found <the token>".
bool tool_json_expected(tool_json *json, const char *what);

// Steps past a token of this kind, which must be the current one.
bool tool_json_take(tool_json *json, tool_token token, const char *what);

// Steps past a comma, which something other than `end` must follow.
bool tool_json_take_comma(tool_json *json, tool_token end, const char *what);

// Steps past the value that begins here.
bool tool_json_skip(tool_json *json);

#endif // STOWAGE_TOOL_JSON_TOKEN_H
