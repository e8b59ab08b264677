//===- reuse.h - how often bytes are used again ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_REUSE_H
#define STOWAGE_TOOL_REUSE_H

#include "report.h"

// Pairs of buffers that share bytes, in O(n log n).
stow_status tool_count_reuse(const stow_report_buffer *buffers, size_t count, uint64_t *out_pairs);

#endif // STOWAGE_TOOL_REUSE_H
