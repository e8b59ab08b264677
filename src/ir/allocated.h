//===- allocated.h - how much a module allocates --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what ops allocate, on heap and stack, each once however often it runs. Sizes known at run
// time only count as 0 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_ALLOCATED_H
#define STOWAGE_IR_ALLOCATED_H

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stow_allocated {
  uint64_t buffers, bytes;
} stow_allocated;

stow_allocated stow_allocated_in(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_IR_ALLOCATED_H
