//===- alignment.h - what an allocation must be aligned to ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever takes an allocation's place must be aligned as it was as far as the program
// can tell. That is the most of what the allocation asks for, what the elements of its
// views need, and what ops and callees promise of them: the analysis of buffers.h. Heap
// memory has STOW_HEAP_ALIGNMENT besides, which code that is not seen may rely on.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_ALIGNMENT_H
#define STOWAGE_IR_ALIGNMENT_H

#include "ir/support.h"

// Bytes that every allocation on the heap is aligned to, whatever it asks for.
#define STOW_HEAP_ALIGNMENT 16

// Per memref.alloc and bufferization.clone of a module.
typedef struct stow_memory_alignments {
  stow_map powers; // of two
} stow_memory_alignments;

// Freed with stow_memory_alignments_free.
stow_memory_alignments stow_memory_alignments_of(MlirOperation module);
void stow_memory_alignments_free(stow_memory_alignments *alignments);

// Bytes that memory in the place of a heap allocation must be aligned to.
uint64_t stow_memory_alignment(const stow_memory_alignments *alignments, MlirOperation alloc);

#endif // STOWAGE_IR_ALIGNMENT_H
