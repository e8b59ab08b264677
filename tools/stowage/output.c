//===- output.c - files that are whole or not there -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool complain(const char *name, int reason) {
  fprintf(stderr, "%s: error: cannot be written: %s\n", name, strerror(reason));
  return false;
}

// A device or a pipe is written as it is: it must not be replaced by a file.
static bool is_special(const char *name) {
  struct stat about;
  return !stat(name, &about) && !S_ISREG(about.st_mode);
}

static char *draft_name(const char *name) {
  static const char suffix[] = ".partial";
  const size_t size = strlen(name);
  char *const draft = malloc(size + sizeof suffix);
  if (draft) {
    memcpy(draft, name, size);
    memcpy(draft + size, suffix, sizeof suffix);
  }
  return draft;
}

bool tool_output_open(const char *name, tool_output *out_output) {
  *out_output = (tool_output){.name = name, .file = stdout};
  if (!strcmp(name, "-"))
    return true;
  if (!is_special(name)) {
    out_output->draft = draft_name(name);
    if (!out_output->draft)
      return complain(name, ENOMEM);
  }
  out_output->file = fopen(out_output->draft ? out_output->draft : name, "wb");
  if (out_output->file)
    return true;
  complain(name, errno);
  free(out_output->draft);
  return false;
}

static bool finish(FILE *file) {
  const bool failed = fflush(file) || ferror(file);
  return (file == stdout || !fclose(file)) && !failed;
}

bool tool_output_close(tool_output *output, bool keep) {
  errno = 0;
  bool done = finish(output->file);
  if (done && keep && output->draft)
    done = !rename(output->draft, output->name);
  if (!done)
    complain(output->name, errno ? errno : EIO);
  if (output->draft && !(done && keep))
    remove(output->draft);
  free(output->draft);
  return done;
}

static void write_file(void *user, const char *text, size_t size) { fwrite(text, 1, size, user); }

stow_sink tool_file_sink(FILE *file) { return (stow_sink){write_file, file}; }
