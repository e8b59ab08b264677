// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A product that adds up along rows. Run row by row, it reads and writes all of its result in each step.

// RUN: stowage-opt %s --stream-rows --merge-alloc | FileCheck %s
// RUN: stowage-opt %s --stream-rows=overlap=false | FileCheck %s --check-prefix=APART
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{overlap=false},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (319 - d0, d1)>
#part = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
#weight = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
#sum = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Behind the steps it costs no byte: what it reads is as large as its result.

// CHECK-LABEL: func.func @fewer
// CHECK:         memref.alloc() {{.*}} : memref<65536xi8>
// CHECK:         memref.alloc() {{.*}} : memref<98304xi8>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c4
// CHECK:           linalg.batch_matmul ins(%{{.*}}, %{{.*}} : memref<1x128x128xf32>, memref<1x128x32xf32>)
// CHECK:         }
// CHECK:         linalg.generic {{.*}}ins(%{{.*}}, %{{.*}} : memref<4x128x32xf32>, memref<4x32x128xf32>)
func.func @fewer(%p: memref<4x128x128xf32>, %q: memref<4x128x32xf32>, %w: memref<4x32x128xf32>) -> memref<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4x128x128xf32>
  linalg.tanh ins(%p : memref<4x128x128xf32>) outs(%t : memref<4x128x128xf32>)
  %u = memref.alloc() : memref<4x128x32xf32>
  linalg.tanh ins(%q : memref<4x128x32xf32>) outs(%u : memref<4x128x32xf32>)
  %v = memref.alloc() : memref<4x128x32xf32>
  linalg.abs ins(%u : memref<4x128x32xf32>) outs(%v : memref<4x128x32xf32>)
  %o = memref.alloc() : memref<4x128x32xf32>
  linalg.fill ins(%zero : f32) outs(%o : memref<4x128x32xf32>)
  linalg.batch_matmul ins(%t, %v : memref<4x128x128xf32>, memref<4x128x32xf32>) outs(%o : memref<4x128x32xf32>)
  %y = memref.alloc() : memref<128x128xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<128x128xf32>)
  linalg.generic {indexing_maps = [#part, #weight, #sum],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%o, %w : memref<4x128x32xf32>, memref<4x32x128xf32>) outs(%y : memref<128x128xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %product = arith.mulf %in, %weight : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  }
  %r = memref.alloc() : memref<128x128xf32>
  linalg.tanh ins(%y : memref<128x128xf32>) outs(%r : memref<128x128xf32>)
  return %r : memref<128x128xf32>
}

// What it reads here is larger, but that is not the peak: two buffers in front are. These may share bytes, row by
// row, and then it is.

// CHECK-LABEL: func.func @first
// CHECK:         memref.alloc() {{.*}} : memref<213504xi8>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c4
// CHECK:           linalg.batch_matmul ins(%{{.*}}, %{{.*}} : memref<1x128x128xf32>, memref<1x128x80xf32>)
// CHECK:           linalg.generic {{.*}}ins(%{{.*}}, %{{.*}} : memref<1x128x80xf32>, memref<1x80x128xf32{{.*}}>)
// CHECK:         }

// APART-LABEL: func.func @first
// APART:         scf.for %{{.*}} = %{{.*}} to %c4
// APART:           linalg.batch_matmul
// APART:         }
// APART:         linalg.generic {{.*}}ins(%{{.*}}, %{{.*}} : memref<{{.*}}x80x{{.*}}>, memref<4x80x128xf32>)
func.func @first(%x: memref<320x128xf32>, %p: memref<4x128x128xf32>, %q: memref<4x128x80xf32>, %w: memref<4x80x128xf32>) -> memref<128x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c320 = arith.constant 320 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<320x128xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<320x128xf32>) outs(%a : memref<320x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %b = memref.alloc() : memref<320x128xf32>
  linalg.tanh ins(%a : memref<320x128xf32>) outs(%b : memref<320x128xf32>)
  %c = memref.alloc() : memref<320x128xf32>
  linalg.abs ins(%b : memref<320x128xf32>) outs(%c : memref<320x128xf32>)
  %s = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128xf32>)
  scf.for %i = %c0 to %c320 step %c1 {
    scf.for %j = %c0 to %c128 step %c1 {
      %part = memref.load %c[%i, %j] : memref<320x128xf32>
      %so = memref.load %s[%j] : memref<128xf32>
      %sum = arith.addf %so, %part : f32
      memref.store %sum, %s[%j] : memref<128xf32>
    }
  }
  %t = memref.alloc() : memref<4x128x128xf32>
  linalg.tanh ins(%p : memref<4x128x128xf32>) outs(%t : memref<4x128x128xf32>)
  %u = memref.alloc() : memref<4x128x80xf32>
  linalg.tanh ins(%q : memref<4x128x80xf32>) outs(%u : memref<4x128x80xf32>)
  %o = memref.alloc() : memref<4x128x80xf32>
  linalg.fill ins(%zero : f32) outs(%o : memref<4x128x80xf32>)
  linalg.batch_matmul ins(%t, %u : memref<4x128x128xf32>, memref<4x128x80xf32>) outs(%o : memref<4x128x80xf32>)
  %y = memref.alloc() : memref<128x128xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<128x128xf32>)
  linalg.generic {indexing_maps = [#part, #weight, #sum],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%o, %w : memref<4x128x80xf32>, memref<4x80x128xf32>) outs(%y : memref<128x128xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %product = arith.mulf %in, %weight : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  }
  %r = memref.alloc() : memref<128x128xf32>
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
    ins(%y, %s : memref<128x128xf32>, memref<128xf32>) outs(%r : memref<128x128xf32>) {
  ^bb0(%in: f32, %b0: f32, %out: f32):
    %sum = arith.addf %in, %b0 : f32
    linalg.yield %sum : f32
  }
  return %r : memref<128x128xf32>
}

func.func @numbers(%step: i32, %to: memref<?x?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    outs(%to : memref<?x?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %ij = arith.addi %i, %j : index
    %row = arith.index_cast %ij : index to i32
    %column = arith.index_cast %k : index to i32
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

func.func @print(%y: memref<128x128xf32>) {
  %zero = arith.constant 0 : index
  %seven = arith.constant 7 : index
  %end = arith.constant 128 : index
  scf.for %i = %zero to %end step %seven {
    scf.for %j = %zero to %end step %seven {
      %value = memref.load %y[%i, %j] : memref<128x128xf32>
      vector.print %value : f32
    }
  }
  return
}

func.func @main() {
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
  %p = memref.alloc() : memref<4x128x128xf32>
  %q = memref.alloc() : memref<4x128x32xf32>
  %w = memref.alloc() : memref<4x32x128xf32>
  %u = memref.alloc() : memref<4x128x80xf32>
  %v = memref.alloc() : memref<4x80x128xf32>
  %x = memref.alloc() : memref<1x320x128xf32>
  %ps = memref.cast %p : memref<4x128x128xf32> to memref<?x?x?xf32>
  call @numbers(%five, %ps) : (i32, memref<?x?x?xf32>) -> ()
  %qs = memref.cast %q : memref<4x128x32xf32> to memref<?x?x?xf32>
  call @numbers(%two, %qs) : (i32, memref<?x?x?xf32>) -> ()
  %ws = memref.cast %w : memref<4x32x128xf32> to memref<?x?x?xf32>
  call @numbers(%five, %ws) : (i32, memref<?x?x?xf32>) -> ()
  %us = memref.cast %u : memref<4x128x80xf32> to memref<?x?x?xf32>
  call @numbers(%two, %us) : (i32, memref<?x?x?xf32>) -> ()
  %vs = memref.cast %v : memref<4x80x128xf32> to memref<?x?x?xf32>
  call @numbers(%five, %vs) : (i32, memref<?x?x?xf32>) -> ()
  %xs = memref.cast %x : memref<1x320x128xf32> to memref<?x?x?xf32>
  call @numbers(%two, %xs) : (i32, memref<?x?x?xf32>) -> ()
  %rows = memref.collapse_shape %x [[0, 1], [2]] : memref<1x320x128xf32> into memref<320x128xf32>
  %y = call @fewer(%p, %q, %w) : (memref<4x128x128xf32>, memref<4x128x32xf32>, memref<4x32x128xf32>) -> memref<128x128xf32>
  call @print(%y) : (memref<128x128xf32>) -> ()
  %z = call @first(%rows, %p, %u, %v)
    : (memref<320x128xf32>, memref<4x128x128xf32>, memref<4x128x80xf32>, memref<4x80x128xf32>) -> memref<128x128xf32>
  call @print(%z) : (memref<128x128xf32>) -> ()
  return
}
