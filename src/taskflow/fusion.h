//===- fusion.h - memory-access-streaming-fusion: its account of what it did ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_FUSION_H
#define STOWAGE_TASKFLOW_FUSION_H

#include "stowage/passes.h"
#include "taskflow/taskgraph.h"
#include "taskflow/trial.h"

// A writer and a reader, and what became of them. Text is owned.
typedef struct stow_fusion_record {
  char *function, *writer, *reader, *fused; // fused: NULL where they stay two
  MlirLocation writer_location, reader_location;
  stow_fusion_reason reason;
  MlirLocation blame[2];
  size_t blame_count;
  size_t round;
  size_t buffers;         // that are gone
  uint64_t bytes;         // of these
  uint64_t loads, stores; // saved
} stow_fusion_record;

typedef struct stow_function_fusion {
  MlirOperation function;
  stow_figures before, after;
  size_t unread_buffers; // that nothing read; they are gone
  uint64_t unread_bytes; // of these
  stow_task_graph graph_before, graph_after;
} stow_function_fusion;

typedef struct stow_fusion {
  MlirOperation module;
  stow_fusion_options options;
  // Per function fused ones in their order, then refused ones.
  STOW_ARRAY(stow_fusion_record) records;
  STOW_ARRAY(stow_function_fusion) functions;
} stow_fusion;

// Whether the reports asked for are known and can be written; an error where not.
bool stow_fusion_options_are_valid(const stow_fusion *fusion);

void stow_fusion_remarks(const stow_fusion *fusion);

// Writes what the options ask for. False, with an error, where a file cannot be written.
bool stow_fusion_reports(const stow_fusion *fusion);

#endif // STOWAGE_TASKFLOW_FUSION_H
