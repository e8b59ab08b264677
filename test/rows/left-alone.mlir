// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers that somebody names whom the block's statements do not show, and ops that are no plain
// loops. Nothing of it becomes a stream.

// RUN: stowage-opt %s --split-input-file --stream-rows | FileCheck %s
// RUN: stowage-opt %s --split-input-file --stream-rows=rows=65536 | FileCheck %s

// CHECK-NOT: scf.for

// Another block reads the buffer.

// CHECK-LABEL: func.func @other_block
func.func @other_block(%x: memref<64x8xf32>, %c: i1) -> memref<64x8xf32> {
  %a = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  memref.copy %a, %y : memref<64x8xf32> to memref<64x8xf32>
  cf.br ^bb2
^bb2:
  return %y : memref<64x8xf32>
}

// -----

// The terminator has a region that does.

// CHECK-LABEL: func.func @terminator
func.func @terminator(%x: memref<64x8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.parallel (%i) = (%c0) to (%c2) step (%c1) init (%zero) -> f32 {
    %a = memref.alloc() : memref<64x8xf32>
    linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
    linalg.abs ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
    scf.reduce(%zero : f32) {
    ^bb0(%l: f32, %r: f32):
      %q = memref.load %a[%c1, %c1] : memref<64x8xf32>
      scf.reduce.return %q : f32
    }
  }
  return %s : f32
}

// -----

// A linalg op in the body of another writes memory.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @nested
// CHECK: linalg.fill
// CHECK: memref.load
func.func @nested(%x: memref<64x8xf32>, %q: memref<1xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64x8xf32>
  %b = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x8xf32>) outs(%b : memref<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.fill ins(%in : f32) outs(%q : memref<1xf32>)
    linalg.yield %in : f32
  }
  %v = memref.load %q[%c0] : memref<1xf32>
  return %v : f32
}

// -----

// Work that goes on writes the buffer.

// CHECK-LABEL: func.func @goes_on
func.func @goes_on(%x: memref<64x8xf32>) -> memref<64x8xf32> {
  %c = memref.alloc() : memref<64x8xf32>
  %d = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  %t = async.execute {
    linalg.exp ins(%x : memref<64x8xf32>) outs(%d : memref<64x8xf32>)
    async.yield
  }
  async.await %t : !async.token
  linalg.abs ins(%d : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
  return %y : memref<64x8xf32>
}

// -----

// Rows do not lie at strides.

#tiled = affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>

// CHECK-LABEL: func.func @tiled
func.func @tiled(%x: memref<64x8xf32, #tiled>) -> memref<64x8xf32> {
  %a = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32, #tiled>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
  return %y : memref<64x8xf32>
}

// -----

// The op's body, which no text shows, asks for the row.

// CHECK-LABEL: func.func @random
func.func @random(%low: f64, %high: f64, %seed: i32) -> memref<64x8xf32> {
  %a = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
  return %y : memref<64x8xf32>
}

// -----

// A step of the rows that is larger than the buffer, in a loop of one iteration.

// CHECK-LABEL: func.func @far
// CHECK: return
#x = affine_map<(d0, d1, d2) -> (d0, 7 - d2)>
#k = affine_map<(d0, d1, d2) -> (d1)>
#far = affine_map<(d0, d1, d2) -> (4503599627370496 * d0 + d1, d2)>
func.func @far(%x: memref<1x8xf32>, %w: memref<2xf32>) -> memref<1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<2x8xf32>
  %y = memref.alloc() : memref<1x8xf32>
  linalg.generic {indexing_maps = [#x, #k, #far], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : memref<1x8xf32>, memref<2xf32>) outs(%b : memref<2x8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %product = arith.mulf %in, %by : f32
    linalg.yield %product : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<1x8xf32>)
  linalg.generic {indexing_maps = [#far, #k, #x], iterator_types = ["parallel", "reduction", "parallel"]} ins(%b, %w : memref<2x8xf32>, memref<2xf32>) outs(%y : memref<1x8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %product = arith.mulf %in, %by : f32
    %sum = arith.addf %product, %out : f32
    linalg.yield %sum : f32
  }
  return %y : memref<1x8xf32>
}
