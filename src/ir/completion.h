//===- completion.h - when work that goes on is done -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes, from the IR of one root at a time, which work is waited for on every path.
//
// Some ops start work and return while it goes on: async.execute, GPU ops with the keyword async,
// nvgpu.device_async_copy, mpi.isend, memref.dma_start. Something stands for the work until another
// op has waited for it:
//
//   a token   a result of the op, or a token of work that waits for this one; a group that it was
//             added to or that is made of it; what control gives it to
//   a tag     the element of memory that dma_start and dma_wait name
//
// Work is *settled* where, on every path from the op that starts it, something that stands for it
// on that path is waited for before control leaves the *root*: the innermost region around the op
// from which control is followed, a function's body or that of an op such as scf.forall. An
// infinite loop without a wait settles nothing.
//
// A wait of nvgpu may leave the newest groups of copies pending. Groups are done in the order in
// which they are made, so it is enough that as many others are made between a group and its wait.
//
// That is a backward data-flow over the root's segments: per token or transfer, how many groups
// must still be made so that what it stands for now will be waited for, or that it will not be.
// That of a token that is made anew says nothing of what it stood for before.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_COMPLETION_H
#define STOWAGE_IR_COMPLETION_H

#include "ir/op.h"
#include "ir/support.h"

// Settled work.
typedef struct stow_work {
  MlirOperation start;
  bool renamed;     // its token is added to a group, or control gives it to another value
  MlirBlock reach;  // nothing stands for it outside of this block's region ...
  MlirBlock inside; // ... or of one run of this block
} stow_work;

typedef struct stow_wait_for {
  MlirOperation wait, start; // the wait may complete this work
} stow_wait_for;

// Filled as it is asked, while the IR stays as it is. Begins as zeros.
typedef struct stow_completions {
  stow_map roots;
  stow_map by_start; // index of `works`
  stow_map by_wait;  // index of the first of the wait's `waits`
  STOW_ARRAY(stow_work) works;
  STOW_ARRAY(stow_wait_for) waits;
} stow_completions;

void stow_completions_free(stow_completions *completions);

// Whether the work that an op starts is settled. False for an op that starts none.
bool stow_ir_is_settled(stow_completions *completions, MlirOperation start);

// The same, and all ops that may complete it stand where `buffer` is the value that the work uses.
bool stow_ir_is_settled_with(stow_completions *completions, MlirOperation start, MlirValue buffer);

// The settled works that a wait with these traits may complete, and how many. They may move when
// more is asked.
const stow_wait_for *stow_ir_waited_for(stow_completions *completions, MlirOperation wait,
                                        stow_traits traits, size_t *out_count);

// The result that stands for the op's work, or for work that it waits for; null: there is none.
MlirValue stow_ir_token_of(MlirOperation op);

// Whether the op has one because it starts work or waits for some.
bool stow_ir_passes_token(MlirOperation op);

//===----------------------------------------------------------------------===//
// tags.c: transfers and their elements of a tag
//===----------------------------------------------------------------------===//

// By which an op starts a transfer or waits for it.
typedef struct stow_tag {
  MlirOperation op;
  MlirValue memref, count;
  intptr_t first, rank; // operands: the indices of the element
} stow_tag;

// False: the op is neither memref.dma_start nor memref.dma_wait.
bool stow_ir_read_tag(MlirOperation op, stow_tag *out);

// Whether a wait must know an operand of a start: its buffers, the element and the count, but not
// where in the buffers it reads and writes.
bool stow_ir_identifies_transfer(const stow_tag *start, intptr_t operand);

// Whether a wait is for the element and the count of a start, as long as its operands stay the
// same; whether two ops surely name two elements.
bool stow_ir_waits_for_tag(const stow_tag *start, const stow_tag *wait);
bool stow_ir_are_other_elements(const stow_tag *a, const stow_tag *b);

#endif // STOWAGE_IR_COMPLETION_H
