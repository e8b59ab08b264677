// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The second op could wait until %b is dead: the arena would be smaller. But then what the call returned would be there
// when the result is made, and the heap would be higher than before.

// RUN: stowage-opt %s --order-for-memory --remarks-filter=order-for-memory 2>&1 >/dev/null | FileCheck %s
// RUN: stowage-opt %s > %t.before
// RUN: stowage-opt %s --order-for-memory | cmp %t.before -

// CHECK: undone | {{.*}}Function=given | Remark="blocks in another order: 1, undone: with calls and results they need {{[0-9]+}} bytes at once, the function as it was {{[0-9]+}}"

func.func private @make(%x: memref<64xf32>) -> memref<64xf32> {
  %m = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%m : memref<64xf32>)
  return %m : memref<64xf32>
}

func.func @given(%x: memref<64xf32>, %big: memref<336xf32>, %sum: memref<f32>) -> memref<336xf32> {
  %0 = call @make(%x) : (memref<64xf32>) -> memref<64xf32>
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.add ins(%0, %x : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<336xf32>
  linalg.exp ins(%big : memref<336xf32>) outs(%b : memref<336xf32>)
  %r = memref.alloc() {alignment = 64 : i64} : memref<336xf32>
  linalg.abs ins(%b : memref<336xf32>) outs(%r : memref<336xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%sum : memref<f32>) dimensions = [0]
  return %r : memref<336xf32>
}
