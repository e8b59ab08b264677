//===- about.h - what the commands are for, in sentences ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prose that --help and the man pages share. A paragraph is one string; "\n\n"
// separates them, and a paragraph that begins with two blanks is shown as it is.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_ABOUT_H
#define STOWAGE_TOOL_ABOUT_H

#include "options.h"

// Of a command, or of the whole tool where it is NULL.
const char *tool_about(const tool_command *command);

#endif // STOWAGE_TOOL_ABOUT_H
