//===- interrupt.c - a request to stop, from the keyboard -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

// Signals have nothing but globals to talk through; this is the only one in the project.
static volatile sig_atomic_t noted;

static void note(int number) {
  (void)number;
  noted = 1;
}

void tool_watch_interrupts(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool tool_interrupted(void) { return noted != 0; }
