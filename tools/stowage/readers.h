//===- readers.h - instances out of files ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The readers fill an instance that has been opened, and may hold spaces declared
// beforehand. On false it holds what had been read, and is to be released.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_READERS_H
#define STOWAGE_TOOL_READERS_H

#include "instance.h"
#include "stream.h"

// A CSV table with a header, as minimalloc reads and writes it. Columns, in any order:
//   id | buffer | buffer_id      a name no other row has
//   lower | begin | start        first point of the life
//   upper                        one past its last point
//   end                          its last point (then gaps are inclusive too)
//   size                         bytes
//   alignment                    optional, a power of two
//   gaps                         optional: "10-20 30-40@0:64", holes in the life, in the second of
//                                which the buffer keeps its bytes [0, 64)
//   offset                       optional, bytes; an empty field or -1 is none
//   hint                         optional, the same: kept for other planners
//   space                        optional: the memory that the offset is in; else the first
//   spaces                       optional: the memories it may go to
//   exclusive, colocated, may_colocate   optional: ids of other buffers; see plan.h
//   name, op, layer, type, location  optional, for people
// Case does not matter; other columns are ignored.
bool tool_read_csv(tool_stream *stream, tool_instance *instance, tool_error *out_error);

// The project's own JSON, as stow_report_json writes it: {"arenas": [{"buffers": [...]}]}, or
// {"buffers": [...]} alone. Of a buffer "size", "begin" and "end" are needed; lives are half-open.
// Its other members are named as the columns above, lists being arrays, and "pieces" takes the
// place of gaps: [[begin, end], [begin, end, low, high]]. "spaces" beside the buffers has objects
// of "name", "capacity" and "cost". `arena` counts from 1; 0 stands for the only one.
bool tool_read_json(tool_stream *stream, size_t arena, tool_instance *instance,
                    tool_error *out_error);

// A whole report: `check` is asked of one arena after the other, and ends the reading with false.
// `*out_report` is false where the buffers are outside of arenas; then nothing was checked.
typedef bool tool_check_arena(void *user, const tool_instance *arena);
bool tool_read_report(tool_stream *stream, tool_check_arena *check, void *user, bool *out_report,
                      tool_error *out_error);

// JSON where the first byte that is not blank is '{' or '[', else CSV.
bool tool_read_any(tool_stream *stream, size_t arena, tool_instance *instance,
                   tool_error *out_error);

#endif // STOWAGE_TOOL_READERS_H
