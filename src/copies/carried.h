//===- carried.h - buffers that loops carry -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COPIES_CARRIED_H
#define STOWAGE_COPIES_CARRIED_H

#include "mlir-c/IR.h"

#include <stdbool.h>

// What elide-copies does first: a loop carries what an iteration allocates for the next one, where
// the heap of the function needs no more bytes then, or where an update in place is enough and the
// heap may grow for it. Arenas may, as they can hold it now. Whether something was rewritten.
bool stow_copies_carry_buffers(MlirOperation module, bool heap_may_grow);

#endif // STOWAGE_COPIES_CARRIED_H
