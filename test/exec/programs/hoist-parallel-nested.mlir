// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves --hoist | FileCheck %s

// Two parallel loops in a third.

// CHECK: {{^}}34{{$}}

func.func @main() {
  call @nested() : () -> ()
  return
}

// The inner loops' slices become a buffer of the outer loop's.
func.func @nested() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %out = memref.alloc() : memref<64xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<64xi64>)
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.alloc() : memref<8xi64>
    %k = arith.index_cast %i : index to i64
    linalg.fill ins(%k : i64) outs(%a : memref<8xi64>)
    %sums = memref.alloc() : memref<3xi64>
    scf.forall (%j) in (3) {
      %t = memref.alloc() : memref<8xi64>
      linalg.fill ins(%one : i64) outs(%t : memref<8xi64>)
      %v = memref.load %t[%j] : memref<8xi64>
      memref.dealloc %t : memref<8xi64>
      %l = memref.load %a[%j] : memref<8xi64>
      %s = arith.addi %l, %v : i64
      memref.store %s, %sums[%j] : memref<3xi64>
    }
    %more = memref.alloc() : memref<8xi64>
    scf.parallel (%j) = (%c0) to (%c2) step (%c1) {
      %t = memref.alloc() : memref<8xi64>
      linalg.fill ins(%one : i64) outs(%t : memref<8xi64>)
      %v = memref.load %t[%j] : memref<8xi64>
      memref.dealloc %t : memref<8xi64>
      memref.store %v, %more[%j] : memref<8xi64>
      scf.reduce
    }
    %x = memref.load %sums[%c0] : memref<3xi64>
    %y = memref.load %sums[%c1] : memref<3xi64>
    %z = memref.load %sums[%c2] : memref<3xi64>
    %m = memref.load %more[%c1] : memref<8xi64>
    memref.dealloc %more : memref<8xi64>
    memref.dealloc %sums : memref<3xi64>
    memref.dealloc %a : memref<8xi64>
    %s = arith.addi %x, %y : i64
    %s2 = arith.addi %s, %z : i64
    %s3 = arith.addi %s2, %m : i64
    %s4 = arith.muli %s3, %one : i64
    memref.store %s4, %out[%i] : memref<64xi64>
    scf.reduce
  }
  call @show_sum(%out) : (memref<64xi64>) -> ()
  memref.dealloc %out : memref<64xi64>
  return
}

func.func private @show_sum(%m: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %m[%i] : memref<64xi64>
    %n = arith.addi %s, %v : i64
    scf.yield %n : i64
  }
  call @printI64(%sum) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
func.func private @printI64(i64)
func.func private @printNewline()
