//===- names.c - enumerators as text and back -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables from enumerators to the words that tools print and read.
//
//===----------------------------------------------------------------------===//

#include "stowage/plan.h"

#include <string.h>

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

static const char *const status_names[] = {
    [STOW_OK] = "ok",
    [STOW_INVALID] = "invalid",
    [STOW_OVERFLOW] = "overflow",
    [STOW_NO_MEMORY] = "no-memory",
};

static const char *const outcome_names[] = {
    [STOW_UNKNOWN] = "unknown",
    [STOW_FEASIBLE] = "feasible",
    [STOW_OPTIMAL] = "optimal",
    [STOW_INFEASIBLE] = "infeasible",
};

static const char *const fault_names[] = {
    [STOW_FAULT_NONE] = "none",
    [STOW_FAULT_OVERLAP] = "overlap",
    [STOW_FAULT_ALIGNMENT] = "alignment",
    [STOW_FAULT_FIXED] = "fixed",
    [STOW_FAULT_ARENA_SIZE] = "arena-size",
    [STOW_FAULT_COLOCATION] = "colocation",
    [STOW_FAULT_SPACE] = "space",
    [STOW_FAULT_BANK] = "bank",
    [STOW_FAULT_BAD_LIFE] = "bad-life",
    [STOW_FAULT_BAD_ALIGNMENT] = "bad-alignment",
    [STOW_FAULT_BAD_PIECES] = "bad-pieces",
    [STOW_FAULT_BAD_RELATION] = "bad-relation",
    [STOW_FAULT_NO_SPACE] = "no-space",
    [STOW_FAULT_BAD_OFFSET] = "bad-offset",
    [STOW_FAULT_BAD_STRUCT] = "bad-struct",
};

static const char *const strategy_names[] = {
#define STRATEGY_NAME(ENUM, NAME, HELP) [ENUM] = NAME,
    STOW_STRATEGIES(STRATEGY_NAME)
#undef STRATEGY_NAME
};

const char *stow_status_name(stow_status status) {
  return (size_t)status < COUNT(status_names) ? status_names[status] : "unknown-status";
}

const char *stow_outcome_name(stow_outcome outcome) {
  return (size_t)outcome < COUNT(outcome_names) ? outcome_names[outcome] : "unknown-outcome";
}

const char *stow_fault_name(stow_fault_kind kind) {
  return (size_t)kind < COUNT(fault_names) ? fault_names[kind] : "unknown-fault";
}

const char *stow_strategy_name(stow_strategy strategy) {
  return (size_t)strategy < COUNT(strategy_names) ? strategy_names[strategy] : NULL;
}

int stow_strategy_parse(const char *name, stow_strategy *out_strategy) {
  if (!name)
    return 0;
  for (size_t i = 0; i < COUNT(strategy_names); ++i) {
    if (strcmp(name, strategy_names[i]) != 0)
      continue;
    *out_strategy = (stow_strategy)i;
    return 1;
  }
  return 0;
}
