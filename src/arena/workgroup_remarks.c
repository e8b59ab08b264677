//===- workgroup_remarks.c - what became of workgroup attributions --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"

#include <stdlib.h>

static void emit(const stow_arenas *arenas, const stow_kernel *kernel, stow_remark remark) {
  remark.category = arenas->pass;
  remark.function = stow_function_name(kernel->function);
  stow_remark_emit(&remark);
}

static void remark_merged(const stow_arenas *arenas, const stow_kernel *kernel,
                          const stow_merged *merged, bool rewritten) {
  stow_text text = {0};
  stow_text_printf(&text, "%zu workgroup buffers of %llu bytes %s %llu bytes", merged->count,
                   (unsigned long long)merged->apart, rewritten ? "put into" : "fit",
                   (unsigned long long)merged->size);
  emit(arenas, kernel,
       (stow_remark){.kind = rewritten ? STOW_REMARK_PASSED : STOW_REMARK_ANALYSIS,
                     .location = mlirOperationGetLocation(kernel->op),
                     .name = "workgroup",
                     .text = text.data});
  free(text.data);
}

static char *suggestion_for(const stow_arenas *arenas, stow_reason reason) {
  stow_text text = {0};
  if (reason == STOW_NO_PARTNER)
    stow_text_printf(&text, "a gpu.barrier between its uses and another's would let them share");
  bool of_allocs = reason == STOW_NO_GAIN || reason == STOW_UNUSED || reason == STOW_NO_PARTNER;
  return of_allocs ? text.data : stow_suggestion(arenas, reason);
}

static void remark_left_alone(const stow_arenas *arenas, const stow_kernel *kernel,
                              const stow_attribution *a) {
  const stow_buffer_fact fact = {.reason = a->reason, .blame = a->blame};
  char *reason = stow_reason_text(&fact), *suggestion = suggestion_for(arenas, a->reason);
  stow_text text = {0};
  stow_text_printf(&text, "workgroup buffer of %llu bytes left alone",
                   (unsigned long long)a->size.bytes);
  emit(arenas, kernel,
       (stow_remark){.kind = STOW_REMARK_MISSED,
                     .location = mlirValueGetLocation(a->value),
                     .name = stow_reason_code(a->reason),
                     .text = text.data,
                     .reason = reason,
                     .suggestion = suggestion});
  free(text.data), free(reason), free(suggestion);
}

void stow_remark_workgroups(const stow_arenas *arenas, bool rewritten) {
  if (!stow_remarks_enabled(mlirOperationGetContext(arenas->module)))
    return;
  for (size_t k = 0; k < arenas->kernels.count; ++k) {
    const stow_kernel *kernel = &arenas->kernels.at[k];
    for (size_t m = 0; m < kernel->merged_count; ++m)
      remark_merged(arenas, kernel, &kernel->merged[m], rewritten);
    for (size_t i = 0; i < kernel->count; ++i)
      if (kernel->attributions[i].reason != STOW_PLANNED)
        remark_left_alone(arenas, kernel, &kernel->attributions[i]);
  }
}
