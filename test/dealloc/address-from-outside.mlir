// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter='.*' 2>&1 | FileCheck %s

// CHECK: remark: [Missed] left-alone | Category:buffer-deallocation | Function=from_outside
// CHECK-LABEL: func.func @address_taken
// CHECK:         memref.dealloc
// CHECK-LABEL: func.func @from_outside
// CHECK-NOT:     memref.dealloc
// CHECK:         return

// Others may call @from_outside with an address that is not of this module: what it is given may come back, whatever the one function
// does whose address is taken here.

func.func private @copies(%m: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %m, %a : memref<4xf32> to memref<4xf32>
  return %a : memref<4xf32>
}
func.func @address_taken(%m: memref<4xf32>, %x: memref<4xf32>) {
  %f = func.constant @copies : (memref<4xf32>) -> memref<4xf32>
  %r = func.call_indirect %f(%m) : (memref<4xf32>) -> memref<4xf32>
  memref.copy %r, %x : memref<4xf32> to memref<4xf32>
  return
}
func.func @from_outside(%f: (memref<4xf32>) -> memref<4xf32>, %x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = func.call_indirect %f(%a) : (memref<4xf32>) -> memref<4xf32>
  memref.copy %r, %x : memref<4xf32> to memref<4xf32>
  return
}
