//===- target.h - what the program says of its target ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside bridge.h, in the same manner: the attributes of the dlti dialect.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_TARGET_H
#define STOWAGE_BRIDGE_TARGET_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The devices of an op's dlti.target_system_spec that have keys of this project, in order, as an
// array of dictionaries: "stowage.bytes" = 512 of a device "sram" is name = "sram", bytes = 512.
// Null: there are none.
MlirAttribute stow_bridge_target_memories(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_BRIDGE_TARGET_H
