// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The console of a computer.

#include "console.h"

#include <stdio.h>
#include <stdlib.h>

void print_text(const char *text) { fputs(text, stdout); }

void finish(int status) { exit(status); }

unsigned ticks(void) { return 0; }
