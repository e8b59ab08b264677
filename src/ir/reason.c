//===- reason.c - why a buffer is left alone ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/reason.h"

#include <stddef.h>

typedef struct entry {
  const char *code, *clause, *suggestion;
} entry;

static const entry TABLE[STOW_REASON_COUNT] = {
#define STOW_REASON_ENTRY(ENUM, CODE, CLAUSE, SUGGESTION) {CODE, CLAUSE, SUGGESTION},
    STOW_REASONS(STOW_REASON_ENTRY)
#undef STOW_REASON_ENTRY
};

const char *stow_reason_code(stow_reason reason) { return TABLE[reason].code; }
const char *stow_reason_clause(stow_reason reason) { return TABLE[reason].clause; }
const char *stow_reason_suggestion(stow_reason reason) { return TABLE[reason].suggestion; }
