//===- remarks.c - what was done and what was not, as MLIR remarks --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/remarks.h"

#include <stdlib.h>

static MlirStringRef function_name(const stow_arenas *arenas, const stow_arena *arena) {
  return stow_function_name(stow_arena_function(arenas, arena)->flow.function);
}

static uint64_t sum_of_sizes(const stow_arena *arena) {
  uint64_t sum = 0;
  for (size_t i = 0; i < arena->planned_count; ++i)
    sum += arena->buffers[i].size;
  return sum;
}

static void remark_arena(const stow_arenas *arenas, const stow_arena *arena, bool rewritten) {
  stow_text text = {0};
  stow_text_printf(&text,
                   "%zu buffers of %llu bytes %s one arena of %llu bytes; live at the peak: "
                   "%llu bytes",
                   arena->planned_count, (unsigned long long)sum_of_sizes(arena),
                   rewritten ? "put into" : "fit", (unsigned long long)arena->plan.arena_size,
                   (unsigned long long)arena->load);
  const stow_flow *flow = &stow_arena_function(arenas, arena)->flow;
  const stow_remark remark = {
      .kind = rewritten ? STOW_REMARK_PASSED : STOW_REMARK_ANALYSIS,
      .location = mlirOperationGetLocation(flow->scopes.at[arena->scope].op),
      .category = arenas->pass,
      .name = "arena",
      .function = function_name(arenas, arena),
      .text = text.data,
  };
  stow_remark_emit(&remark);
  free(text.data);
}

static void remark_left_alone(const stow_arenas *arenas, const stow_arena *arena, size_t alloc) {
  const stow_buffer_fact *fact = stow_arena_fact(arenas, arena, alloc);
  char *reason = stow_reason_text(fact), *suggestion = stow_suggestion(arenas, fact->reason);
  stow_text text = {0};
  if (fact->size.known)
    stow_text_printf(&text, "buffer of %llu bytes left alone",
                     (unsigned long long)fact->size.bytes);
  else
    stow_text_printf(&text, "buffer of unknown size left alone");
  const stow_remark remark = {
      .kind = STOW_REMARK_MISSED,
      .location =
          mlirOperationGetLocation(stow_arena_function(arenas, arena)->flow.allocs.at[alloc].op),
      .category = arenas->pass,
      .name = stow_reason_code(fact->reason),
      .function = function_name(arenas, arena),
      .text = text.data,
      .reason = reason,
      .suggestion = suggestion,
  };
  stow_remark_emit(&remark);
  free(text.data), free(reason), free(suggestion);
}

void stow_remark_arenas(const stow_arenas *arenas, bool rewritten) {
  if (!stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    return;
  for (size_t a = 0; a < arenas->arenas.count; ++a) {
    const stow_arena *arena = &arenas->arenas.at[a];
    if (arena->planned_count > 0)
      remark_arena(arenas, arena, rewritten);
    for (size_t i = 0; i < arena->members.count; ++i)
      if (stow_arena_fact(arenas, arena, arena->members.at[i])->reason != STOW_PLANNED)
        remark_left_alone(arenas, arena, arena->members.at[i]);
  }
}
