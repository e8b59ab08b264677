//===- output.h - files that are whole or not there -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is written beside its final name and takes that name when all of it is on
// disk, so a reader never sees half of one and a failure leaves the old one alone.
// "-" is standard output.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_OUTPUT_H
#define STOWAGE_TOOL_OUTPUT_H

#include "report.h"

#include <stdio.h>

typedef struct tool_output {
  const char *name;
  char *draft; // the name it is written under; NULL for standard output and special files
  FILE *file;
} tool_output;

// On false a message has been printed.
bool tool_output_open(const char *name, tool_output *out_output);

// Gives the file its name, or removes it where `keep` is false or writing has failed. On false a
// message has been printed.
bool tool_output_close(tool_output *output, bool keep);

// Text into a FILE; failures are seen in its error flag.
stow_sink tool_file_sink(FILE *file);

#endif // STOWAGE_TOOL_OUTPUT_H
