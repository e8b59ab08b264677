// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc | FileCheck %s

// Nobody looks at the buffer outside of the inner if, but ops are given it up to the outer one: it is
// freed behind that.

// CHECK-LABEL: func.func @handed_out(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: scf.if %{{.*}} -> (memref<64xi64>) {
// CHECK: scf.if
// CHECK: memref.view %[[ARENA]]
// CHECK: scf.yield %{{.*}}#0
// CHECK: {{^    }$}}
// CHECK-NEXT: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
func.func @handed_out(%given: memref<64xi64>, %c: i1, %d: i1, %v: i64, %i: index) -> i64 {
  %r = scf.if %c -> (memref<64xi64>) {
    %s:2 = scf.if %d -> (memref<64xi64>, memref<64xi64>) {
      %h = memref.alloc() : memref<64xi64>
      memref.store %v, %h[%i] : memref<64xi64>
      scf.yield %h, %given : memref<64xi64>, memref<64xi64>
    } else {
      scf.yield %given, %given : memref<64xi64>, memref<64xi64>
    }
    scf.yield %s#0 : memref<64xi64>
  } else {
    scf.yield %given : memref<64xi64>
  }
  return %v : i64
}
