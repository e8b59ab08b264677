// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An op that is scheduled behind the steps stands in front of all that runs in them. It must run where
// it is scheduled: its buffer lies over rows that are dead only then.

// RUN: stowage-opt %s --stream-rows=rows=1 | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal

// The load needs what %right holds, whose rows could be made in steps. Then the product turns out to
// need all of them at once, so that they are made before. The load has been put behind the steps.

// CHECK-LABEL: func.func @net
// CHECK:         linalg.sqrt
// CHECK-NOT:     memref.load
// CHECK:         scf.for
// CHECK:           linalg.matmul
// CHECK:           linalg.matmul
// CHECK:         memref.load
// CHECK-NEXT:    memref.view
// CHECK-NEXT:    linalg.fill

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (31 - d0, d1)>
func.func @net(%x: memref<32x16xf32>, %y: memref<16x64xf32>, %z: memref<64x16xf32>) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %left = memref.alloc() : memref<32x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<32x16xf32>) outs(%left : memref<32x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %right = memref.alloc() : memref<16x64xf32>
  linalg.exp ins(%y : memref<16x64xf32>) outs(%right : memref<16x64xf32>)
  linalg.sqrt ins(%right : memref<16x64xf32>) outs(%right : memref<16x64xf32>)
  %first = memref.load %right[%c0, %c0] : memref<16x64xf32>
  %filled = memref.alloc() : memref<32x16xf32>
  linalg.fill ins(%first : f32) outs(%filled : memref<32x16xf32>)
  %product = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%product : memref<32x64xf32>)
  linalg.matmul ins(%left, %right : memref<32x16xf32>, memref<16x64xf32>) outs(%product : memref<32x64xf32>)
  %bounded = memref.alloc() : memref<32x64xf32>
  linalg.tanh ins(%product : memref<32x64xf32>) outs(%bounded : memref<32x64xf32>)
  %result = memref.alloc() : memref<32x16xf32>
  linalg.fill ins(%zero : f32) outs(%result : memref<32x16xf32>)
  linalg.matmul ins(%bounded, %z : memref<32x64xf32>, memref<64x16xf32>) outs(%result : memref<32x16xf32>)
  %sum = memref.alloc() : memref<1xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
  linalg.generic {indexing_maps = [#back, #id, affine_map<(d0, d1) -> (0)>], iterator_types = ["reduction", "reduction"]}
    ins(%result, %filled : memref<32x16xf32>, memref<32x16xf32>) outs(%sum : memref<1xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %both = arith.mulf %in, %other : f32
    %next = arith.addf %out, %both : f32
    linalg.yield %next : f32
  }
  return %sum : memref<1xf32>
}

func.func private @fill(%m: memref<?x?xf32>, %by: f32) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%m : memref<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ij = arith.subi %i, %j : index
    %number = arith.index_cast %ij : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %by : f32
    linalg.yield %small : f32
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %by = arith.constant 0.03125 : f32
  %x = memref.alloc() : memref<32x16xf32>
  %y = memref.alloc() : memref<16x64xf32>
  %z = memref.alloc() : memref<64x16xf32>
  %dx = memref.cast %x : memref<32x16xf32> to memref<?x?xf32>
  %dy = memref.cast %y : memref<16x64xf32> to memref<?x?xf32>
  %dz = memref.cast %z : memref<64x16xf32> to memref<?x?xf32>
  call @fill(%dx, %by) : (memref<?x?xf32>, f32) -> ()
  call @fill(%dy, %by) : (memref<?x?xf32>, f32) -> ()
  call @fill(%dz, %by) : (memref<?x?xf32>, f32) -> ()
  %sum = call @net(%x, %y, %z) : (memref<32x16xf32>, memref<16x64xf32>, memref<64x16xf32>) -> memref<1xf32>
  %v = memref.load %sum[%c0] : memref<1xf32>
  vector.print %v : f32
  return
}
