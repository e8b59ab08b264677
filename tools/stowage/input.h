//===- input.h - an instance from a named file ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_INPUT_H
#define STOWAGE_TOOL_INPUT_H

#include "instance.h"
#include "options.h"

// Reads the file, CSV or JSON, or standard input where `name` is "-", as the options --arena and
// --spaces say. On false a message has been printed.
bool tool_load(const char *name, const tool_options *options, tool_instance *out_instance);

#endif // STOWAGE_TOOL_INPUT_H
