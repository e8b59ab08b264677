//===- stream.c - bytes of an input, one at a time, with their place ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream.h"

#include <string.h>

void tool_stream_open(tool_stream *stream, tool_read *read, void *user) {
  stream->read = read;
  stream->user = user;
  stream->position = (tool_position){1, 1};
  stream->at = stream->filled = 0;
  stream->ended = stream->failed = false;
}

static bool refill(tool_stream *stream) {
  if (stream->ended)
    return false;
  stream->filled = stream->read(stream->user, stream->chunk, TOOL_CHUNK, &stream->failed);
  stream->at = 0;
  stream->ended = stream->filled == 0 || stream->failed;
  if (stream->ended)
    stream->filled = 0;
  return !stream->ended;
}

int tool_peek(tool_stream *stream) {
  if (stream->at == stream->filled && !refill(stream))
    return TOOL_END;
  return (unsigned char)stream->chunk[stream->at];
}

int tool_next(tool_stream *stream) {
  const int c = tool_peek(stream);
  if (c == TOOL_END)
    return c;
  stream->at++;
  stream->position.column++;
  if (c == '\n')
    stream->position = (tool_position){stream->position.line + 1, 1};
  return c;
}

void tool_skip_byte_order_mark(tool_stream *stream) {
  if (tool_peek(stream) != TOOL_END && stream->filled >= 3 &&
      !memcmp(stream->chunk, "\xEF\xBB\xBF", 3))
    stream->at = 3;
}

static bool begins_with(const tool_stream *stream, const char *bytes, size_t size) {
  return stream->filled >= size && !memcmp(stream->chunk, bytes, size);
}

static bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// With a byte order mark, or a first character of ASCII in two bytes.
static bool is_utf16(const tool_stream *stream) {
  const char *const bytes = stream->chunk;
  return begins_with(stream, "\xFF\xFE", 2) || begins_with(stream, "\xFE\xFF", 2) ||
         (stream->filled > 1 &&
          ((!bytes[0] && is_printable(bytes[1])) || (is_printable(bytes[0]) && !bytes[1])));
}

bool tool_stream_check_text(tool_stream *stream, tool_error *out_error) {
  if (tool_peek(stream) == TOOL_END)
    return true;
  if (begins_with(stream, "\x1F\x8B", 2))
    return tool_fail(out_error, stream->position,
                     "compressed with gzip; expected text: unpack it with 'gunzip' first");
  return !is_utf16(stream) ||
         tool_fail(out_error, stream->position,
                   "text in UTF-16; expected UTF-8: save or convert it as such");
}

bool tool_stream_check(const tool_stream *stream, tool_error *out_error) {
  return !stream->failed || tool_fail(out_error, (tool_position){0, 0}, "cannot be read");
}
