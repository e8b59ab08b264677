//===- layout.h - whether two indices may name one cell ---------*- C -*-===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_LAYOUT_H
#define STOWAGE_TASKFLOW_LAYOUT_H

#include "bridge/bridge.h"

// Whether the layout of a memref's type tells that different indices may name one cell, as strides
// of 0 do. Dynamic strides are taken to keep cells apart.
bool stow_layout_overlaps(MlirType memref);

#endif // STOWAGE_TASKFLOW_LAYOUT_H
