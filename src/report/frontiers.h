//===- frontiers.h - what fewer bytes cost, described ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What report.h is to a planned memory, this is to what fit-memory finds: for each function the
// least time, or traffic, for so many bytes. Strings are the caller's and never NULL unless said.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_FRONTIERS_H
#define STOWAGE_REPORT_FRONTIERS_H

#include "report.h"

typedef enum stow_report_action {
  STOW_REPORT_AGAIN,   // an op runs again
  STOW_REPORT_SPILLED, // a buffer goes to the second memory and comes back
  STOW_REPORT_PLACED,  // a buffer lies there all the time
} stow_report_action;

typedef struct stow_report_extra {
  const char *op; // the op, or the one that makes the buffer
  const char *location;
  stow_report_action action;
  size_t times;  // that it runs again, or comes back; 1
  uint64_t cost; // of all times
} stow_report_extra;

typedef struct stow_report_point {
  uint64_t bytes; // alive at the worst moment
  uint64_t cost;  // beyond each op once
  uint64_t bound; // no choice with as few bytes alive costs less; equal to `cost`: proven
  const stow_report_extra *extras; // in program order
  size_t extra_count;
} stow_report_point;

typedef struct stow_report_fitted {
  const char *function;
  uint64_t before, after;          // bytes of its arenas; of several memories, in the first
  uint64_t *arenas;                // bytes of its arenas per memory, where these are told
  uint64_t cost;                   // of each op once
  const stow_report_point *points; // from the most bytes to the fewest
  size_t point_count;
  uint64_t impossible; // no choice of these buffers has so few bytes alive; 0: not known
} stow_report_fitted;

typedef struct stow_report_memory {
  const char *name;
  uint64_t bytes;
} stow_report_memory;

typedef struct stow_report_frontiers {
  const char *title;
  const char *measure; // what costs are of: "time"
  uint64_t capacity;
  const stow_report_memory *memories; // the fastest first; its bytes are the capacity
  size_t memory_count;                // 0: there is one, without a name
  const stow_report_fitted *functions;
  size_t function_count;
  const char *note;             // why nothing was done, or NULL
  const char *map, *map_before; // of the page: the reports, as JSON, of the memory that is planned
                                // afterwards and before; or NULL
} stow_report_frontiers;

void stow_report_frontiers_text(const stow_report_frontiers *report, stow_sink sink);

// Everything, as one JSON object with a "version" field.
void stow_report_frontiers_json(const stow_report_frontiers *report, stow_sink sink);

// The page of the memory map with a picture of each frontier.
void stow_report_frontiers_html(const stow_report_frontiers *report, stow_sink sink);

// A section of that page: per function bytes against time, and a table of the points.
void stow_report_put_frontiers(const stow_report_frontiers *report, stow_sink sink);

#endif // STOWAGE_REPORT_FRONTIERS_H
