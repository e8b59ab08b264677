// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two products in a row whose weights are more than a cache holds. By rows of the first operand all
// weights would be read again in each step; by hidden units, 16 of which are a line of a cache, each
// step reads its own part of both and adds to the whole result.

// RUN: stowage-opt %s --stream-rows | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @wide
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c256
// CHECK:           linalg.matmul ins(%{{.*}}, %{{.*}} : memref<8x64xf32>, memref<64x16xf32, strided<[4096, 1], offset: ?>>) outs(%{{.*}} : memref<8x16xf32>)
// CHECK:           linalg.generic
// CHECK:           linalg.matmul ins(%{{.*}}, %{{.*}} : memref<8x16xf32>, memref<16x96xf32, strided<[96, 1], offset: ?>>) outs(%{{.*}} : memref<8x96xf32>)
// CHECK:         }
func.func @wide(%x: memref<8x64xf32>, %v: memref<64x4096xf32>, %bias: memref<4096xf32>, %w: memref<4096x96xf32>) -> memref<8x96xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<8x64xf32>
  linalg.tanh ins(%x : memref<8x64xf32>) outs(%a : memref<8x64xf32>)
  %h = memref.alloc() : memref<8x4096xf32>
  linalg.fill ins(%zero : f32) outs(%h : memref<8x4096xf32>)
  linalg.matmul ins(%a, %v : memref<8x64xf32>, memref<64x4096xf32>) outs(%h : memref<8x4096xf32>)
  %r = memref.alloc() : memref<8x4096xf32>
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
    ins(%h, %bias : memref<8x4096xf32>, memref<4096xf32>) outs(%r : memref<8x4096xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %sum = arith.addf %in, %b : f32
    %floor = arith.constant 0.0 : f32
    %relu = arith.maximumf %sum, %floor : f32
    linalg.yield %relu : f32
  }
  %s = memref.alloc() : memref<8x96xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<8x96xf32>)
  linalg.matmul ins(%r, %w : memref<8x4096xf32>, memref<4096x96xf32>) outs(%s : memref<8x96xf32>)
  %y = memref.alloc() : memref<8x96xf32>
  linalg.abs ins(%s : memref<8x96xf32>) outs(%y : memref<8x96xf32>)
  return %y : memref<8x96xf32>
}

// Weights that a cache holds: by rows, as every row of the result is there at once.

// CHECK-LABEL: func.func @near
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : memref<{{[1-8]}}x64xf32{{.*}}>, memref<64x256xf32>)
func.func @near(%x: memref<32x64xf32>, %v: memref<64x256xf32>, %w: memref<256x64xf32>) -> memref<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<32x64xf32>
  linalg.tanh ins(%x : memref<32x64xf32>) outs(%a : memref<32x64xf32>)
  %h = memref.alloc() : memref<32x256xf32>
  linalg.fill ins(%zero : f32) outs(%h : memref<32x256xf32>)
  linalg.matmul ins(%a, %v : memref<32x64xf32>, memref<64x256xf32>) outs(%h : memref<32x256xf32>)
  %s = memref.alloc() : memref<32x64xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<32x64xf32>)
  linalg.matmul ins(%h, %w : memref<32x256xf32>, memref<256x64xf32>) outs(%s : memref<32x64xf32>)
  %y = memref.alloc() : memref<32x64xf32>
  linalg.tanh ins(%s : memref<32x64xf32>) outs(%y : memref<32x64xf32>)
  return %y : memref<32x64xf32>
}

func.func @numbers(%step: i32, %to: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%to : memref<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %scaled = arith.muli %row, %step : i32
    %sum = arith.addi %scaled, %column : i32
    %few = arith.constant 13 : i32
    %rest = arith.remui %sum, %few : i32
    %float = arith.sitofp %rest : i32 to f32
    %part = arith.constant 0.01 : f32
    %value = arith.mulf %float, %part : f32
    linalg.yield %value : f32
  }
  return
}

func.func @main() {
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
  %x = memref.alloc() : memref<8x64xf32>
  %v = memref.alloc() : memref<64x4096xf32>
  %b = memref.alloc() : memref<1x4096xf32>
  %w = memref.alloc() : memref<4096x96xf32>
  %xs = memref.cast %x : memref<8x64xf32> to memref<?x?xf32>
  %vs = memref.cast %v : memref<64x4096xf32> to memref<?x?xf32>
  %bs = memref.cast %b : memref<1x4096xf32> to memref<?x?xf32>
  %ws = memref.cast %w : memref<4096x96xf32> to memref<?x?xf32>
  call @numbers(%two, %xs) : (i32, memref<?x?xf32>) -> ()
  call @numbers(%five, %vs) : (i32, memref<?x?xf32>) -> ()
  call @numbers(%two, %bs) : (i32, memref<?x?xf32>) -> ()
  call @numbers(%five, %ws) : (i32, memref<?x?xf32>) -> ()
  %bias = memref.collapse_shape %b [[0, 1]] : memref<1x4096xf32> into memref<4096xf32>
  %y = call @wide(%x, %v, %bias, %w) : (memref<8x64xf32>, memref<64x4096xf32>, memref<4096xf32>, memref<4096x96xf32>) -> memref<8x96xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 8 : index
  %columns = arith.constant 96 : index
  scf.for %i = %zero to %rows step %one {
    scf.for %j = %zero to %columns step %one {
      %value = memref.load %y[%i, %j] : memref<8x96xf32>
      vector.print %value : f32
    }
  }
  return
}
