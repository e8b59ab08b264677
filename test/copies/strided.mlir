// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is transposed for a product is not read along strides, but for half of the arena.
//
// RUN: stowage-opt %s --elide-copies=in-place=false | FileCheck %s --check-prefixes=CHECK,KEPT,HALVED
// RUN: stowage-opt %s --elide-copies='in-place=false strided-reads' | FileCheck %s --check-prefixes=CHECK,READ,HALVED
// RUN: stowage-opt %s --elide-copies='in-place=false contiguous-reads' | FileCheck %s --check-prefixes=CHECK,KEPT,LEFT
// RUN: stowage-opt %s --elide-copies=in-place=false --remarks-filter=elide-copies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --elide-copies='in-place=false contiguous-reads strided-reads' --remarks-filter=elide-copies 2>&1 >/dev/null | FileCheck %s --check-prefix=FORBIDDEN
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{strided-reads},buffer-deallocation)' | FileCheck %s --check-prefix=SAME
//
// SAME: equal

// The arena is what the first two ops need.
// CHECK-LABEL: func.func @little
// KEPT: linalg.transpose
// KEPT: linalg.matmul
// READ-NOT: linalg.transpose
// READ: linalg.generic
// REMARK: Function=little | Reason=strided, Remark="linalg.transpose stays: a reader would jump from one element to the next, and the arenas would not be halved", Suggestion="set strided-reads"
func.func @little(%x: memref<512xf32>, %q: memref<4x8xf32>, %k: memref<8x8xf32>) -> (memref<512xf32>, memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %large = memref.alloc() : memref<512xf32>
  %first = memref.alloc() : memref<512xf32>
  linalg.exp ins(%x : memref<512xf32>) outs(%large : memref<512xf32>)
  linalg.abs ins(%large : memref<512xf32>) outs(%first : memref<512xf32>)
  %keys = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%k : memref<8x8xf32>) outs(%keys : memref<8x8xf32>)
  %turned = memref.alloc() : memref<8x8xf32>
  linalg.transpose ins(%keys : memref<8x8xf32>) outs(%turned : memref<8x8xf32>) permutation = [1, 0]
  %scores = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<4x8xf32>)
  linalg.matmul ins(%q, %turned : memref<4x8xf32>, memref<8x8xf32>) outs(%scores : memref<4x8xf32>)
  return %first, %scores : memref<512xf32>, memref<4x8xf32>
}

// CHECK-LABEL: func.func @much
// FORBIDDEN: Function=much | Reason=contiguous-reads, Remark="linalg.transpose stays: a reader would jump from one element to the next", Suggestion="leave out contiguous-reads"
// HALVED-NOT: linalg.transpose
// HALVED: linalg.generic
// LEFT: linalg.transpose
// LEFT: linalg.matmul
func.func @much(%q: memref<4x8xf32>, %keys: memref<8x8xf32>) -> memref<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %turned = memref.alloc() : memref<8x8xf32>
  linalg.transpose ins(%keys : memref<8x8xf32>) outs(%turned : memref<8x8xf32>) permutation = [1, 0]
  %scores = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<4x8xf32>)
  linalg.matmul ins(%q, %turned : memref<4x8xf32>, memref<8x8xf32>) outs(%scores : memref<4x8xf32>)
  return %scores : memref<4x8xf32>
}

// Each element is read once: the transpose would jump as well.
// CHECK-LABEL: func.func @once
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @once(%x: memref<512xf32>, %k: memref<8x8xf32>) -> (memref<512xf32>, memref<8x8xf32>) {
  %large = memref.alloc() : memref<512xf32>
  %first = memref.alloc() : memref<512xf32>
  linalg.exp ins(%x : memref<512xf32>) outs(%large : memref<512xf32>)
  linalg.abs ins(%large : memref<512xf32>) outs(%first : memref<512xf32>)
  %keys = memref.alloc() : memref<8x8xf32>
  linalg.exp ins(%k : memref<8x8xf32>) outs(%keys : memref<8x8xf32>)
  %turned = memref.alloc() : memref<8x8xf32>
  linalg.transpose ins(%keys : memref<8x8xf32>) outs(%turned : memref<8x8xf32>) permutation = [1, 0]
  %y = memref.alloc() : memref<8x8xf32>
  linalg.abs ins(%turned : memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  return %first, %y : memref<512xf32>, memref<8x8xf32>
}

func.func @print(%y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %y, %c0 : memref<?x8xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %row = vector.load %y[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    vector.print %row : vector<8xf32>
  }
  return
}

func.func @main() {
  %step = arith.constant 1.250000e-01 : f32
  %one = arith.constant 0.5 : f32
  %x = memref.alloc() : memref<512xf32>
  %q = memref.alloc() : memref<4x8xf32>
  %k = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%one : f32) outs(%x : memref<512xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%q : memref<4x8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = arith.mulf %f, %step : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%k : memref<8x8xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %twice = arith.addi %i, %i : index
    %sum = arith.addi %twice, %j : index
    %n = arith.index_cast %sum : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = arith.mulf %f, %step : f32
    linalg.yield %v : f32
  }
  %first, %scores = call @little(%x, %q, %k) : (memref<512xf32>, memref<4x8xf32>, memref<8x8xf32>) -> (memref<512xf32>, memref<4x8xf32>)
  %product = call @much(%q, %k) : (memref<4x8xf32>, memref<8x8xf32>) -> memref<4x8xf32>
  %again, %y = call @once(%x, %k) : (memref<512xf32>, memref<8x8xf32>) -> (memref<512xf32>, memref<8x8xf32>)
  %a = memref.cast %scores : memref<4x8xf32> to memref<?x8xf32>
  %b = memref.cast %product : memref<4x8xf32> to memref<?x8xf32>
  %c = memref.cast %y : memref<8x8xf32> to memref<?x8xf32>
  call @print(%a) : (memref<?x8xf32>) -> ()
  call @print(%b) : (memref<?x8xf32>) -> ()
  call @print(%c) : (memref<?x8xf32>) -> ()
  return
}
