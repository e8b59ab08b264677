//===- report.h - faults as located errors --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_REPORT_H
#define STOWAGE_CHECK_REPORT_H

#include "check/solve.h"

void stow_report_faults(stow_program *program, const stow_clash *faults, size_t count);
void stow_report_effort(stow_program *program);
void stow_report_leaks(const stow_program *program);

#endif // STOWAGE_CHECK_REPORT_H
