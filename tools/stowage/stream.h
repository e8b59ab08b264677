//===- stream.h - bytes of an input, one at a time, with their place ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Readers see their input through this: a byte at a time, with line and column, and
// never more than one chunk in memory. Where the bytes come from is the caller's
// affair: a file, standard input, or an array in a test.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_STREAM_H
#define STOWAGE_TOOL_STREAM_H

#include "error.h"

enum { TOOL_END = -1, TOOL_CHUNK = 1 << 16 };

// Stores up to `size` bytes and returns how many; 0 at the end. On a failure it writes
// `out_failed`.
typedef size_t tool_read(void *user, char *bytes, size_t size, bool *out_failed);

typedef struct tool_stream {
  tool_read *read;
  void *user;
  tool_position position; // of the next byte
  size_t at, filled;
  bool ended, failed;
  char chunk[TOOL_CHUNK];
} tool_stream;

void tool_stream_open(tool_stream *stream, tool_read *read, void *user);

// The next byte as an unsigned char, or TOOL_END; tool_next also steps past it.
int tool_peek(tool_stream *stream);
int tool_next(tool_stream *stream);

// Steps past a UTF-8 byte order mark at the beginning, if there is one.
void tool_skip_byte_order_mark(tool_stream *stream);

// False with an error where the input begins as compressed data or UTF-16 does.
bool tool_stream_check_text(tool_stream *stream, tool_error *out_error);

// False with an error where the reading itself failed, for example on a directory.
bool tool_stream_check(const tool_stream *stream, tool_error *out_error);

#endif // STOWAGE_TOOL_STREAM_H
