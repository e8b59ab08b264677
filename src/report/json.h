//===- json.h - the report as JSON, with a choice of escapes --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_JSON_H
#define STOWAGE_REPORT_JSON_H

#include "report.h"

void stow_put_report(const stow_report *report, stow_sink sink,
                     void (*put_string)(stow_sink, const char *));

#endif // STOWAGE_REPORT_JSON_H
