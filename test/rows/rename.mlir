// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer that is overwritten as a whole gets an allocation for each life, unless the op that
// overwrites it reads what was there by another name.

// RUN: stowage-opt %s --stream-rows=overlap=false | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @twice
// CHECK: memref.alloc() : memref<16x16xf32>
// CHECK-NOT: memref.alloc() : memref<16x16xf32>
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK: return
func.func @twice(%x: memref<16x16xf32>, %y: memref<16x16xf32>) {
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.exp ins(%x : memref<16x16xf32>) outs(%a : memref<16x16xf32>)
  linalg.abs ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  linalg.exp ins(%b : memref<16x16xf32>) outs(%a : memref<16x16xf32>)
  linalg.abs ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  memref.copy %b, %y : memref<16x16xf32> to memref<16x16xf32>
  return
}

// The second op of @loads reads the old contents in its body, the one of @transposes by a view.

func.func @loads(%x: memref<16x16xf32>, %y: memref<16x16xf32>) {
  %c3 = arith.constant 3 : index
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  %half = arith.constant 0.5 : f32
  %l = memref.alloc() : memref<64x16xf32>
  %m = memref.alloc() : memref<64x16xf32>
  linalg.fill ins(%half : f32) outs(%l : memref<64x16xf32>)
  linalg.exp ins(%l : memref<64x16xf32>) outs(%m : memref<64x16xf32>)
  %first = memref.subview %m[0, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1]>>
  memref.copy %first, %y : memref<16x16xf32, strided<[16, 1]>> to memref<16x16xf32>
  linalg.abs ins(%x : memref<16x16xf32>) outs(%a : memref<16x16xf32>)
  linalg.abs ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<16x16xf32>) outs(%a : memref<16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %old = memref.load %a[%c3, %c3] : memref<16x16xf32>
    %sum = arith.addf %in, %old : f32
    linalg.yield %sum : f32
  }
  linalg.add ins(%a, %y : memref<16x16xf32>, memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  memref.copy %b, %y : memref<16x16xf32> to memref<16x16xf32>
  return
}

func.func @transposes(%x: memref<16x16xf32>, %y: memref<16x16xf32>) {
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<16x16xf32> to memref<16x16xf32, affine_map<(d0, d1) -> (d1 * 16 + d0)>>
  %half = arith.constant 0.5 : f32
  %l = memref.alloc() : memref<64x16xf32>
  %m = memref.alloc() : memref<64x16xf32>
  linalg.fill ins(%half : f32) outs(%l : memref<64x16xf32>)
  linalg.exp ins(%l : memref<64x16xf32>) outs(%m : memref<64x16xf32>)
  %first = memref.subview %m[0, 0] [16, 16] [1, 1] : memref<64x16xf32> to memref<16x16xf32, strided<[16, 1]>>
  memref.copy %first, %y : memref<16x16xf32, strided<[16, 1]>> to memref<16x16xf32>
  linalg.abs ins(%x : memref<16x16xf32>) outs(%a : memref<16x16xf32>)
  linalg.abs ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  linalg.add ins(%b, %t : memref<16x16xf32>, memref<16x16xf32, affine_map<(d0, d1) -> (d1 * 16 + d0)>>) outs(%a : memref<16x16xf32>)
  linalg.add ins(%a, %y : memref<16x16xf32>, memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  memref.copy %b, %y : memref<16x16xf32> to memref<16x16xf32>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = memref.alloc() : memref<16x16xf32>
  %y = memref.alloc() : memref<16x16xf32>
  %z = memref.alloc() : memref<16x16xf32>
  %w = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : memref<16x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %twice = arith.addi %i, %i : index
    %all = arith.subi %twice, %j : index
    %number = arith.index_cast %all : index to i32
    %float = arith.sitofp %number : i32 to f32
    %tenth = arith.constant 0.0625 : f32
    %small = arith.mulf %float, %tenth : f32
    linalg.yield %small : f32
  }
  call @twice(%x, %y) : (memref<16x16xf32>, memref<16x16xf32>) -> ()
  call @loads(%x, %z) : (memref<16x16xf32>, memref<16x16xf32>) -> ()
  call @transposes(%x, %w) : (memref<16x16xf32>, memref<16x16xf32>) -> ()
  scf.for %i = %c0 to %c16 step %c1 {
    %p = memref.load %y[%i, %c1] : memref<16x16xf32>
    %q = memref.load %z[%i, %c1] : memref<16x16xf32>
    %r = memref.load %w[%i, %c1] : memref<16x16xf32>
    vector.print %p : f32
    vector.print %q : f32
    vector.print %r : f32
  }
  return
}
