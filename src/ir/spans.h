//===- spans.h - where one name is live -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the flow. Computes the *spans* of each name, segment by segment: it is followed
// backwards over the jumps from its mentions to its definition, as the liveness of SSA values is.
// ranges.h joins the spans of all names of a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SPANS_H
#define STOWAGE_IR_SPANS_H

#include "ir/ranges.h"

// What is known of one segment, as long as it carries the current epoch.
typedef struct stow_cell {
  uint32_t epoch;
  bool in, out;       // live at its beginning, and at its end
  bool reached;       // of a buffer: may have been touched before it
  int64_t touch;      // of a buffer: the first in it, or INT64_MAX
  int32_t head, tail; // of a name: its items
} stow_cell;

// Scratch for work on segments: cells, and a stack. To begin anew costs nothing.
typedef struct stow_cells {
  stow_cell *of_segment;
  uint32_t epoch;
  int32_t *listed; // segments with a current cell
  int32_t *stack;  // of segments; each is on it once at most
  size_t listed_count, height;
  int64_t *budget; // a cell costs a step
} stow_cells;

void stow_cells_begin(stow_cells *cells);
stow_cell *stow_cell_of(stow_cells *cells, int32_t segment); // made current

// A mention of the name, as far as it is in one segment.
typedef struct stow_span_item {
  int64_t begin, end;
  bool touches, overwrites, leaves;
  int32_t next; // in the segment
} stow_span_item;

typedef struct stow_span_tracer {
  const stow_flow *flow;
  stow_ranges *result;
  stow_index before; // per segment: those whose jumps lead to it
  stow_cells cells;  // the caller's to use between names
  STOW_ARRAY(stow_span_item) items;
} stow_span_tracer;

stow_span_tracer stow_span_tracer_for(const stow_flow *flow, stow_ranges *result);
void stow_span_tracer_free(stow_span_tracer *tracer);

// Appends the name's spans to the result's. What they are is not to be relied on once the budget is
// spent.
void stow_ir_trace_name(stow_span_tracer *tracer, int32_t name);

// The segment in which a value is defined.
int32_t stow_ir_home_segment(const stow_flow *flow, int32_t value);

#endif // STOWAGE_IR_SPANS_H
