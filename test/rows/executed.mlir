// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed before and after, on a heap that poisons what it gives out: a frame around an image, two
// convolutions with a stride and a rest, an addition whose operands have different delays, an index
// of the row, rows joined with columns, a mean over rows, and a buffer that serves twice. A second
// function has an attention, each of whose rows becomes two of an image that a window is moved over.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1 rows=3},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --stream-rows=max-moved=1 | FileCheck %s --check-prefix=LOOP

// CHECK: equal

// LOOP-LABEL: func.func @net
// LOOP: scf.for
// LOOP: linalg.conv_2d_nhwc_hwcf
// LOOP: arith.remui
// LOOP: linalg.index 1
// LOOP: return

// LOOP-LABEL: func.func @upsampled_attention
// LOOP: scf.for
// LOOP: linalg.matmul
// LOOP: linalg.pooling_nwc_max
// LOOP: return

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#pair = affine_map<(d0, d1) -> (d0, d1)>
func.func @net(%x: memref<1x13x6x4xf32>, %w: memref<3x3x4x4xf32>) -> memref<1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %frame = memref.alloc() : memref<1x15x8x4xf32>
  linalg.fill ins(%zero : f32) outs(%frame : memref<1x15x8x4xf32>)
  %inner = memref.subview %frame[0, 1, 1, 0] [1, 13, 6, 4] [1, 1, 1, 1] : memref<1x15x8x4xf32> to memref<1x13x6x4xf32, strided<[480, 32, 4, 1], offset: 36>>
  memref.copy %x, %inner : memref<1x13x6x4xf32> to memref<1x13x6x4xf32, strided<[480, 32, 4, 1], offset: 36>>
  %a = memref.alloc() : memref<1x13x6x4xf32>
  linalg.fill ins(%half : f32) outs(%a : memref<1x13x6x4xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%frame, %w : memref<1x15x8x4xf32>, memref<3x3x4x4xf32>) outs(%a : memref<1x13x6x4xf32>)
  linalg.fill ins(%half : f32) outs(%frame : memref<1x15x8x4xf32>)
  memref.copy %a, %inner : memref<1x13x6x4xf32> to memref<1x13x6x4xf32, strided<[480, 32, 4, 1], offset: 36>>
  %b = memref.alloc() : memref<1x13x6x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<1x13x6x4xf32>)
  linalg.conv_2d_nhwc_hwcf ins(%frame, %w : memref<1x15x8x4xf32>, memref<3x3x4x4xf32>) outs(%b : memref<1x13x6x4xf32>)
  %c = memref.alloc() : memref<1x13x6x4xf32>
  linalg.add ins(%a, %b : memref<1x13x6x4xf32>, memref<1x13x6x4xf32>) outs(%c : memref<1x13x6x4xf32>)
  %d = memref.alloc() : memref<1x13x6x4xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : memref<1x13x6x4xf32>) outs(%d : memref<1x13x6x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %row = linalg.index 1 : index
    %number = arith.index_cast %row : index to i32
    %float = arith.sitofp %number : i32 to f32
    %sum = arith.addf %in, %float : f32
    linalg.yield %sum : f32
  }
  %joined = memref.collapse_shape %d [[0, 1, 2], [3]] : memref<1x13x6x4xf32> into memref<78x4xf32>
  %e = memref.alloc() : memref<78x4xf32>
  linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel"]}
    ins(%joined : memref<78x4xf32>) outs(%e : memref<78x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    linalg.yield %square : f32
  }
  %apart = memref.expand_shape %e [[0, 1, 2], [3]] output_shape [1, 13, 6, 4] : memref<78x4xf32> into memref<1x13x6x4xf32>
  %f = memref.alloc() : memref<1x6x6x4xf32>
  %window = memref.alloc() : memref<2x1xf32>
  linalg.fill ins(%zero : f32) outs(%f : memref<1x6x6x4xf32>)
  linalg.pooling_nhwc_max {strides = dense<[2, 1]> : vector<2xi64>} ins(%apart, %window : memref<1x13x6x4xf32>, memref<2x1xf32>) outs(%f : memref<1x6x6x4xf32>)
  %mean = memref.alloc() : memref<1x4xf32>
  linalg.fill ins(%zero : f32) outs(%mean : memref<1x4xf32>)
  linalg.generic {indexing_maps = [#id, #channel], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
    ins(%f : memref<1x6x6x4xf32>) outs(%mean : memref<1x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  return %mean : memref<1x4xf32>
}

func.func @upsampled_attention(%x: memref<24x8xf32>) -> memref<1x46x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %keys = memref.alloc() : memref<8x24xf32>
  linalg.transpose ins(%x : memref<24x8xf32>) outs(%keys : memref<8x24xf32>) permutation = [1, 0]
  %queries = memref.alloc() : memref<24x8xf32>
  linalg.abs ins(%x : memref<24x8xf32>) outs(%queries : memref<24x8xf32>)
  %scores = memref.alloc() : memref<24x24xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<24x24xf32>)
  linalg.matmul ins(%queries, %keys : memref<24x8xf32>, memref<8x24xf32>) outs(%scores : memref<24x24xf32>)
  %sums = memref.alloc() : memref<24xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<24xf32>)
  linalg.reduce { arith.addf } ins(%scores : memref<24x24xf32>) outs(%sums : memref<24xf32>) dimensions = [1]
  %all = memref.alloc() : memref<24x24xf32>
  linalg.broadcast ins(%sums : memref<24xf32>) outs(%all : memref<24x24xf32>) dimensions = [1]
  %shares = memref.alloc() : memref<24x24xf32>
  linalg.div ins(%scores, %all : memref<24x24xf32>, memref<24x24xf32>) outs(%shares : memref<24x24xf32>)
  %found = memref.alloc() : memref<24x8xf32>
  linalg.fill ins(%zero : f32) outs(%found : memref<24x8xf32>)
  linalg.matmul ins(%shares, %x : memref<24x24xf32>, memref<24x8xf32>) outs(%found : memref<24x8xf32>)
  %wide = memref.alloc() : memref<1x24x2x8xf32>
  linalg.broadcast ins(%found : memref<24x8xf32>) outs(%wide : memref<1x24x2x8xf32>) dimensions = [0, 2]
  %image = memref.collapse_shape %wide [[0], [1, 2], [3]] : memref<1x24x2x8xf32> into memref<1x48x8xf32>
  %sized = memref.alloc() : memref<1x48x8xf32>
  linalg.exp ins(%image : memref<1x48x8xf32>) outs(%sized : memref<1x48x8xf32>)
  %k = memref.alloc() : memref<3xf32>
  %y = memref.alloc() : memref<1x46x8xf32>
  linalg.fill ins(%low : f32) outs(%y : memref<1x46x8xf32>)
  linalg.pooling_nwc_max ins(%sized, %k : memref<1x48x8xf32>, memref<3xf32>) outs(%y : memref<1x46x8xf32>)
  return %y : memref<1x46x8xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<1x13x6x4xf32>
  %w = memref.alloc() : memref<3x3x4x4xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%x : memref<1x13x6x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %k = linalg.index 3 : index
    %ij = arith.muli %i, %j : index
    %all = arith.addi %ij, %k : index
    %number = arith.index_cast %all : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%w : memref<3x3x4x4xf32>) {
  ^bb0(%out: f32):
    %eighth = arith.constant 0.125 : f32
    %i = linalg.index 0 : index
    %k = linalg.index 3 : index
    %all = arith.addi %i, %k : index
    %number = arith.index_cast %all : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %eighth : f32
    linalg.yield %small : f32
  }
  %y = call @net(%x, %w) : (memref<1x13x6x4xf32>, memref<3x3x4x4xf32>) -> memref<1x4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %y[%c0, %i] : memref<1x4xf32>
    vector.print %v : f32
  }
  %c8 = arith.constant 8 : index
  %c46 = arith.constant 46 : index
  %in = memref.alloc() : memref<24x8xf32>
  linalg.generic {indexing_maps = [#pair], iterator_types = ["parallel", "parallel"]} outs(%in : memref<24x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %product = arith.muli %i, %j : index
    %number = arith.index_cast %product : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  }
  %z = call @upsampled_attention(%in) : (memref<24x8xf32>) -> memref<1x46x8xf32>
  scf.for %i = %c0 to %c46 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %z[%c0, %i, %j] : memref<1x46x8xf32>
      vector.print %v : f32
    }
  }
  return
}
