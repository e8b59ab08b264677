// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The caller's bytes are aligned as bytes are: the vectors that the buffer holds stay in memory of their own.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{lend-arguments},buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --elide-copies=lend-arguments --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// CHECK: equal
// WHY: Function=f | Reason=alignment

func.func @f(%x: memref<4xvector<4xf32>>, %out: memref<64xi8> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %v = memref.view %b[%c0][] : memref<64xi8> to memref<4xvector<4xf32>>
  scf.for %i = %c0 to %c4 step %c1 {
    %e = memref.load %x[%i] : memref<4xvector<4xf32>>
    %d = arith.addf %e, %e : vector<4xf32>
    memref.store %d, %v[%i] : memref<4xvector<4xf32>>
  }
  memref.copy %b, %out : memref<64xi8> to memref<64xi8>
  memref.dealloc %b : memref<64xi8>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant dense<1.5> : vector<4xf32>
  %x = memref.alloc() {alignment = 64 : i64} : memref<4xvector<4xf32>>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %one, %x[%i] : memref<4xvector<4xf32>>
  }
  %buf = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %o = memref.view %buf[%c1][] : memref<128xi8> to memref<64xi8>
  func.call @f(%x, %o) : (memref<4xvector<4xf32>>, memref<64xi8>) -> ()
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %o[%i] : memref<64xi8>
    vector.print %v : i8
  }
  memref.dealloc %buf : memref<128xi8>
  memref.dealloc %x : memref<4xvector<4xf32>>
  return
}
