// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --buffer-reuse | FileCheck %s

// The first module asks for a trait before the dialect of the second one, whose ops have it, is loaded.
// The second must be seen to have it all the same: its iterations may run at once, and own their arena.

func.func @first(%z: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xi64>
  memref.store %z, %a[%c0] : memref<8xi64>
  memref.dealloc %a : memref<8xi64>
  affine.parallel (%i) = (0) to (8) {
  }
  return %z : i64
}

// -----

// CHECK-LABEL: @second
// CHECK: scf.parallel
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64xi8>
func.func @second(%z: i64, %o: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<8xi64>
    memref.store %z, %a[%i] : memref<8xi64>
    memref.dealloc %a : memref<8xi64>
    %b = memref.alloc() : memref<8xi64>
    memref.store %z, %b[%i] : memref<8xi64>
    %x = memref.load %b[%i] : memref<8xi64>
    memref.dealloc %b : memref<8xi64>
    memref.store %x, %o[%i] : memref<8xi64>
  }
  return
}
