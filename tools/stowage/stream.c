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

bool tool_stream_check(const tool_stream *stream, tool_error *out_error) {
  return !stream->failed || tool_fail(out_error, (tool_position){0, 0}, "cannot be read");
}
