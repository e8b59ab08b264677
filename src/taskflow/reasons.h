//===- reasons.h - why two tasks stay two -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_REASONS_H
#define STOWAGE_TASKFLOW_REASONS_H

// (name, code, what it says, what may help or NULL)
#define STOW_FUSION_REASONS(REASON)                                                                \
  REASON(FUSED, "fused", "fused", NULL)                                                            \
  REASON(NO_NEST, "no-nest", "one of the tasks has no loop, or several",                           \
         "make a task of each loop nest")                                                          \
  REASON(UNKNOWN_EFFECTS, "unknown-effects",                                                       \
         "one of the tasks holds an op whose effects are unknown", NULL)                           \
  REASON(VALUE, "value-dependence", "the reader needs a value that the writer ends with", NULL)    \
  REASON(BETWEEN, "between",                                                                       \
         "an op between the tasks conflicts with the reader moving up, and one with the writer "   \
         "moving down",                                                                            \
         NULL)                                                                                     \
  REASON(PEAK, "peak", "more bytes of buffers would be alive at once", "set allow-higher-peak")    \
  REASON(BOUNDS, "bounds-differ", "the loops to share have different bounds", NULL)                \
  REASON(INDEX, "index-maps-differ", "no common iteration stores the cell that is loaded", NULL)   \
  REASON(CONDITIONAL, "conditional-store", "the cell that is loaded is stored under a condition",  \
         NULL)                                                                                     \
  REASON(OVERWRITTEN, "not-forwarded",                                                             \
         "the cell that is loaded may be written in between, or not at all", NULL)                 \
  REASON(DEPENDENCE, "dependence", "two accesses to the same cell would change their order", NULL) \
  REASON(ALIAS, "may-alias", "two buffers that the tasks access may be the same memory",           \
         "if arguments never overlap, nor a global, set assume-noalias-arguments")                 \
  REASON(PERMUTATION, "permutation",                                                               \
         "it needs other loop orders or bounds, which accesses forbid", NULL)                      \
  REASON(PERMUTATION_OFF, "permutation-off", "it needs other loop orders or bounds",               \
         "set allow-permutation")                                                                  \
  REASON(REDUCTION_OFF, "reduction-off", "only some of the loops can be shared",                   \
         "set allow-reduction")

typedef enum stow_fusion_reason {
#define REASON(name, code, text, suggestion) STOW_FUSION_##name,
  STOW_FUSION_REASONS(REASON)
#undef REASON
} stow_fusion_reason;

const char *stow_fusion_reason_code(stow_fusion_reason reason);
const char *stow_fusion_reason_text(stow_fusion_reason reason);
const char *stow_fusion_reason_suggestion(stow_fusion_reason reason);

#endif // STOWAGE_TASKFLOW_REASONS_H
