//===- json_token.c - JSON, one token at a time ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "json_token.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

bool tool_json_open(tool_json *json, tool_stream *stream, tool_error *error) {
  *json = (tool_json){.stream = stream, .error = error};
  return tool_json_next(json);
}

void tool_json_close(tool_json *json) {
  free(json->text);
  json->text = NULL;
}

//===----------------------------------------------------------------------===//
// Text of a token
//===----------------------------------------------------------------------===//

static bool append(tool_json *json, char c) {
  if (json->text_size == TOOL_STRING_LIMIT)
    return tool_fail(json->error, json->position, "a string of more than %d bytes",
                     TOOL_STRING_LIMIT);
  if (!tool_reserve((void **)&json->text, &json->text_capacity, json->text_size + 2, 1))
    return tool_fail_memory(json->error);
  json->text[json->text_size++] = c;
  json->text[json->text_size] = '\0';
  return true;
}

static bool append_utf8(tool_json *json, unsigned long code) {
  if (code < 0x80)
    return append(json, (char)code);
  if (code < 0x800)
    return append(json, (char)(0xC0 | code >> 6)) && append(json, (char)(0x80 | (code & 0x3F)));
  if (code < 0x10000)
    return append(json, (char)(0xE0 | code >> 12)) &&
           append(json, (char)(0x80 | (code >> 6 & 0x3F))) &&
           append(json, (char)(0x80 | (code & 0x3F)));
  return append(json, (char)(0xF0 | code >> 18)) &&
         append(json, (char)(0x80 | (code >> 12 & 0x3F))) &&
         append(json, (char)(0x80 | (code >> 6 & 0x3F))) &&
         append(json, (char)(0x80 | (code & 0x3F)));
}

static int hex_digit(int c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

static bool read_hex4(tool_json *json, unsigned long *out_code) {
  *out_code = 0;
  for (int i = 0; i < 4; i++) {
    const tool_position position = json->stream->position;
    const int digit = hex_digit(tool_next(json->stream));
    if (digit < 0)
      return tool_fail(json->error, position, "expected four hexadecimal digits after \\u");
    *out_code = *out_code << 4 | (unsigned long)digit;
  }
  return true;
}

// A code point after "\u"; of a surrogate pair both halves.
static bool read_code_point(tool_json *json) {
  const tool_position position = json->stream->position;
  unsigned long code, low;
  if (!read_hex4(json, &code))
    return false;
  const bool is_high = code >= 0xD800 && code < 0xDC00;
  if (is_high && tool_next(json->stream) == '\\' && tool_next(json->stream) == 'u') {
    if (!read_hex4(json, &low))
      return false;
    if (low >= 0xDC00 && low < 0xE000)
      return append_utf8(json, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
  }
  const bool is_control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  if (is_control || (code >= 0xD800 && code < 0xE000))
    return tool_fail(json->error, position, "\\u%04lx: not a character of a text", code);
  return append_utf8(json, code);
}

static bool read_escape(tool_json *json) {
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/  \n\r\t";
  const tool_position position = json->stream->position;
  const int c = tool_next(json->stream);
  if (c == 'u')
    return read_code_point(json);
  const char *const at = c > 0 ? strchr(names, c) : NULL;
  return at ? append(json, meanings[at - names])
            : tool_fail(json->error, position, "expected an escape such as \\n or \\u000a");
}

static bool read_string(tool_json *json) {
  tool_next(json->stream);
  if (!append(json, '\0'))
    return false;
  json->text_size = 0;
  for (;;) {
    const tool_position position = json->stream->position;
    const int c = tool_next(json->stream);
    if (c == '"')
      return true;
    if (c == TOOL_END)
      return tool_fail(json->error, json->position, "a string that never ends");
    if (c < 0x20)
      return tool_fail(json->error, position, "byte 0x%02x in a string", (unsigned)c);
    if (!(c == '\\' ? read_escape(json) : append(json, (char)c)))
      return false;
  }
}

static bool is_word(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '+' || c == '.';
}

static bool read_word(tool_json *json) {
  while (is_word(tool_peek(json->stream)))
    if (!append(json, (char)tool_next(json->stream)))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static const char punctuation[] = "{}[]:,";
static const tool_token punctuation_tokens[] = {TOOL_TOKEN_OBJECT, TOOL_TOKEN_OBJECT_END,
                                                TOOL_TOKEN_ARRAY,  TOOL_TOKEN_ARRAY_END,
                                                TOOL_TOKEN_COLON,  TOOL_TOKEN_COMMA};

static const char *after_digits(const char *text) { return text + strspn(text, "0123456789"); }

// "-0.5e+3": digits without a leading zero, and where wanted a fraction and an exponent.
static bool is_number(const char *text) {
  text += *text == '-';
  const char *end = *text == '0' ? text + 1 : after_digits(text);
  if (end == text)
    return false;
  if (*end == '.') {
    text = end + 1;
    end = after_digits(text);
    if (end == text)
      return false;
  }
  if (*end == 'e' || *end == 'E') {
    text = end + 1 + (end[1] == '-' || end[1] == '+');
    end = after_digits(text);
    if (end == text)
      return false;
  }
  return !*end;
}

static bool is_known_word(const char *text) {
  return !strcmp(text, "true") || !strcmp(text, "false") || !strcmp(text, "null");
}

static bool read_literal(tool_json *json, int first) {
  const bool number = first == '-' || (first >= '0' && first <= '9');
  json->token = number ? TOOL_TOKEN_NUMBER : TOOL_TOKEN_WORD;
  if (!is_word(first))
    return tool_fail(json->error, json->position, "byte 0x%02x: expected JSON", (unsigned)first);
  if (!read_word(json))
    return false;
  return (number ? is_number(json->text) : is_known_word(json->text)) ||
         tool_fail(json->error, json->position, "expected a value, found %s",
                   tool_quote(json->text, json->text_size).text);
}

bool tool_json_next(tool_json *json) {
  while (is_blank(tool_peek(json->stream)))
    tool_next(json->stream);
  json->position = json->stream->position;
  json->text_size = 0;
  const int c = tool_peek(json->stream);
  const char *const mark = c > 0 ? strchr(punctuation, c) : NULL;
  if (c == TOOL_END) {
    json->token = TOOL_TOKEN_END;
    return tool_stream_check(json->stream, json->error);
  }
  if (mark) {
    json->token = punctuation_tokens[mark - punctuation];
    tool_next(json->stream);
    return true;
  }
  if (c != '"')
    return read_literal(json, c);
  json->token = TOOL_TOKEN_STRING;
  return read_string(json);
}

static const char *token_name(tool_token token) {
  static const char *const names[] = {
      "the end of the input", "'{'", "'}'", "'['", "']'", "':'", "','", "", "", ""};
  return names[token];
}

bool tool_json_expected(tool_json *json, const char *what) {
  const bool shown = json->token >= TOOL_TOKEN_STRING;
  const tool_excerpt text = tool_quote(shown ? json->text : "", shown ? json->text_size : 0);
  const bool word = json->token == TOOL_TOKEN_WORD;
  return tool_fail(json->error, json->position, "expected %s, found %s", what,
                   word    ? json->text
                   : shown ? text.text
                           : token_name(json->token));
}

bool tool_json_take(tool_json *json, tool_token token, const char *what) {
  return json->token == token ? tool_json_next(json) : tool_json_expected(json, what);
}

bool tool_json_take_comma(tool_json *json, tool_token end, const char *what) {
  const tool_position comma = json->position;
  if (!tool_json_take(json, TOOL_TOKEN_COMMA, what))
    return false;
  return json->token != end ||
         tool_fail(json->error, comma, "a ',' with only %s after it; remove it", token_name(end));
}

//===----------------------------------------------------------------------===//
// Values that are not wanted
//===----------------------------------------------------------------------===//

// The brackets that are open, innermost last, and whether each is an object's.
typedef struct open_brackets {
  size_t depth;
  bool object[TOOL_JSON_DEPTH];
} open_brackets;

static bool in_object(const open_brackets *open) { return open->object[open->depth - 1]; }

static tool_token closing_token(const open_brackets *open) {
  return in_object(open) ? TOOL_TOKEN_OBJECT_END : TOOL_TOKEN_ARRAY_END;
}

static bool open_bracket(tool_json *json, open_brackets *open) {
  if (open->depth == TOOL_JSON_DEPTH)
    return tool_fail(json->error, json->position, "values nested more than %d deep",
                     TOOL_JSON_DEPTH);
  open->object[open->depth++] = json->token == TOOL_TOKEN_OBJECT;
  return tool_json_next(json);
}

static bool close_brackets(tool_json *json, open_brackets *open) {
  while (open->depth && json->token == closing_token(open)) {
    open->depth--;
    if (!tool_json_next(json))
      return false;
  }
  return true;
}

// In an object there is a name before each value.
static bool go_to_value(tool_json *json, const open_brackets *open) {
  return !in_object(open) || (tool_json_take(json, TOOL_TOKEN_STRING, "the name of a member") &&
                              tool_json_take(json, TOOL_TOKEN_COLON, "':'"));
}

static bool go_to_next_value(tool_json *json, const open_brackets *open) {
  return tool_json_take_comma(json, closing_token(open),
                              in_object(open) ? "',' or '}'" : "',' or ']'") &&
         go_to_value(json, open);
}

bool tool_json_skip(tool_json *json) {
  open_brackets open;
  open.depth = 0;
  do {
    const bool opening = json->token == TOOL_TOKEN_OBJECT || json->token == TOOL_TOKEN_ARRAY;
    if (!opening && json->token < TOOL_TOKEN_STRING)
      return tool_json_expected(json, "a value");
    if (!(opening ? open_bracket(json, &open) : tool_json_next(json)))
      return false;
    const bool first = opening && json->token != closing_token(&open);
    if (!first && !close_brackets(json, &open))
      return false;
    if (open.depth && !(first ? go_to_value : go_to_next_value)(json, &open))
      return false;
  } while (open.depth);
  return true;
}
