//===- clock.h - time passed ----------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_CLOCK_H
#define STOWAGE_TOOL_CLOCK_H

#include <stdint.h>

// Of a clock that never goes back. The tool's own: the planner decides nothing by time.
uint64_t tool_microseconds(void);

#endif // STOWAGE_TOOL_CLOCK_H
