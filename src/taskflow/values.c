//===- values.c - a set of values in the order they came ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/ops.h"

#include <stdlib.h>

int32_t stow_values_find(const stow_values *values, MlirValue value) {
  return stow_map_get(&values->index, value.ptr);
}

void stow_values_append(stow_values *values, MlirValue value) {
  const size_t place = STOW_PUSH(*values, value);
  if (stow_values_find(values, value) < 0)
    stow_map_add(&values->index, value.ptr, (int32_t)place);
}

size_t stow_values_add(stow_values *values, MlirValue value) {
  int32_t known = stow_values_find(values, value);
  if (known >= 0)
    return (size_t)known;
  stow_values_append(values, value);
  return values->count - 1;
}

void stow_values_free(stow_values *values) {
  free(values->at);
  stow_map_free(&values->index);
  *values = (stow_values){0};
}
