//===- round_trip.c - what every reader's fuzz target asks ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "round_trip.h"

#include "csv_writer.h"
#include "json_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes that grow, and a place to read them from.
typedef struct fuzz_text {
  char *bytes;
  size_t size, capacity, at;
} fuzz_text;

static void append(void *user, const char *bytes, size_t size) {
  fuzz_text *const to = user;
  if (to->size + size > to->capacity) {
    to->capacity = 2 * (to->size + size);
    to->bytes = realloc(to->bytes, to->capacity);
    if (!to->bytes)
      abort();
  }
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}

// Small and uneven pieces, so that tokens lie across the ends of chunks.
static size_t read_text(void *user, char *bytes, size_t size, bool *out_failed) {
  fuzz_text *const from = user;
  const size_t left = from->size - from->at;
  size_t count = 1 + from->at % 13;
  (void)out_failed;
  count = count < left ? count : left;
  count = count < size ? count : size;
  if (count)
    memcpy(bytes, from->bytes + from->at, count);
  from->at += count;
  return count;
}

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "round trip: %s\n", what);
  abort();
}

static bool read_json(tool_stream *stream, tool_instance *instance, tool_error *error) {
  return tool_read_json(stream, 0, instance, error);
}

static bool read_from(fuzz_text *from, bool (*read)(tool_stream *, tool_instance *, tool_error *),
                      tool_instance *instance) {
  tool_stream *const stream = malloc(sizeof *stream);
  tool_error error = {.message = ""};
  if (!stream)
    abort();
  tool_stream_open(stream, read_text, from);
  tool_instance_open(instance);
  const bool done = read(stream, instance, &error);
  require(done || *error.message, "refused without a message");
  free(stream);
  return done;
}

typedef fuzz_text (*write_text)(const tool_instance *);

static fuzz_text as_csv(const tool_instance *instance) {
  fuzz_text written = {0};
  tool_write_csv(instance, instance->offsets, instance->placed, (stow_sink){append, &written});
  return written;
}

static fuzz_text as_json(const tool_instance *instance) {
  fuzz_text written = {0};
  tool_write_json(instance, (stow_sink){append, &written});
  return written;
}

static void require_same(const fuzz_text *first, const fuzz_text *second, const char *format) {
  if (first->size == second->size && !memcmp(first->bytes, second->bytes, first->size))
    return;
  fprintf(stderr, "first:\n%.*s\nsecond:\n%.*s\n", (int)first->size, first->bytes,
          (int)second->size, second->bytes);
  require(false, format);
}

// What is written can be read, and is then written the same.
static void check(const tool_instance *instance, const char *format, write_text write,
                  bool (*read)(tool_stream *, tool_instance *, tool_error *)) {
  fuzz_text first = write(instance);
  tool_instance again;
  require(read_from(&first, read, &again), format);
  fuzz_text second = write(&again);
  require_same(&first, &second, format);
  tool_instance_release(&again);
  free(first.bytes);
  free(second.bytes);
}

void fuzz_round_trip(const unsigned char *bytes, size_t size,
                     bool (*read)(tool_stream *, tool_instance *, tool_error *)) {
  fuzz_text input = {.bytes = (char *)bytes, .size = size};
  tool_instance instance;
  if (read_from(&input, read, &instance)) {
    check(&instance, "JSON", as_json, read_json);
    if (!instance.space_count && !tool_csv_misfit(&instance)) // CSV keeps spaces in use only
      check(&instance, "CSV", as_csv, tool_read_csv);
  }
  tool_instance_release(&instance);
}
