//===- interrupt.c - a request to stop, from the keyboard -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interrupt.h"

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

static void catch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  const struct sigaction ours = {.sa_handler = on_signal};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
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

void tool_guard_draft(const char *name) {
  guarded = name;
  catch_signals();
}
