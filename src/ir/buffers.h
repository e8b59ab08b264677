//===- buffers.h - every allocation of a module, and whether to plan it ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of src/ir: for each memref.alloc and bufferization.clone of a module, either its size
// and life, or the reason why it cannot be planned. Callees are read before their callers, so that
// the effect of a call on its arguments is known. Functions that call each other are read again
// until nothing changes.
//
// The result is const. Which buffers a pass selects, and its reasons for others, is a separate
// table.
//
//   order     positions grow along control, but for back edges into loop headers   order.c
//   flow      tables of values, edges, uses, frees, escapes, in one walk           flow.c
//   life      the hull of a value's uses, lifted out of loops                      life.c
//   ranges    what is left of it when control is followed                          ranges.c
//   exclude   pairs that may share bytes though their pieces overlap               exclusive.c
//   complete  work that is waited for on every path                                completion.c
//   deallocs  groups of which all or none are planned                              dealloc.c
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_BUFFERS_H
#define STOWAGE_IR_BUFFERS_H

#include "ir/calls.h"
#include "ir/extents.h"
#include "ir/life.h"
#include "ir/marked.h"

typedef struct stow_buffer_fact {
  stow_reason reason;  // STOW_PLANNED: none
  MlirOperation blame; // the op that does, or the alloc itself
  stow_extent size;
  uint64_t alignment; // bytes: what the alloc asks for and the program relies on
  bool deallocated;   // some memref.dealloc may free it
  int64_t begin, end; // positions; of a buffer that nothing touches, its alloc's
  size_t piece_count; // of a planned buffer: one at least, from `begin` to `end`
  const stow_live_piece *pieces;
  bool exclusive; // it is in a pair of stow_function_memory.exclusive
} stow_buffer_fact;

// Whether a planned buffer is live at a position.
static inline bool stow_ir_is_live_at(const stow_buffer_fact *fact, int64_t position) {
  for (size_t p = 0; p < fact->piece_count; ++p)
    if (fact->pieces[p].begin <= position && position < fact->pieces[p].end)
      return true;
  return false;
}

typedef struct stow_function_memory {
  size_t number;  // among the module's functions with a body
  bool allocates; // it, or a function that it calls, takes memory from the heap
  stow_flow flow;
  const stow_life *lives;          // per value
  const stow_buffer_fact *buffers; // per alloc
  stow_ranges ranges;              //
  stow_pairs exclusive;            // of planned buffers
  stow_marked_lives marked;        // the same
  stow_dealloc_groups groups;      //
  stow_extents *extents;           // sizes known at run time only, where these are planned; or NULL
} stow_function_memory;

typedef struct stow_module_memory {
  const stow_function_memory *functions; // those with a body, in program order
  size_t function_count;
  stow_calls *calls; // of the module, where all of it was read; else NULL
} stow_module_memory;

// Why a type of that size cannot be planned; STOW_PLANNED for STOW_SIZE_OK.
stow_reason stow_reason_of_size(stow_size_status status);

// What the flow of its address has against planning a buffer, whatever its size; STOW_PLANNED for
// nothing. `life` is that of the alloc's value, or of a view of it.
stow_reason stow_reason_of_flow(const stow_flow *flow, const stow_alloc *alloc,
                                const stow_life *life, MlirOperation *blame);

// Analyses all function-like ops in `module`. Near-linear in ops. Freed with
// stow_module_memory_free.
stow_module_memory stow_module_memory_of(MlirOperation module, stow_unknown_ops unknown_ops);

// The same with every memref.alloca among the allocations.
stow_module_memory stow_module_memory_with_stack(MlirOperation module,
                                                 stow_unknown_ops unknown_ops);

// The same with what `more_allocs` says, a mask of stow_more_allocs, among the allocations, where
// buffers of dynamic shape are planned, too: their sizes are formulas, or their upper bounds.
stow_module_memory stow_module_memory_with_dynamic(MlirOperation module,
                                                   stow_unknown_ops unknown_ops,
                                                   unsigned more_allocs,
                                                   stow_dynamic_sizes dynamic);
void stow_module_memory_free(stow_module_memory *memory);

//===----------------------------------------------------------------------===//
// Some functions at a time
//===----------------------------------------------------------------------===//

// For passes that plan and change functions one after the other. A *reader* keeps what each
// function does with its arguments, so that only the function in question is read again.
typedef struct stow_reader stow_reader;

// Reads all functions. `calls` must stay. Freed with stow_reader_free.
stow_reader *stow_reader_create(const stow_calls *calls, stow_unknown_ops unknown_ops,
                                unsigned more_allocs, stow_dynamic_sizes dynamic);
void stow_reader_free(stow_reader *reader);

// Analyses those functions, given by their indices in `calls`.
stow_module_memory stow_ir_read_functions(stow_reader *reader, const int32_t *functions,
                                          size_t count);

// Reads a function again that does something else with its arguments, or has others, than before.
// It must not call itself.
void stow_ir_read_again(stow_reader *reader, int32_t function);

// Whether it, or a function that it calls, takes memory from the heap.
bool stow_reader_allocates(const stow_reader *reader, int32_t function);

//===----------------------------------------------------------------------===//
// alignment.c: what an allocation must be aligned to
//===----------------------------------------------------------------------===//

// Whatever takes an allocation's place must be aligned as it was as far as the program can tell:
// stow_buffer_fact.alignment. Heap memory has STOW_HEAP_ALIGNMENT besides, which code that is not
// seen may rely on.

// Bytes that every allocation on the heap is aligned to, whatever it asks for.
#define STOW_HEAP_ALIGNMENT 16

// Bytes that the slices of an arena are aligned to where nobody asks for more.
#define STOW_ARENA_ALIGNMENT 64

// Per memref.alloc and bufferization.clone of a module.
typedef struct stow_memory_alignments {
  stow_map powers; // of two
} stow_memory_alignments;

// Freed with stow_memory_alignments_free.
stow_memory_alignments stow_memory_alignments_of(MlirOperation module);
void stow_memory_alignments_free(stow_memory_alignments *alignments);

// Bytes that memory must be aligned to if it replaces a heap allocation.
uint64_t stow_ir_memory_alignment(const stow_memory_alignments *alignments, MlirOperation alloc);

#endif // STOWAGE_IR_BUFFERS_H
