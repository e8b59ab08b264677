//===- remarks.h - what was done and what was not, as MLIR remarks --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_REMARKS_H
#define STOWAGE_ARENA_REMARKS_H

#include "arena/arena.h"

// One remark per arena (analysis, or passed when it was rewritten) and one, missed, per buffer left
// alone. Costs nothing when nobody listens.
void stow_remark_arenas(const stow_arenas *arenas, bool rewritten);

#endif // STOWAGE_ARENA_REMARKS_H
