// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate pool-all report=none" --buffer-reuse=pool-all | FileCheck %s

// The size of a scalable vector is known at run time only.

// CHECK-LABEL: func @scalable
func.func @scalable() {
  // CHECK: memref.alloc() {stowage.left_alone = "element-type"} : memref<4xvector<[4]xf32>>
  %a = memref.alloc() : memref<4xvector<[4]xf32>>
  memref.dealloc %a : memref<4xvector<[4]xf32>>
  return
}
