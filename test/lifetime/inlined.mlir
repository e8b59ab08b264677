// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --verify-lifetimes -o /dev/null
// RUN: stowage-opt %s --inline --convert-lifetime-to-llvm=prepare | FileCheck %s

// A callee marks what it is given. Once that is a part of its caller, which knows nothing of lives,
// the markers say less than the truth, and LLVM must not see them.
func.func private @callee(%m: memref<8xf32>, %x: memref<8xf32>) {
  lifetime.start %m : memref<8xf32>
  memref.copy %x, %m : memref<8xf32> to memref<8xf32>
  memref.copy %m, %x : memref<8xf32> to memref<8xf32>
  lifetime.end %m : memref<8xf32>
  return
}

// CHECK-LABEL: func @caller
// CHECK-NOT: lifetime
// CHECK: return
func.func @caller(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  func.call @callee(%a, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}

// Here they say all.
// CHECK-LABEL: func @true_caller
// CHECK: lifetime.start %{{.*}} {whole}
// CHECK: lifetime.end %{{.*}} {whole}
func.func @true_caller(%x: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  func.call @callee(%a, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
