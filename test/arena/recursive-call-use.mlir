// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse='analysis annotate report=none unknown-ops=use' | FileCheck %s

// unknown-ops=use speaks of functions without a body. One that calls itself through another has one,
// and stores what it is given.

func.func @q(%m: memref<64xi64>, %g: memref<memref<64xi64>>, %n: i1) {
  memref.store %m, %g[] : memref<memref<64xi64>>
  scf.if %n {
    func.call @p(%g, %n) : (memref<memref<64xi64>>, i1) -> ()
  }
  return
}

// CHECK-LABEL: func.func @p
// CHECK: memref.alloc() {stowage.left_alone = "passed-to-call"}
func.func @p(%g: memref<memref<64xi64>>, %n: i1) {
  %a = memref.alloc() : memref<64xi64>
  call @q(%a, %g, %n) : (memref<64xi64>, memref<memref<64xi64>>, i1) -> ()
  memref.dealloc %a : memref<64xi64>
  return
}
