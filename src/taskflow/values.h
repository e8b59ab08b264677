//===- values.h - a set of values in the order they came ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_VALUES_H
#define STOWAGE_TASKFLOW_VALUES_H

#include "ir/support.h"

// Found by address, walked in the order of adding. Zero-initialised means empty.
typedef struct stow_values {
  MlirValue *at;
  size_t count, capacity;
  stow_map index;
} stow_values;

// The index of `value`, which is added where it is missing.
size_t stow_values_add(stow_values *values, MlirValue value);

// Adds `value` once more where it is there already.
void stow_values_append(stow_values *values, MlirValue value);

// The index of `value`, or -1.
int32_t stow_values_find(const stow_values *values, MlirValue value);

void stow_values_free(stow_values *values);

#endif // STOWAGE_TASKFLOW_VALUES_H
