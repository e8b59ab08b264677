//===- reasons.c - why two tasks stay two -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include <stddef.h>

typedef struct row {
  const char *code, *text, *suggestion;
} row;

static const row rows[] = {
#define REASON(name, code, text, suggestion) {code, text, suggestion},
    STOW_FUSION_REASONS(REASON)
#undef REASON
};

const char *stow_fusion_reason_code(stow_fusion_reason reason) { return rows[reason].code; }
const char *stow_fusion_reason_text(stow_fusion_reason reason) { return rows[reason].text; }
const char *stow_fusion_reason_suggestion(stow_fusion_reason reason) {
  return rows[reason].suggestion;
}
