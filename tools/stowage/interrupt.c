//===- interrupt.c - a request to stop, from the keyboard -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

// Signals have nothing but globals to talk through; these are the only ones in the project.
static volatile sig_atomic_t watching, noted;
static const char *_Atomic guarded;

static void on_signal(int number) {
  if (watching && !noted) {
    noted = 1;
    return;
  }
  const char *const draft = guarded;
  if (draft)
    unlink(draft);
  signal(number, SIG_DFL);
  raise(number); // is held back until this function has returned
}

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void catch_signals(void) {
  const struct sigaction ours = {.sa_handler = on_signal};
  for (size_t i = 0; i < NUMBERS; i++) {
    struct sigaction before;
    if (!sigaction(numbers[i], NULL, &before) && before.sa_handler != SIG_IGN)
      sigaction(numbers[i], &ours, NULL);
  }
}

void tool_watch_interrupts(void) {
  watching = 1;
  catch_signals();
}

bool tool_interrupted(void) { return noted != 0; }

// No signal comes between the file and the note of it: it would be left, or not be ours.
int tool_create_draft(const char *name) {
  sigset_t ours, before;
  sigemptyset(&ours);
  for (size_t i = 0; i < NUMBERS; i++)
    sigaddset(&ours, numbers[i]);
  catch_signals();
  sigprocmask(SIG_BLOCK, &ours, &before);
  const int file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666), reason = errno;
  guarded = file >= 0 ? name : NULL;
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = reason;
  return file;
}

void tool_release_draft(void) { guarded = NULL; }
