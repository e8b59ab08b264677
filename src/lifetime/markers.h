//===- markers.h - lifetime.start and lifetime.end, read and made ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_MARKERS_H
#define STOWAGE_LIFETIME_MARKERS_H

#include "ir/build.h"
#include "ir/op.h"
#include "ir/size.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

// The value whose life a marker begins or ends: the result of a start in the value form, else the
// operand.
MlirValue stow_lifetime_marked_value(MlirOperation marker);

// A marker in the marker form.
MlirOperation stow_lifetime_build_start(const stow_builder *builder, MlirValue buffer);
MlirOperation stow_lifetime_build_end(const stow_builder *builder, MlirValue live);

// A start in the value form; its result is the value that lives.
MlirValue stow_lifetime_build_live(const stow_builder *builder, MlirValue buffer);

// Builds what sets every byte of `memref` to a pattern; nothing where the bytes are not one known
// range: an unranked memref, a layout that is not the identity, a memory space that is not the
// default one.
void stow_lifetime_build_poison(const stow_builder *builder, const stow_layout *layout,
                                MlirValue memref);

#endif // STOWAGE_LIFETIME_MARKERS_H
