//===- streams.h - the order of a device's work ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the flow and its ranges. Shortens pieces and adds pairs that may share bytes.
//
// What work uses is in use until the host has waited for it: that is its piece (ranges.h). But work
// of GPU ops begins when all is done that its tokens stand for, so that two buffers of one stream
// can share bytes long before a wait. Of buffers that gpu.alloc makes
//
//   a piece ends behind the last access to another one that may begin before all accesses to it
//           are done. With one stream that is all there is to say.
//   a pair  can share bytes though their pieces meet, where all accesses to one are done before any
//           to the other begins: two in one stream, beside another one.
//
// The order is that of one block: both are allocated in it, no access is in a region of its ops,
// and the host has waited for all accesses where the block ends, so that what is behind it, or its
// next run, need not be asked about.
//
// Where a loop carries the tokens on, a buffer that an iteration allocates is live in all of the
// loop and until the last token is waited for. It can be planned if each iteration uses it behind
// the work of the one before, so that all of them can have the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_STREAMS_H
#define STOWAGE_IR_STREAMS_H

#include "ir/ranges.h"

// Shortens the pieces of wanted allocs, and adds to the pairs, which ascend.
void stow_ir_order_streams(const stow_flow *flow, const bool *wanted, stow_ranges *ranges,
                           stow_pairs *pairs);

// Whether all that an iteration of the loop around an alloc does to it is done before the next one
// uses what it allocates.
bool stow_ir_stream_is_carried(const stow_flow *flow, size_t alloc);

#endif // STOWAGE_IR_STREAMS_H
