// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="arena=global entries=net result-arguments" --check-arena-plan -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=NONE < %t

// An entry point that is also called takes its result as an argument, and no function allocates; one that was not named
// returns it.

// NONE-COUNT-1: memref.alloc
// NONE-NOT:     memref.alloc

// CHECK-LABEL: func @net(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<64xf32>, %[[R:[a-z0-9]*]]: memref<64xf32>) {
// CHECK:         call @net_with_arena(%[[X]], %[[R]], %{{.*}}) : (memref<64xf32>, memref<64xf32>, memref<256xi8>) -> ()
// CHECK-NEXT:    return
// CHECK-LABEL: func private @net_with_arena(
func.func @net(%x: memref<64xf32>) -> memref<64xf32> {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %r = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%r : memref<64xf32>)
  return %r : memref<64xf32>
}

// CHECK-LABEL: func @other(
// CHECK-SAME:    -> memref<64xf32>
func.func @other(%x: memref<64xf32>) -> memref<64xf32> {
  %r = call @net(%x) : (memref<64xf32>) -> memref<64xf32>
  return %r : memref<64xf32>
}
