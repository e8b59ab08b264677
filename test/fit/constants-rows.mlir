// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A copy of a constant is streamed with the ops that read it by rows: the fast memory has two rows at a time, and the bits are the same.

// RUN: echo '[{name = "sram", bytes = 128}, {name = "flash", bytes = 65536, cost = 6, constants, read_only}]' > %t.txt
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,fit-memory{memories=%t.txt reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: stowage-opt %s --stream-rows --fit-memory='memories=%t.txt reduce-peak=false' | FileCheck %s --check-prefix=ROWS

// CHECK: equal
// ROWS: scf.for
// ROWS: %[[ROW:.*]] = memref.alloc() {{.*}} : memref<2x8xf32>
// ROWS: memref.copy %{{.*}}, %[[ROW]]
// ROWS: linalg.matvec ins(%[[ROW]]

memref.global "private" constant @w : memref<8x8xf32> = dense<[[-5.5, -2.5, 1.5, 4.5, -4.5, -1.5, 2.5, 5.5], [2.5, 5.5, -3.5, 0.5, 3.5, -5.5, -2.5, 1.5], [-2.5, 1.5, 4.5, -4.5, -1.5, 2.5, 5.5, -3.5], [5.5, -3.5, 0.5, 3.5, -5.5, -2.5, 1.5, 4.5], [1.5, 4.5, -4.5, -1.5, 2.5, 5.5, -3.5, 0.5], [-3.5, 0.5, 3.5, -5.5, -2.5, 1.5, 4.5, -4.5], [4.5, -4.5, -1.5, 2.5, 5.5, -3.5, 0.5, 3.5], [0.5, 3.5, -5.5, -2.5, 1.5, 4.5, -4.5, -1.5]]>
func.func @fc(%x: memref<8xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<8x8xf32>
  %rows = memref.alloc() : memref<8x8xf32>
  %t = memref.alloc() : memref<8xf32>
  memref.copy %w, %rows : memref<8x8xf32> to memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<8xf32>)
  linalg.matvec ins(%rows, %x : memref<8x8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
  linalg.matvec ins(%rows, %x : memref<8x8xf32>, memref<8xf32>) outs(%t : memref<8xf32>)
  linalg.exp ins(%t : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %eighth = arith.constant 0.125 : f32
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %number = arith.index_cast %i : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %eighth : f32
    memref.store %small, %x[%i] : memref<8xf32>
  }
  call @fc(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %y[%i] : memref<8xf32>
    vector.print %v : f32
  }
  return
}
