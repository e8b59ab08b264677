//===- input.c - an instance from a named file ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "input.h"

#include "readers.h"
#include "spaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t read_file(void *user, char *bytes, size_t size, bool *out_failed) {
  FILE *const file = user;
  const size_t got = fread(bytes, 1, size, file);
  *out_failed = ferror(file) != 0;
  return got;
}

static bool read_into(const char *name, FILE *file, size_t arena, tool_instance *instance) {
  tool_error error;
  tool_stream *const stream = malloc(sizeof *stream);
  if (!stream) {
    tool_fail_memory(&error);
    tool_print_error(name, &error);
    return false;
  }
  tool_stream_open(stream, read_file, file);
  const bool done = tool_read_any(stream, arena, instance, &error);
  free(stream);
  if (!done)
    tool_print_error(name, &error);
  return done;
}

static bool read_named(const char *name, size_t arena, tool_instance *instance) {
  if (!strcmp(name, "-"))
    return read_into("<stdin>", stdin, arena, instance);
  FILE *const file = fopen(name, "rb");
  if (!file) {
    fprintf(stderr, "%s: error: %s\n", name, strerror(errno));
    return false;
  }
  const bool done = read_into(name, file, arena, instance);
  fclose(file);
  return done;
}

bool tool_load(const char *name, const tool_options *options, tool_instance *out_instance) {
  tool_instance_open(out_instance);
  const bool done = tool_declare_spaces(out_instance, options->spaces) &&
                    read_named(name, options->arena, out_instance);
  if (!done)
    tool_instance_release(out_instance);
  return done;
}
