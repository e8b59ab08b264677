// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stowage/plan.h>

#include <stdio.h>

int main(void) {
  const stow_buffer buffers[] = {{.size = 4096, .begin = 0, .end = 2},
                                 {.size = 4096, .begin = 2, .end = 4}};
  const stow_problem problem = STOW_PROBLEM(buffers, 2);
  uint64_t offsets[2];
  stow_plan_result result;
  if (stow_plan(&problem, NULL, offsets, &result) != STOW_OK || result.arena_size != 4096)
    return 1;
  printf("planned outside: %s\n", stow_outcome_name(result.outcome));
  return 0;
}
