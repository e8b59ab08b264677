//===- align.h - which loops of a writer and a reader may become common ones ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_ALIGN_H
#define STOWAGE_TASKFLOW_ALIGN_H

#include "taskflow/order.h"
#include "taskflow/reasons.h"
#include "taskflow/values.h"

typedef struct stow_alignments {
  stow_alignment *at; // the most promising first
  size_t count, capacity;
  stow_fusion_reason reason; // why there is none
} stow_alignments;

typedef struct stow_align_options {
  bool permutation; // also other than loop by loop from the outermost, with equal bounds
  bool reduction;   // also fewer than all loops
} stow_align_options;

// Alignments under which a store of the writer and a load of the reader name the same cell of one
// of `buffers` in the same iteration of the common loops. They are not proven legal.
stow_alignments stow_align(const stow_loop_nest *writer, const stow_loop_nest *reader,
                           const stow_values *buffers, stow_align_options options);

void stow_alignments_free(stow_alignments *alignments);

#endif // STOWAGE_TASKFLOW_ALIGN_H
