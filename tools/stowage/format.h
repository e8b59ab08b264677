//===- format.h - CSV or JSON, by name ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_FORMAT_H
#define STOWAGE_TOOL_FORMAT_H

#include "instance.h"
#include "options.h"

typedef enum tool_format { TOOL_FORMAT_UNKNOWN, TOOL_FORMAT_CSV, TOOL_FORMAT_JSON } tool_format;

// What --to says, else what the name ends in, else `preset`. UNKNOWN: a message has been printed.
// Whether the name that an option has given has this ending, or none. On false a message has been
// printed.
bool tool_check_ending(const char *command, const char *option, const char *name,
                       const char *ending);

tool_format tool_choose_format(const tool_options *options, tool_format preset);

// Whether CSV can hold the instance; where not, a message has been printed.
bool tool_check_csv(const tool_instance *instance, const char *source);

// Writes the instance, with the offsets it has, into options->result. On false a message has been
// printed.
bool tool_write_instance(const tool_instance *instance, const tool_options *options,
                         tool_format format);

#endif // STOWAGE_TOOL_FORMAT_H
