//===- planned.c - functions, and what merge-alloc would make of them -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/planned.h"

#include <inttypes.h>

stow_op_list stow_functions_in(MlirOperation module) {
  stow_op_list functions = {0};
  bool outside = true;
  for (MlirOperation op = module; !mlirOperationIsNull(op);
       op = stow_next_of(module, op, outside)) {
    outside = !stow_op_is_function(op) || mlirRegionIsNull(stow_function_body(op));
    if (!outside)
      STOW_PUSH(functions, op);
  }
  return functions;
}

typedef struct results {
  stow_map index; // of functions
  stow_planned *planned;
} results;

static void take(void *user, MlirOperation function, stow_planned planned) {
  const results *to = user;
  const int32_t at = stow_map_get(&to->index, function.ptr);
  if (at >= 0)
    to->planned[at] = planned;
}

void stow_plan_functions(MlirOperation module, const stow_op_list *functions, stow_planned *out) {
  results to = {.planned = out};
  for (size_t i = 0; i < functions->count; ++i) {
    stow_map_add(&to.index, functions->at[i].ptr, (int32_t)i);
    out[i] = (stow_planned){0};
  }
  stow_plan_only(module, STOW_UNKNOWN_OPS_DEFAULT, take, &to);
  stow_map_free(&to.index);
}

bool stow_is_dearer(stow_planned now, stow_planned before) {
  return now.arenas > before.arenas || now.heap > before.heap;
}

bool stow_is_gain(stow_planned now, stow_planned before) {
  return now.arenas < before.arenas && !stow_is_dearer(now, before);
}

bool stow_pays_for_strides(uint64_t with, uint64_t without) {
  return with < without / 2 + without % 2;
}

char *stow_gain_text(const char *what, size_t count, stow_planned now, stow_planned before) {
  if (stow_is_gain(now, before))
    return stow_format("%s: %zu; arenas of %" PRIu64 " bytes, not %" PRIu64, what, count,
                       now.arenas, before.arenas);
  if (now.arenas < before.arenas)
    return stow_format("%s: %zu, undone: with calls and results they need %" PRIu64
                       " bytes at once, the function as it was %" PRIu64,
                       what, count, now.heap, before.heap);
  return stow_format("%s: %zu, undone: they need arenas of %" PRIu64
                     " bytes, the function as it was %" PRIu64,
                     what, count, now.arenas, before.arenas);
}

void stow_remarks_add(stow_remarks *to, MlirOperation op, stow_remark remark, char *text) {
  remark.location = mlirOperationGetLocation(op);
  remark.text = text;
  STOW_PUSH(*to, remark);
}

void stow_remarks_settle(stow_remarks *remarks, MlirOperation function, bool wanted) {
  STOW_EACH(stow_remark, remark, *remarks) {
    if (wanted) {
      remark->function = stow_function_name(function);
      stow_remark_emit(remark);
    }
    free((char *)remark->text);
  }
  free(remarks->at);
  *remarks = (stow_remarks){0};
}

void stow_tell_function(const char *pass, MlirOperation function, bool worth, char *text) {
  stow_remark_emit(&(stow_remark){.kind = worth ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
                                  .location = mlirOperationGetLocation(function),
                                  .category = pass,
                                  .name = worth ? "function" : "undone",
                                  .function = stow_function_name(function),
                                  .text = text});
  free(text);
}

void stow_replace_function(MlirOperation function, MlirOperation with) {
  stow_insert_before(function, with);
  mlirOperationDestroy(function);
}
