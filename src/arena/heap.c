//===- heap.c - memory beside the arenas --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/heap.h"

#include "arena/timeline.h"

#include <stdlib.h>

static bool allocates(const stow_arenas *arenas, int32_t function) {
  return arenas->framing ? stow_reader_allocates(arenas->framing->reader, function)
                         : arenas->memory.functions[function].allocates;
}

bool stow_calls_allocator(const stow_arenas *arenas, const stow_calls *calls, MlirOperation op) {
  const int32_t callee = stow_op_is_call(op) ? stow_called(calls, op) : -1;
  return callee >= 0 && allocates(arenas, callee);
}

bool stow_is_given(const stow_arenas *arenas, const stow_calls *calls, const stow_value *value) {
  return mlirValueIsAOpResult(value->value) &&
         stow_calls_allocator(arenas, calls, mlirOpResultGetOwner(value->value));
}

static void add_given(stow_timeline *t, const stow_arenas *arenas, const stow_calls *calls,
                      const stow_function_memory *function) {
  for (size_t v = 0; v < function->flow.values.count; ++v) {
    const stow_value *value = &function->flow.values.at[v];
    const stow_life *life = &function->lives[v];
    if (stow_is_given(arenas, calls, value))
      stow_timeline_add(t, value->defined, stow_later(life->end, life->handed),
                        stow_made_bytes(value->value) + arenas->options.alignment);
  }
}

size_t stow_arenas_end(const stow_arenas *arenas, size_t first, size_t function) {
  while (first < arenas->arenas.count && arenas->arenas.at[first].function == function)
    ++first;
  return first;
}

uint64_t stow_heap_peak(const stow_arenas *arenas, const stow_calls *calls, size_t function,
                        size_t first, size_t end) {
  stow_timeline t = stow_timeline_of(&arenas->memory.functions[function].flow);
  for (size_t a = first; a < end; ++a) {
    const stow_arena *arena = &arenas->arenas.at[a];
    if (arena->frame == STOW_FRAME_HEAP || arena->frame == STOW_FRAME_RESULT)
      stow_timeline_add_planned(&t, arenas, arena, arenas->options.alignment);
  }
  add_given(&t, arenas, calls, &arenas->memory.functions[function]);
  stow_timeline_sum_up(&t);
  const uint64_t peak = stow_timeline_peak(&t);
  free(t.bytes);
  return peak;
}
