// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'

// What buffer-deallocation and then inline leave of a function that calls another one: the bit is that of the other one.
// The result may be the argument, so the function does not give an allocation on all paths, and its caller must not free
// the argument before the result is read.

func.func private @returns_argument(%a: memref<4xi64>, %n: index) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %value = arith.constant 11 : i64
  %true = arith.constant true
  %false = arith.constant false
  %bit = memref.alloca() : memref<i1>
  %more = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %more -> (memref<4xi64>) {
    %new = memref.alloc() : memref<4xi64>
    linalg.fill ins(%value : i64) outs(%new : memref<4xi64>)
    memref.store %false, %bit[] : memref<i1>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<4xi64>) {
      %owned = memref.load %bit[] : memref<i1>
      scf.if %owned {
        memref.dealloc %x {stowage.by_bit} : memref<4xi64>
      }
      %next = memref.alloc() : memref<4xi64>
      linalg.fill ins(%value : i64) outs(%next : memref<4xi64>)
      memref.store %true, %bit[] : memref<i1>
      scf.yield %next : memref<4xi64>
    }
    %owned = memref.load %bit[] : memref<i1>
    scf.if %owned {
      memref.dealloc %last {stowage.by_bit} : memref<4xi64>
    }
    %less = arith.subi %n, %c1 : index
    %given = func.call @returns_argument(%new, %less) : (memref<4xi64>, index) -> memref<4xi64>
    scf.yield %given : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  %first = memref.load %r[%c0] : memref<4xi64>
  vector.print %first : i64
  return %r : memref<4xi64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %value = arith.constant 7 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%value : i64) outs(%a : memref<4xi64>)
  %r = call @returns_argument(%a, %c2) : (memref<4xi64>, index) -> memref<4xi64>
  %s = call @returns_argument(%a, %c0) : (memref<4xi64>, index) -> memref<4xi64>
  %first = memref.load %r[%c0] : memref<4xi64>
  vector.print %first : i64
  %second = memref.load %s[%c0] : memref<4xi64>
  vector.print %second : i64
  return
}
