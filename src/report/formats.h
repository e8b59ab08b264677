//===- formats.h - the formats of each kind of report ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the option `report` of a pass chooses from. A new format is its rendering and its row in
// formats.c.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_FORMATS_H
#define STOWAGE_REPORT_FORMATS_H

#include "report.h"

typedef struct stow_report_format {
  const char *name;
  void (*put)(const void *report, stow_sink sink); // all of it
  // In its place, for a report of parts: how many there are, one at least, and what writes one.
  size_t (*part_count)(const void *report);
  void (*put_part)(const void *report, size_t part, stow_sink sink);
  bool maps; // it shows memory maps, which a pass makes only where they are asked for
} stow_report_format;

// The first one is what a terminal gets.
typedef struct stow_report_format_list {
  const stow_report_format *at;
  size_t count;
} stow_report_format_list;

extern const stow_report_format_list stow_report_formats;         // of a stow_report
extern const stow_report_format_list stow_report_streams_formats; // of a stow_report_streams
extern const stow_report_format_list stow_report_orders_formats;  // and so on
extern const stow_report_format_list stow_report_frontiers_formats;

#endif // STOWAGE_REPORT_FORMATS_H
