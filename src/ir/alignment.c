//===- alignment.c - what an allocation must be aligned to ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest alignment that some use of an allocation relies on, by the flow of all functions.
//
//===----------------------------------------------------------------------===//

#include "ir/buffers.h"

static void add_function(stow_memory_alignments *alignments, const stow_function_memory *function) {
  for (size_t i = 0; i < function->flow.allocs.count; ++i)
    stow_map_add(&alignments->powers, function->flow.allocs.at[i].op.ptr,
                 __builtin_ctzll(function->buffers[i].alignment));
}

stow_memory_alignments stow_memory_alignments_of(MlirOperation module) {
  stow_module_memory memory = stow_module_memory_of(module, STOW_UNKNOWN_OPS_USE);
  stow_memory_alignments alignments = {0};
  for (size_t f = 0; f < memory.function_count; ++f)
    add_function(&alignments, &memory.functions[f]);
  stow_module_memory_free(&memory);
  return alignments;
}

void stow_memory_alignments_free(stow_memory_alignments *alignments) {
  stow_map_free(&alignments->powers);
}

uint64_t stow_ir_memory_alignment(const stow_memory_alignments *alignments, MlirOperation alloc) {
  int32_t power = stow_map_get(&alignments->powers, alloc.ptr);
  return stow_ir_larger(power < 0 ? 1 : UINT64_C(1) << power, STOW_HEAP_ALIGNMENT);
}
