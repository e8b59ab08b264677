// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A fill in front of sums gives their first values; an elementwise op behind them runs in their tiles. In place the sums are not
// stored. They are if the op writes elsewhere. What must not be fused: the op writes what the sums read, or reads the result
// through another map, or something else happens between.

// RUN: stowage-opt %s --convert-linalg-to-vectors=pack-weights=false | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors)' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},convert-linalg-to-vectors{vector-bits=512 registers=32},buffer-deallocation)' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc{poison},cse,convert-linalg-to-vectors{vector-bits=32 registers=7},buffer-deallocation)' | FileCheck %s --check-prefix=EQUAL

// EQUAL: equal

#plane = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#lane = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @in_place(
// CHECK: %[[Y:.*]] = memref.alloc() : memref<4x4xf32>
// CHECK-NOT: vector.load {{.*}} memref<16xf32, strided<[1], offset: ?>>, vector<4xf32>
// CHECK: vector.broadcast
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maximumf {{.*}} : vector<4xf32>
// CHECK: vector.store
// CHECK-NOT: scf.for
func.func @in_place(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %bias: memref<4xf32>) -> memref<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<4x4xf32>)
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%y : memref<4x4xf32>)
  linalg.generic {indexing_maps = [#plane, #lane, #plane], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : memref<4x4xf32>, memref<4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%x: f32, %c: f32, %o: f32):
    %s = arith.addf %x, %c : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  return %y : memref<4x4xf32>
}

// Sizes that no tile divides; narrower results; a constant that sums begin with; the sums are read later, too.
// CHECK-LABEL: func.func @elsewhere(
// CHECK: vector.store {{.*}} vector<4xi32>
// CHECK: vector.store {{.*}} vector<4xi8>
func.func @elsewhere(%a: memref<13x37xi8>, %b: memref<37x29xi8>, %bias: memref<13xi32>) -> (memref<13x29xi32>, memref<13x29xi8>) {
  %seven = arith.constant 7 : i32
  %scale = arith.constant 1431655765 : i64
  %shift = arith.constant 39 : i64
  %y = memref.alloc() : memref<13x29xi32>
  %z = memref.alloc() : memref<13x29xi8>
  linalg.fill ins(%seven : i32) outs(%y : memref<13x29xi32>)
  linalg.matmul ins(%a, %b : memref<13x37xi8>, memref<37x29xi8>) outs(%y : memref<13x29xi32>)
  linalg.generic {indexing_maps = [#row, #plane, #plane], iterator_types = ["parallel", "parallel"]} ins(%bias, %y : memref<13xi32>, memref<13x29xi32>) outs(%z : memref<13x29xi8>) {
  ^bb0(%c: i32, %x: i32, %o: i8):
    %s = arith.addi %x, %c : i32
    %w = arith.extsi %s : i32 to i64
    %p = arith.muli %w, %scale : i64
    %q = arith.shrsi %p, %shift : i64
    %r = arith.trunci %q : i64 to i8
    linalg.yield %r : i8
  }
  return %y, %z : memref<13x29xi32>, memref<13x29xi8>
}

// CHECK-LABEL: func.func @apart(
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: math.absf
// CHECK: scf.for
// CHECK: math.absf
// CHECK-LABEL: func.func @others(
func.func @apart(%a: memref<8x8xf32>) -> memref<8x8xf32> {
  %one = arith.constant 1.0 : f32
  %y = memref.alloc() : memref<8x8xf32>
  %x = memref.alloc() : memref<8x8xf32>
  memref.copy %a, %x : memref<8x8xf32> to memref<8x8xf32>
  linalg.fill ins(%one : f32) outs(%y : memref<8x8xf32>)
  linalg.matmul ins(%x, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]} ins(%y : memref<8x8xf32>) outs(%x : memref<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = math.absf %v : f32
    linalg.yield %n : f32
  }
  memref.dealloc %y : memref<8x8xf32>
  return %x : memref<8x8xf32>
}

func.func @others(%a: memref<8x8xf32>) -> (memref<8x8xf32>, memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() : memref<8x8xf32>
  %x = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<8x8xf32>)
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#plane, #turned, #plane], iterator_types = ["parallel", "parallel"]} ins(%y, %y : memref<8x8xf32>, memref<8x8xf32>) outs(%x : memref<8x8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %n = arith.subf %v, %w : f32
    linalg.yield %n : f32
  }
  linalg.matmul ins(%a, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  memref.store %zero, %y[%c0, %c0] : memref<8x8xf32>
  linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]} ins(%y : memref<8x8xf32>) outs(%x : memref<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  return %x, %y : memref<8x8xf32>, memref<8x8xf32>
}

func.func private @printI64(i64)
func.func private @printNewline()

func.func @show(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %b = arith.bitcast %v : f32 to i32
      %w = arith.extsi %b : i32 to i64
      func.call @printI64(%w) : (i64) -> ()
      func.call @printNewline() : () -> ()
    }
  }
  return
}

// Numbers from -50 on that look like none.
func.func @numbers(%x: memref<?x?xi8>) {
  linalg.generic {indexing_maps = [#plane], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x?xi8>) {
  ^bb0(%o: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c17 = arith.constant 17 : index
    %c101 = arith.constant 101 : index
    %c50 = arith.constant 50 : index
    %s = arith.muli %i, %c17 : index
    %t = arith.addi %s, %j : index
    %u = arith.muli %t, %t : index
    %v = arith.remui %u, %c101 : index
    %w = arith.subi %v, %c50 : index
    %r = arith.index_cast %w : index to i8
    linalg.yield %r : i8
  }
  return
}

func.func @floats(%x: memref<?x?xi8>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xi8>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: i8, %o: f32):
    %c = arith.constant 0.0173 : f32
    %f = arith.sitofp %v : i8 to f32
    %r = arith.mulf %f, %c : f32
    linalg.yield %r : f32
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %c29 = arith.constant 29 : index
  %a = memref.alloc() : memref<13x37xi8>
  %b = memref.alloc() : memref<37x29xi8>
  %f = memref.alloc() : memref<37x29xf32>
  %bias = memref.alloc() : memref<13xi32>
  %ad = memref.cast %a : memref<13x37xi8> to memref<?x?xi8>
  %bd = memref.cast %b : memref<37x29xi8> to memref<?x?xi8>
  %fd = memref.cast %f : memref<37x29xf32> to memref<?x?xf32>
  call @numbers(%ad) : (memref<?x?xi8>) -> ()
  call @numbers(%bd) : (memref<?x?xi8>) -> ()
  call @floats(%bd, %fd) : (memref<?x?xi8>, memref<?x?xf32>) -> ()
  scf.for %i = %c0 to %c13 step %c1 {
    %w = arith.index_cast %i : index to i32
    memref.store %w, %bias[%i] : memref<13xi32>
  }
  %x = memref.alloc() : memref<4x8xf32>
  %y = memref.alloc() : memref<8x4xf32>
  %z = memref.alloc() : memref<8x8xf32>
  %l = memref.alloc() : memref<4xf32>
  %x0 = memref.subview %f[2, 3] [4, 8] [1, 1] : memref<37x29xf32> to memref<4x8xf32, strided<[29, 1], offset: 61>>
  %y0 = memref.subview %f[11, 1] [8, 4] [1, 1] : memref<37x29xf32> to memref<8x4xf32, strided<[29, 1], offset: 320>>
  %z0 = memref.subview %f[21, 7] [8, 8] [1, 1] : memref<37x29xf32> to memref<8x8xf32, strided<[29, 1], offset: 616>>
  %l0 = memref.subview %f[30, 5] [1, 4] [1, 1] : memref<37x29xf32> to memref<4xf32, strided<[1], offset: 875>>
  linalg.copy ins(%x0 : memref<4x8xf32, strided<[29, 1], offset: 61>>) outs(%x : memref<4x8xf32>)
  linalg.copy ins(%y0 : memref<8x4xf32, strided<[29, 1], offset: 320>>) outs(%y : memref<8x4xf32>)
  linalg.copy ins(%z0 : memref<8x8xf32, strided<[29, 1], offset: 616>>) outs(%z : memref<8x8xf32>)
  linalg.copy ins(%l0 : memref<4xf32, strided<[1], offset: 875>>) outs(%l : memref<4xf32>)
  %p = call @in_place(%x, %y, %l) : (memref<4x8xf32>, memref<8x4xf32>, memref<4xf32>) -> memref<4x4xf32>
  %q:2 = call @elsewhere(%a, %b, %bias) : (memref<13x37xi8>, memref<37x29xi8>, memref<13xi32>) -> (memref<13x29xi32>, memref<13x29xi8>)
  %r = call @apart(%z) : (memref<8x8xf32>) -> memref<8x8xf32>
  %s:2 = call @others(%z) : (memref<8x8xf32>) -> (memref<8x8xf32>, memref<8x8xf32>)
  %pd = memref.cast %p : memref<4x4xf32> to memref<?x?xf32>
  %rd = memref.cast %r : memref<8x8xf32> to memref<?x?xf32>
  %sd = memref.cast %s#0 : memref<8x8xf32> to memref<?x?xf32>
  %td = memref.cast %s#1 : memref<8x8xf32> to memref<?x?xf32>
  call @show(%pd) : (memref<?x?xf32>) -> ()
  call @show(%rd) : (memref<?x?xf32>) -> ()
  call @show(%sd) : (memref<?x?xf32>) -> ()
  call @show(%td) : (memref<?x?xf32>) -> ()
  scf.for %i = %c0 to %c13 step %c1 {
    scf.for %j = %c0 to %c29 step %c1 {
      %v = memref.load %q#0[%i, %j] : memref<13x29xi32>
      %w = memref.load %q#1[%i, %j] : memref<13x29xi8>
      %ve = arith.extsi %v : i32 to i64
      %we = arith.extsi %w : i8 to i64
      func.call @printI64(%ve) : (i64) -> ()
      func.call @printNewline() : () -> ()
      func.call @printI64(%we) : (i64) -> ()
      func.call @printNewline() : () -> ()
    }
  }
  memref.dealloc %p : memref<4x4xf32>
  memref.dealloc %q#0 : memref<13x29xi32>
  memref.dealloc %q#1 : memref<13x29xi8>
  memref.dealloc %r : memref<8x8xf32>
  memref.dealloc %s#0 : memref<8x8xf32>
  memref.dealloc %s#1 : memref<8x8xf32>
  memref.dealloc %a : memref<13x37xi8>
  memref.dealloc %b : memref<37x29xi8>
  memref.dealloc %f : memref<37x29xf32>
  memref.dealloc %bias : memref<13xi32>
  memref.dealloc %x : memref<4x8xf32>
  memref.dealloc %y : memref<8x4xf32>
  memref.dealloc %z : memref<8x8xf32>
  memref.dealloc %l : memref<4xf32>
  return
}
