//===- gap_list.h - a life's gaps, and the pieces they leave --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// minimalloc's files describe a life by what is missing from it, the planner by what
// is there. A gap with a window is one in which the buffer keeps the bytes
// [low, high) of itself.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_GAP_LIST_H
#define STOWAGE_TOOL_GAP_LIST_H

#include "stowage/plan.h"

#include <stdbool.h>

typedef struct tool_gap {
  int64_t begin, end;
  uint64_t low, high; // of the window; equal: none
} tool_gap;

// Kept from row to row, so that a file costs few allocations. Zero-initialised is empty.
typedef struct tool_gap_list {
  tool_gap *gaps;
  size_t count, capacity;
  stow_piece *pieces;
  size_t piece_count, piece_capacity;
} tool_gap_list;

void tool_gap_list_release(tool_gap_list *list);
void tool_gap_list_clear(tool_gap_list *list);

// On false, out of memory.
bool tool_gap_list_add(tool_gap_list *list, const tool_gap *gap);
bool tool_gap_list_add_piece(tool_gap_list *list, const stow_piece *piece);

// Whether a gap is not inside the life.
bool tool_gap_list_reaches_past(const tool_gap_list *list, const stow_buffer *life);

// Cuts the gaps to the life, sorts them and joins those that touch. False where two overlap of
// which one has a window: what is meant is not clear then.
bool tool_gap_list_settle(tool_gap_list *list, const stow_buffer *life);

// The pieces that settled gaps leave. On false, out of memory.
bool tool_gap_list_make_pieces(tool_gap_list *list, const stow_buffer *life);

// Joins pieces that touch and hold the same bytes; none are left where they are all of the life.
void tool_gap_list_join_pieces(tool_gap_list *list, const stow_buffer *life);

#endif // STOWAGE_TOOL_GAP_LIST_H
