//===- activation.h - where memory of an activation is made ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of an activation is made at the start of its function; but each of several
// iterations that may run at once needs its own, at the start of the iteration. There it
// cannot be stack memory: lowered to blocks, the loop would take more of it in each
// iteration until the function returns. memref.alloca_scope is no safe remedy:
// canonicalize inlines one that ends a loop's body. A kernel's threads (gpu.launch) have
// stacks of their own. An op with a region of unknown control flow may be a loop, too.
// Functions of some dialects (async.func, ml_program.func) may have no stack memory at all.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_ACTIVATION_H
#define STOWAGE_DEALLOC_ACTIVATION_H

#include "dealloc/read/domain.h"

// The region at whose start memory for a ref is made.
int32_t stow_dealloc_activation_of(const stow_domain *domain, int32_t ref);

// Whether that is stack memory: an op around the region has a stack, and it lasts as long as
// one run of the region, or the ends of the region are not known, so that heap memory could
// not be freed.
bool stow_dealloc_activation_has_stack(const stow_domain *domain, int32_t region);

MlirOperation stow_dealloc_activation_start(const stow_domain *domain, int32_t region);

#endif // STOWAGE_DEALLOC_ACTIVATION_H
