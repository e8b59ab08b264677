//===- report.h - faults as located errors --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_REPORT_H
#define STOWAGE_CHECK_REPORT_H

#include "check/solve.h"

void stow_check_report_faults(stow_check_program *program, const stow_check_fault *faults,
                              size_t count);
void stow_check_report_effort(stow_check_program *program);
void stow_check_report_leaks(const stow_check_program *program);

#endif // STOWAGE_CHECK_REPORT_H
