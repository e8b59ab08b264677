// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A collapse behind a cast that hides the strides joins what was one run, and would not be in the part of another buffer.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s

// CHECK: equal

func.func @run(%arg: memref<4x4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<4x8xf32>)
  %a = memref.alloc() : memref<4x4xf32>
  %ca = memref.cast %a : memref<4x4xf32> to memref<4x4xf32, strided<[?, ?], offset: ?>>
  %k = memref.collapse_shape %ca [[0, 1]] : memref<4x4xf32, strided<[?, ?], offset: ?>> into memref<16xf32, strided<[?], offset: ?>>
  linalg.exp ins(%arg : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%k : memref<16xf32, strided<[?], offset: ?>>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %o, %f : f32
    linalg.yield %s : f32
  }
  %p = memref.subview %b[0, 4] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  memref.copy %a, %p : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  scf.for %x = %c0 to %c4 step %c1 {
    scf.for %y = %c0 to %c8 step %c1 {
      %r = memref.load %b[%x, %y] : memref<4x8xf32>
      vector.print %r : f32
    }
  }
  %r = memref.load %b[%c2, %c4] : memref<4x8xf32>
  return %r : f32
}
func.func @placed() {
  %c0 = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%c0 : f32) outs(%a : memref<4x4xf32>)
  %x = call @run(%a) : (memref<4x4xf32>) -> f32
  vector.print %x : f32
  return
}

func.func @moved() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %b = memref.alloc() : memref<4x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%b : memref<4x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i8 = arith.muli %i, %c8 : index
    %n = arith.addi %i8, %j : index
    %m = arith.index_cast %n : index to i32
    %f = arith.sitofp %m : i32 to f32
    linalg.yield %f : f32
  }
  %p = memref.subview %b[0, 4] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  %a = memref.alloc() : memref<4x4xf32>
  memref.copy %p, %a : memref<4x4xf32, strided<[8, 1], offset: 4>> to memref<4x4xf32>
  %ca = memref.cast %a : memref<4x4xf32> to memref<4x4xf32, strided<[?, ?], offset: ?>>
  %k = memref.collapse_shape %ca [[0, 1]] : memref<4x4xf32, strided<[?, ?], offset: ?>> into memref<16xf32, strided<[?], offset: ?>>
  %d = memref.alloc() : memref<16xf32>
  linalg.exp ins(%k : memref<16xf32, strided<[?], offset: ?>>) outs(%d : memref<16xf32>)
  scf.for %x = %c0 to %c16 step %c1 {
    %r = memref.load %d[%x] : memref<16xf32>
    vector.print %r : f32
  }
  return
}

func.func @main() {
  call @placed() : () -> ()
  call @moved() : () -> ()
  return
}
