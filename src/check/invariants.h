//===- invariants.h - what a read program promises the rules --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With NDEBUG nothing of it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_INVARIANTS_H
#define STOWAGE_CHECK_INVARIANTS_H

#include "check/program.h"

#ifndef NDEBUG
void stow_check_assert_program(const stow_check_program *program);
#else
static inline void stow_check_assert_program(const stow_check_program *program) { (void)program; }
#endif

#endif // STOWAGE_CHECK_INVARIANTS_H
