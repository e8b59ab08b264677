//===- model.h - an instance and its plan as a report ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_MODEL_H
#define STOWAGE_TOOL_MODEL_H

#include "instance.h"
#include "report.h"

// What a report is made of. With several spaces, `spaces` has the space of each buffer.
typedef struct tool_plan_view {
  const char *title;  // of what made it: "stowage plan"
  const char *source; // the input's name
  const tool_instance *instance;
  const uint64_t *offsets; // may be NULL where `result` has no plan
  const uint32_t *spaces;
  const stow_plan_result *result;
  uint64_t capacity;
  bool with_fixed; // offsets of the instance were required
} tool_plan_view;

// A report with one arena per space, over an instance that must outlive it.
typedef struct tool_model {
  stow_report report;
  stow_report_arena *arenas;
  stow_report_buffer *buffers; // of all arenas
  tool_instance *parts;        // one per arena where there are several spaces, else NULL
} tool_model;

// On a status other than STOW_OK there is nothing to release.
stow_status tool_model_make(const tool_plan_view *view, tool_model *out_model);

void tool_model_release(tool_model *model);

#endif // STOWAGE_TOOL_MODEL_H
