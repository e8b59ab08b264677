//===- json_writer.h - instances into JSON --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_JSON_WRITER_H
#define STOWAGE_TOOL_JSON_WRITER_H

#include "instance.h"
#include "report.h"

// Writes the problem alone, with all that tool_read_json reads of it: {"version": 1, "buffers":
// ...}. A plan with its figures is stow_report_json's.
void tool_write_json(const tool_instance *instance, stow_sink sink);

#endif // STOWAGE_TOOL_JSON_WRITER_H
