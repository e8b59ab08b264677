//===- output.h - files that are whole or not there -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is written beside its final name and takes that name when all of it is
// written, so a reader never sees half of one and a failure leaves the old one alone;
// a signal that ends the process takes the draft with it. "-" is standard output.
// Devices and pipes are written as they are, and what a symbolic link points to is
// replaced, not the link.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_OUTPUT_H
#define STOWAGE_TOOL_OUTPUT_H

#include "report.h"

#include <stdio.h>

typedef struct tool_output {
  const char *name;
  char *target,
      *draft; // the file and what it is called until it is whole; NULL where written as is
  FILE *file;
} tool_output;

// On false a message has been printed.
bool tool_output_open(const char *name, tool_output *out_output);

// Gives the file its name, or removes it where `keep` is false or writing has failed. On false a
// message has been printed.
bool tool_output_close(tool_output *output, bool keep);

// Whether a file of this name can be written, asked before long work; leaves nothing behind. On
// false a message has been printed. Empty names and "-" can be.
bool tool_output_check(const char *name);

// Text into a FILE; failures are seen in its error flag.
stow_sink tool_file_sink(FILE *file);

// Whether all that was printed has been taken; where not, a message has been printed.
bool tool_flush_stdout(void);

// Makes descriptors 0 to 2 open, so that no file is taken for a standard stream that was closed.
void tool_open_standard_streams(void);

#endif // STOWAGE_TOOL_OUTPUT_H
