//===- poison.h - overwriting what is not alive ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_POISON_H
#define STOWAGE_LIFETIME_POISON_H

#include "ir/build.h"
#include "ir/size.h"

#include <stdbool.h>

// Builds what sets every byte of `memref` to a pattern. False, and nothing is built, where the
// bytes are not one known range: an unranked memref, a layout that is not the identity, a memory
// space that is not the default one.
bool stow_life_build_poison(const stow_builder *builder, const stow_layout *layout,
                            MlirValue memref);

#endif // STOWAGE_LIFETIME_POISON_H
