//===- nothing_planned.c - why nothing was planned ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires facts with reasons. Counts buffers by reason, in the order in which the reasons are met,
// so that a pass that planned nothing says in one line why, and which memory space that it was
// asked for has no buffer.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"

#include "ir/nothing_done.h"

#include <stdlib.h>
#include <string.h>

static void count(stow_tally *t, stow_reason reason) {
  if (t->of_reason[reason]++ == 0)
    t->order[t->reasons++] = reason;
  t->buffers++;
}

static bool is_met(const stow_arenas *arenas, const char *space) {
  const stow_reuse_options one = {.memory_spaces = &space, .memory_space_count = 1};
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    if (stow_arena_space_is_asked_for(&one, arenas->arenas.at[a].memory_space))
      return true;
  return false;
}

// Of more spaces than a tally has bits for, the last are taken to be met.
static size_t counted_spaces(const stow_arenas *arenas) {
  return arenas->options.memory_space_count < 64 ? arenas->options.memory_space_count : 64;
}

void stow_tally_add(stow_tally *t, const stow_arenas *arenas) {
  for (size_t a = 0; a < arenas->arenas.count; ++a)
    for (size_t i = 0; i < arenas->arenas.at[a].members.count; ++i)
      count(t, stow_arena_fact(arenas, &arenas->arenas.at[a], arenas->arenas.at[a].members.at[i])
                   ->reason);
  for (size_t i = 0; i < counted_spaces(arenas); ++i)
    t->spaces |= (uint64_t)is_met(arenas, arenas->options.memory_spaces[i]) << i;
}

char *stow_arena_why_idle(const stow_tally *t, const stow_arenas *arenas) {
  stow_text text = {0};
  if (t->of_reason[STOW_PLANNED] > 0)
    return NULL;
  if (t->buffers == 0)
    stow_text_printf(&text, "no %s to plan%s", arenas->on_stack ? "memref.alloca" : "memref.alloc",
                     stow_ir_or_tensors(arenas->module, ""));
  else
    stow_text_printf(&text, "0 of %zu buffer%s planned", t->buffers, t->buffers == 1 ? "" : "s");
  for (size_t i = 0; i < t->reasons; ++i)
    stow_text_printf(&text, "%s %zu %s", i ? "," : ":", t->of_reason[t->order[i]],
                     stow_arena_reason_row(t->order[i])->code);
  return stow_text_take(&text);
}

static void tell_unmet_space(const stow_arenas *arenas, const char *space) {
  stow_text text = {0};
  stow_text_printf(&text, "memory-spaces: no buffer is in memory space '%s'", space);
  stow_bridge_tell_idle_pass(arenas->module, arenas->pass, text.data);
  free(text.data);
}

// A report on standard error has the line already.
static bool writes_to_terminal(const stow_arenas *arenas) {
  for (size_t i = 0; i < arenas->options.report_count; ++i)
    if (strcmp(arenas->options.reports[i], "text") == 0)
      return true;
  return false;
}

void stow_arena_tell_idle(const stow_tally *tally, const stow_arenas *arenas) {
  if (!stow_bridge_somebody_listens(mlirOperationGetContext(arenas->module)))
    return;
  char *why = stow_arena_why_idle(tally, arenas);
  if (why)
    (writes_to_terminal(arenas) ? stow_remark_idle_pass
                                : stow_bridge_tell_idle_pass)(arenas->module, arenas->pass, why);
  free(why);
  for (size_t i = 0; i < counted_spaces(arenas); ++i)
    if (!(tally->spaces >> i & 1))
      tell_unmet_space(arenas, arenas->options.memory_spaces[i]);
}
