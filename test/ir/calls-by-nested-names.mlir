// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// A call means the function of that name in its own symbol table.

memref.global "private" @slot : memref<1xmemref<16xf32>>
func.func @f(%p: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %s = memref.get_global @slot : memref<1xmemref<16xf32>>
  memref.store %p, %s[%c0] : memref<1xmemref<16xf32>>
  return
}
// CHECK-LABEL: func @outer
func.func @outer() {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : memref<16xf32>
  call @f(%a) : (memref<16xf32>) -> ()
  memref.dealloc %a : memref<16xf32>
  return
}
// CHECK-LABEL: module @inner
module @inner {
  func.func @f(%p: memref<16xf32>) {
    return
  }
  func.func @in(%x: f32) {
    %c0 = arith.constant 0 : index
    // CHECK: stowage.offset = 0
    %a = memref.alloc() : memref<16xf32>
    call @f(%a) : (memref<16xf32>) -> ()
    memref.dealloc %a : memref<16xf32>
    // CHECK: stowage.offset = 0
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%c0] : memref<16xf32>
    memref.dealloc %b : memref<16xf32>
    return
  }
}
// CHECK-LABEL: module @inner2
module @inner2 {
  func.func private @f(%p: memref<16xf32>)
  func.func @in2(%x: f32) {
    %c0 = arith.constant 0 : index
    // CHECK: left_alone = "passed-to-call"
    %a = memref.alloc() : memref<16xf32>
    call @f(%a) : (memref<16xf32>) -> ()
    memref.dealloc %a : memref<16xf32>
    return
  }
}
