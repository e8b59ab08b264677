//===- reason.c - why a buffer is left alone ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/reason.h"

#include "ir/support.h"

typedef struct entry {
  const char *code, *clause, *advice;
  unsigned options;
} entry;

static const entry TABLE[STOW_REASON_COUNT] = {
#define STOW_REASON_ENTRY(ENUM, CODE, CLAUSE, ADVICE, OPTIONS) {CODE, CLAUSE, ADVICE, OPTIONS},
    STOW_REASONS(STOW_REASON_ENTRY)
#undef STOW_REASON_ENTRY
};

static const struct {
  unsigned option;
  const char *advice;
} OPTIONS[] = {
#define STOW_OPTION_ENTRY(ENUM, BIT, ADVICE) {ENUM, ADVICE},
    STOW_REASON_OPTIONS(STOW_OPTION_ENTRY)
#undef STOW_OPTION_ENTRY
};

const char *stow_reason_code(stow_reason reason) { return TABLE[reason].code; }
const char *stow_reason_clause(stow_reason reason) { return TABLE[reason].clause; }

char *stow_reason_suggestion(stow_reason reason, const char *pass, unsigned options) {
  stow_text text = {0};
  if (TABLE[reason].advice)
    stow_text_fill(&text, TABLE[reason].advice, pass);
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; ++i)
    if (TABLE[reason].options & options & OPTIONS[i].option)
      stow_text_printf(&text, "%s%s", text.size ? ", or " : "", OPTIONS[i].advice);
  return text.data;
}
