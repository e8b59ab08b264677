//===- raise.h - what is affine without saying so -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_RAISE_H
#define STOWAGE_TASKFLOW_RAISE_H

#include "ir/support.h"

// In the ops nested in `root`: each memref.load and memref.store whose indices are affine becomes
// an affine.load or affine.store, and an affine access to a memref.cast, a memref.assume_alignment
// or a memref.subview of static offsets and strides becomes an access to what is under it.
void stow_raise_accesses(MlirOperation root);

// Replaces each memref.copy in `block` between memories that cannot overlap by a nest of
// affine.for.
void stow_raise_copies(MlirBlock block);

#endif // STOWAGE_TASKFLOW_RAISE_H
