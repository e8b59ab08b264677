//===- captures.h - buffers used inside closed regions -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed op has regions whose control flow it does not tell to those outside.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_CAPTURES_H
#define STOWAGE_DEALLOC_CAPTURES_H

#include "dealloc/domain.h"

// Whether the op frees only what a bit says is ours.
bool stow_is_by_bit(MlirOperation op);

// Uses, at `place`, of what the op's regions mention and do not define; `later`: they may run when
// the op is done. Tells whether something is allocated inside.
bool stow_read_captures(stow_domain *domain, MlirOperation op, stow_place place, bool later);

#endif
