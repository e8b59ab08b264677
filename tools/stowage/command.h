//===- command.h - what the commands share --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_COMMAND_H
#define STOWAGE_TOOL_COMMAND_H

#include "instance.h"
#include "options.h"

// "-" as people read it.
const char *tool_source_name(const char *input);

// The one operand of a command. On NULL a message has been printed.
const char *tool_single_input(const tool_options *options);

// Prints what a status other than STOW_OK means for this input; returns the exit for it.
tool_exit tool_report_status(const char *source, stow_status status);

#endif // STOWAGE_TOOL_COMMAND_H
