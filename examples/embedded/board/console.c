// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text and the end of the program by semihosting: a breakpoint that a debugger, or the emulator,
// answers.

#include "../console.h"

#include <stdint.h>

enum { WRITE0 = 0x04, EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static void semihost(unsigned operation, const void *argument) {
  register unsigned r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void print_text(const char *text) { semihost(WRITE0, text); }

void finish(int status) {
  const uint32_t block[2] = {APPLICATION_EXIT, (uint32_t)status};
  semihost(EXIT_EXTENDED, block);
  for (;;)
    ;
}
