//===- csv_writer.h - instances into CSV ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_CSV_WRITER_H
#define STOWAGE_TOOL_CSV_WRITER_H

#include "instance.h"
#include "report.h"

// Writes what tool_read_csv reads: id,lower,upper,size, then the optional columns that say
// something. `offsets` NULL: no such column; an offset of STOW_ANY_OFFSET is an empty field.
// `spaces` has the space of each buffer, and is read where there are several.
void tool_write_csv(const tool_instance *instance, const uint64_t *offsets, const uint32_t *spaces,
                    stow_sink sink);

// A name that CSV cannot hold, or NULL: lists of ids and spaces have blanks between their items.
const char *tool_csv_misfit(const tool_instance *instance);

#endif // STOWAGE_TOOL_CSV_WRITER_H
