//===- renew.h - a view for each life -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_RENEW_H
#define STOWAGE_ARENA_RENEW_H

#include "ir/marked.h"

// `view` has taken the place of an alloc. Where markers tell of several lives in the same bytes,
// each gets a view of its own.
void stow_arena_renew_lives(const stow_marked_lives *marked, int32_t alloc, MlirValue view);

#endif // STOWAGE_ARENA_RENEW_H
