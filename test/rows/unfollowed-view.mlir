// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What reads rows of %a by a view that is not followed says nothing of rows of %a, which has one dimension.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --stream-rows=max-moved=1 | FileCheck %s --check-prefix=LOOP

// CHECK: equal
// LOOP: scf.for

func.func @sums(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %s = memref.alloc() : memref<8xf32>
  %e = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.sub ins(%c, %x : memref<64xf32>, memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.add ins(%d, %x : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  %square = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32> to memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
  linalg.reduce { arith.addf } ins(%square : memref<8x8xf32>) outs(%s : memref<8xf32>) dimensions = [0]
  linalg.broadcast ins(%s : memref<8xf32>) outs(%e : memref<64x8xf32>) dimensions = [0]
  linalg.negf ins(%e : memref<64x8xf32>) outs(%z : memref<64x8xf32>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %eighth = arith.constant 0.125 : f32
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<64xf32>
  %z = memref.alloc() : memref<64x8xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %number = arith.index_cast %i : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %eighth : f32
    memref.store %small, %x[%i] : memref<64xf32>
  }
  call @sums(%x, %y, %z) : (memref<64xf32>, memref<64xf32>, memref<64x8xf32>) -> ()
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    vector.print %v : f32
    scf.for %j = %c0 to %c8 step %c1 {
      %w = memref.load %z[%i, %j] : memref<64x8xf32>
      vector.print %w : f32
    }
  }
  memref.dealloc %x : memref<64xf32>
  memref.dealloc %y : memref<64xf32>
  memref.dealloc %z : memref<64x8xf32>
  return
}
