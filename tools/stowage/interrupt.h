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

// From here on a signal that ends the process removes the file `name` first, which is kept by the
// caller until the next call; NULL: no file.
void tool_guard_draft(const char *name);

#endif // STOWAGE_TOOL_INTERRUPT_H
