//===- interrupt.h - a request to stop, from the keyboard -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_INTERRUPT_H
#define STOWAGE_TOOL_INTERRUPT_H

#include <stdbool.h>

// From here on the first Ctrl-C (SIGINT), SIGTERM or SIGHUP is only noted; the second ends the
// process as ever. A signal that was ignored before, as nohup does, stays so.
void tool_watch_interrupts(void);
bool tool_interrupted(void);

// Creates a file for writing that is not there yet, and returns its descriptor or -1 with errno.
// From then on a signal that ends the process removes the file first, until the file is released.
// `name` is kept until then; there is one such file at a time.
int tool_create_draft(const char *name);
void tool_release_draft(void);

#endif // STOWAGE_TOOL_INTERRUPT_H
