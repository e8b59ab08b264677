//===- reason.c - why a buffer is left alone ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/reason.h"

#include "ir/support.h"

#include <assert.h>

static const stow_reason_row TABLE[STOW_REASON_COUNT] = {STOW_REASONS(STOW_REASON_ROW)};

static const struct {
  unsigned option;
  const char *advice;
} OPTIONS[] = {
#define STOW_OPTION_ENTRY(ENUM, BIT, ADVICE) {ENUM, ADVICE},
    STOW_REASON_OPTIONS(STOW_OPTION_ENTRY)
#undef STOW_OPTION_ENTRY
};

const stow_reason_row *stow_reason_row_of(stow_reason reason) {
  assert(reason < STOW_REASON_COUNT);
  return &TABLE[reason];
}

char *stow_reason_suggestion(const stow_reason_row *reason, const char *pass, unsigned options) {
  stow_text text = {0};
  if (reason->advice)
    stow_text_fill(&text, reason->advice, pass);
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; ++i)
    if (reason->options & options & OPTIONS[i].option)
      stow_text_printf(&text, "%s%s", text.size ? ", or " : "", OPTIONS[i].advice);
  return text.data;
}
