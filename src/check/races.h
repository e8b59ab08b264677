//===- races.h - iterations that write the same bytes at once -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_RACES_H
#define STOWAGE_CHECK_RACES_H

#include "check/program.h"

// Reports writes that iterations which may run at once do to the same bytes of an arena.
void stow_check_races_find(stow_check_program *program);

#endif // STOWAGE_CHECK_RACES_H
