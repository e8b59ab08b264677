//===- output.c - files that are whole or not there -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "output.h"

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const char *name, int reason) {
  fprintf(stderr, "%s: error: cannot be written: %s\n", strcmp(name, "-") ? name : "<stdout>",
          strerror(reason));
  return false;
}

static bool starts_with(const char *text, const char *start) {
  return !strncmp(text, start, strlen(start));
}

// A device or a pipe must not be replaced by a file, and /dev/stdout is whatever it is.
static bool is_special(const char *name) {
  struct stat about;
  return starts_with(name, "/dev/") || starts_with(name, "/proc/") ||
         (!stat(name, &about) && !S_ISREG(about.st_mode));
}

//===----------------------------------------------------------------------===//
// Drafts
//===----------------------------------------------------------------------===//

// What `name` stands for: a link's target, else a copy of the name itself.
static char *target_of(const char *name) {
  struct stat about;
  char *const target = !lstat(name, &about) && S_ISLNK(about.st_mode) ? realpath(name, NULL) : NULL;
  return target ? target : strdup(name);
}

enum { DRAFT_SUFFIX = 40 };

// Opens a draft of a name that no file has; -1 with errno where that cannot be.
static int open_draft(tool_output *output) {
  const size_t room = strlen(output->target) + DRAFT_SUFFIX;
  output->draft = malloc(room);
  for (unsigned i = 0; output->draft && i < 100; i++) {
    snprintf(output->draft, room, "%s.%ld-%u.partial", output->target, (long)getpid(), i);
    const int draft = tool_create_draft(output->draft);
    if (draft >= 0 || errno != EEXIST)
      return draft;
  }
  return -1;
}

// A file that is there keeps its permissions, and is not replaced where it may not be written.
static bool take_permissions(const tool_output *output, int draft) {
  struct stat about;
  if (stat(output->target, &about))
    return true;
  return !access(output->target, W_OK) && !fchmod(draft, about.st_mode & 07777);
}

static void drop_draft(tool_output *output) {
  tool_release_draft();
  free(output->draft);
  free(output->target);
  output->draft = output->target = NULL;
}

static bool start_draft(tool_output *output) {
  output->target = target_of(output->name);
  const int draft = output->target ? open_draft(output) : -1;
  if (draft >= 0) {
    output->file = take_permissions(output, draft) ? fdopen(draft, "wb") : NULL;
    if (output->file)
      return true;
  }
  complain(output->name, errno);
  if (draft >= 0) {
    close(draft);
    remove(output->draft);
  }
  drop_draft(output);
  return false;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

bool tool_output_open(const char *name, tool_output *out_output) {
  *out_output = (tool_output){.name = name, .file = stdout};
  if (!strcmp(name, "-"))
    return true;
  if (!is_special(name))
    return start_draft(out_output);
  out_output->file = fopen(name, "wb");
  return out_output->file || complain(name, errno);
}

static bool finish(FILE *file) {
  const bool failed = fflush(file) || ferror(file);
  return (file == stdout || !fclose(file)) && !failed;
}

bool tool_output_close(tool_output *output, bool keep) {
  errno = 0;
  bool done = finish(output->file);
  if (done && keep && output->draft)
    done = !rename(output->draft, output->target);
  if (!done)
    complain(output->name, errno ? errno : EIO);
  if (output->draft && !(done && keep))
    remove(output->draft);
  drop_draft(output);
  return done;
}

static bool is_directory(const char *name) {
  struct stat about;
  return !stat(name, &about) && S_ISDIR(about.st_mode);
}

bool tool_output_check(const char *name) {
  tool_output output;
  if (is_directory(name))
    return complain(name, EISDIR);
  if (!*name || !strcmp(name, "-") || is_special(name))
    return true;
  return tool_output_open(name, &output) && tool_output_close(&output, false);
}

static void write_file(void *user, const char *text, size_t size) { fwrite(text, 1, size, user); }

stow_sink tool_file_sink(FILE *file) { return (stow_sink){write_file, file}; }

bool tool_flush_stdout(void) {
  errno = 0;
  return (!fflush(stdout) && !ferror(stdout)) || complain("-", errno ? errno : EIO);
}

void tool_open_standard_streams(void) {
  int file;
  do
    file = open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0)
    close(file);
}
