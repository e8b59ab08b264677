//===- interrupt.h - a request to stop, from the keyboard -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_INTERRUPT_H
#define STOWAGE_TOOL_INTERRUPT_H

#include <stdbool.h>

// From here on the first Ctrl-C (SIGINT) or SIGTERM is only noted; the second ends the process as
// ever.
void tool_watch_interrupts(void);
bool tool_interrupted(void);

#endif // STOWAGE_TOOL_INTERRUPT_H
