// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Of two products with more than 2^40 operations, the cheaper one runs again.

// RUN: stowage-opt %s --fit-memory='capacity-in-bytes=33536 reduce-peak=false' --remarks-filter=fit-memory 2>&1 | FileCheck %s

// CHECK: ops that run again: 2; 20.00 % more time by the model, at least 20.00 %
// CHECK: linalg.matmul {{.*}}memref<64x8589934592xf32>
// CHECK: linalg.matmul {{.*}}memref<64x2147483648xf32>
// CHECK: linalg.matmul {{.*}}memref<64x2147483648xf32>
// CHECK-NOT: linalg.matmul

func.func @dear(%x: memref<64x2147483648xf32>, %l: memref<64x8589934592xf32>, %p: memref<2147483648x64xf32>, %q: memref<8589934592x64xf32>, %y: memref<64x64xf32>, %z: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %dear = memref.alloc() : memref<64x64xf32>
  %cheap = memref.alloc() : memref<64x64xf32>
  %c = memref.alloc() : memref<64x64xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%dear : memref<64x64xf32>)
  linalg.matmul ins(%l, %q : memref<64x8589934592xf32>, memref<8589934592x64xf32>) outs(%dear : memref<64x64xf32>)
  linalg.fill ins(%zero : f32) outs(%cheap : memref<64x64xf32>)
  linalg.matmul ins(%x, %p : memref<64x2147483648xf32>, memref<2147483648x64xf32>) outs(%cheap : memref<64x64xf32>)
  linalg.abs ins(%y : memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%c : memref<64x64xf32>) outs(%s : memref<64xf32>) dimensions = [0]
  linalg.add ins(%cheap, %dear : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  linalg.negf ins(%s : memref<64xf32>) outs(%z : memref<64xf32>)
  return
}
