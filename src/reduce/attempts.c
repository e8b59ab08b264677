//===- attempts.c - functions with a rewrite, planned before and after ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "reduce/attempts.h"

#include "ir/nothing_done.h"

#include <inttypes.h>

typedef struct results {
  stow_map index; // of functions
  stow_attempts *attempts;
} results;

static void take(void *user, MlirOperation function, stow_planned planned) {
  const results *to = user;
  const int32_t at = stow_map_get(&to->index, function.ptr);
  if (at >= 0)
    to->attempts->at[at].now = planned;
}

void stow_attempts_plan_in(MlirOperation module, stow_attempts *all, MlirAttribute space) {
  results to = {.attempts = all};
  if (all->count == 0)
    return;
  for (size_t i = 0; i < all->count; ++i) {
    stow_map_add(&to.index, all->at[i].op.ptr, (int32_t)i);
    all->at[i].now = (stow_planned){0};
  }
  const stow_reuse_options options = {.results_apart = all->results_apart};
  stow_plan_only(module, &options, space, take, &to);
  stow_map_free(&to.index);
}

void stow_attempts_plan(MlirOperation module, stow_attempts *all) {
  stow_attempts_plan_in(module, all, (MlirAttribute){NULL});
}

static stow_attempts begin(MlirOperation module, bool (*wanted)(MlirOperation function),
                           bool results_apart) {
  stow_attempts all = {.results_apart = results_apart};
  STOW_EACH_FOUND(op, stow_ir_functions_in(module))
    if (!wanted || wanted(op))
      STOW_PUSH(all, (stow_attempt){.op = op});
  stow_attempts_plan(module, &all);
  STOW_EACH(stow_attempt, a, all)
    a->before = a->now;
  return all;
}

stow_attempts stow_attempts_begin(MlirOperation module, bool (*wanted)(MlirOperation function)) {
  return begin(module, wanted, false);
}

stow_attempts stow_attempts_begin_all(MlirOperation module, bool results_apart) {
  return begin(module, NULL, results_apart);
}

void stow_attempt_keep(stow_attempt *attempt) { attempt->kept = mlirOperationClone(attempt->op); }

MlirOperation stow_attempt_exchange(stow_attempt *attempt, MlirOperation with) {
  const MlirOperation was = attempt->op;
  stow_ir_insert_before(was, with);
  mlirOperationRemoveFromParent(was);
  attempt->op = with;
  return was;
}

void stow_attempt_renew(stow_attempt *attempt) {
  mlirOperationDestroy(stow_attempt_exchange(attempt, mlirOperationClone(attempt->kept)));
}

void stow_attempt_end(stow_attempt *attempt, bool stays) {
  if (!mlirOperationIsNull(attempt->kept))
    mlirOperationDestroy(stays ? attempt->kept : stow_attempt_exchange(attempt, attempt->kept));
  attempt->kept.ptr = NULL;
}

stow_planned stow_reduce_planned_with(stow_planned planned, uint64_t bytes) {
  planned.arenas += bytes;
  planned.heap += bytes;
  return planned;
}

bool stow_reduce_has_more_heap(stow_planned now, stow_planned before) {
  return now.heap > before.heap;
}

bool stow_reduce_holds_more(stow_planned now, stow_planned before) {
  return now.held > before.held;
}

bool stow_reduce_is_dearer(stow_planned now, stow_planned before) {
  return now.arenas > before.arenas || stow_reduce_has_more_heap(now, before);
}

bool stow_reduce_is_gain(stow_planned now, stow_planned before) {
  return now.arenas < before.arenas && !stow_reduce_is_dearer(now, before);
}

bool stow_reduce_pays_for_strides(uint64_t with, uint64_t without) {
  return with < without / 2 + without % 2;
}

static char *gain_text(const stow_attempt *attempt, const char *what, size_t count, bool worth) {
  const stow_planned now = attempt->now, before = attempt->before;
  if (worth)
    return stow_ir_format("%s: %zu; arenas of %" PRIu64 " bytes, not %" PRIu64, what, count,
                          now.arenas, before.arenas);
  if (stow_reduce_is_gain(now, before))
    return stow_ir_format("%s: %zu, undone: they save %" PRIu64 " of %" PRIu64 " bytes only", what,
                          count, before.arenas - now.arenas, before.arenas);
  if (now.arenas < before.arenas)
    return stow_ir_format("%s: %zu, undone: with calls and results they need %" PRIu64
                          " bytes at once, the function as it was %" PRIu64,
                          what, count, now.heap, before.heap);
  return stow_ir_format("%s: %zu, undone: they need arenas of %" PRIu64
                        " bytes, the function as it was %" PRIu64,
                        what, count, now.arenas, before.arenas);
}

void stow_attempt_finish(stow_attempt *attempt, const char *pass, const char *what, size_t changes,
                         bool worth) {
  char *text = gain_text(attempt, what, changes, worth);
  if (changes > 0)
    stow_remark_emit(&(stow_remark){.kind = worth ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
                                    .location = mlirOperationGetLocation(attempt->op),
                                    .category = pass,
                                    .name = worth ? "function" : "undone",
                                    .function = stow_bridge_function_name(attempt->op),
                                    .text = text});
  free(text);
  stow_attempt_end(attempt, worth);
}

bool stow_attempts_are_planned(const stow_attempts *all) {
  STOW_EACH(const stow_attempt, attempt, *all)
    if (attempt->before.arenas > 0)
      return true;
  return false;
}

char *stow_reduce_none_planned_text(MlirOperation module) {
  return stow_ir_format("no buffer that merge-alloc would plan%s",
                        stow_ir_or_no_alloc(module, ": its remarks say why"));
}

static char *copy_of(const char *text) { return text ? stow_ir_format("%s", text) : NULL; }

void stow_remarks_keep(void *list, const stow_remark *remark) {
  stow_remarks *to = list;
  stow_remark kept = *remark;
  kept.text = copy_of(remark->text);
  kept.reason = copy_of(remark->reason);
  kept.suggestion = copy_of(remark->suggestion);
  STOW_PUSH(*to, kept);
}

void stow_remarks_add(stow_remarks *to, MlirOperation op, stow_remark remark, char *text) {
  remark.location = mlirOperationGetLocation(op);
  remark.text = text;
  stow_remarks_keep(to, &remark);
  free(text);
}

void stow_reduce_remark_drop(stow_remark *remark) {
  free((char *)remark->text);
  free((char *)remark->reason);
  free((char *)remark->suggestion);
}

void stow_remarks_settle(stow_remarks *remarks, MlirOperation function, bool wanted) {
  STOW_EACH(stow_remark, remark, *remarks) {
    if (!mlirOperationIsNull(function))
      remark->function = stow_bridge_function_name(function);
    if (wanted)
      stow_remark_emit(remark);
    stow_reduce_remark_drop(remark);
  }
  free(remarks->at);
  *remarks = (stow_remarks){0};
}
