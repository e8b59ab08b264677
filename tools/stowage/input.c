//===- input.c - an instance from a named file ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "input.h"

#include "command.h"
#include "readers.h"
#include "spaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t read_file(void *user, char *bytes, size_t size, bool *out_failed) {
  FILE *const file = user;
  const size_t got = fread(bytes, 1, size, file);
  *out_failed = ferror(file) != 0;
  return got;
}

static bool read_into(const char *name, FILE *file, size_t arena, tool_instance *instance) {
  tool_error error;
  tool_stream *const stream = malloc(sizeof *stream);
  if (stream)
    tool_stream_open(stream, read_file, file);
  const bool done =
      stream ? tool_read_any(stream, arena, instance, &error) : tool_fail_memory(&error);
  free(stream);
  if (!done)
    tool_print_error(name, &error);
  return done;
}

// A directory opens like a file.
static bool is_directory(FILE *file) {
  struct stat about;
  return !fstat(fileno(file), &about) && S_ISDIR(about.st_mode);
}

static bool complain(const char *name, const char *what) {
  fprintf(stderr, "%s: error: %s\n", name, what);
  return false;
}

static bool read_named(const char *name, size_t arena, tool_instance *instance) {
  if (!strcmp(name, "-"))
    return read_into("<stdin>", stdin, arena, instance);
  FILE *const file = fopen(name, "rb");
  if (!file)
    return complain(name, strerror(errno));
  const bool done = is_directory(file)
                        ? complain(name, "is a directory; expected a CSV or JSON file")
                        : read_into(name, file, arena, instance);
  fclose(file);
  return done;
}

static void print_warnings(const char *name, const tool_instance *instance) {
  static const char *const texts[] = {
#define TOOL_WARNING_TEXT(ENUM, TEXT) TEXT,
      TOOL_WARNINGS(TOOL_WARNING_TEXT)
#undef TOOL_WARNING_TEXT
  };
  for (size_t i = 0; i < TOOL_WARNING_COUNT; i++) {
    const tool_warning *const warning = &instance->warnings[i];
    if (!warning->count)
      continue;
    fprintf(stderr, "%s:%zu:%zu: warning: %s", name, warning->first.line, warning->first.column,
            texts[i]);
    if (warning->count > 1)
      fprintf(stderr, " (and %zu more)", warning->count - 1);
    fputc('\n', stderr);
  }
}

// One capacity cannot be that of several memories.
static bool check_capacity(const char *name, const tool_options *options,
                           const tool_instance *instance) {
  return !options->capacity || instance->space_count < 2 ||
         complain(name, "--capacity is that of one memory and there are several; give each its "
                        "own with --spaces=NAME:CAPACITY,...");
}

bool tool_load(const char *name, const tool_options *options, tool_instance *out_instance) {
  tool_instance_open(out_instance);
  const bool done = tool_declare_spaces(out_instance, options->spaces) &&
                    read_named(name, options->arena, out_instance) &&
                    check_capacity(tool_source_name(name), options, out_instance);
  print_warnings(tool_source_name(name), out_instance);
  if (!done)
    tool_instance_release(out_instance);
  return done;
}
