// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic | FileCheck %s

// Sizes in a branch and in a loop are made by divisions, with a divisor that is 0 where neither runs: they stay behind the
// question.

// CHECK: {{^}}16{{$}}
// CHECK-NEXT: {{^}}24{{$}}
// CHECK-NEXT: {{^}}24{{$}}
// CHECK-NEXT: {{^}}24{{$}}
// CHECK-NEXT: {{^}}8{{$}}
// CHECK-NEXT: {{^}}8{{$}}

func.func @run(%n: index, %m: index, %bit: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eight = arith.constant 8 : i8
  scf.if %bit {
    %rest = arith.remsi %n, %m : index
    %a = memref.alloc(%rest) : memref<?xi8>
    linalg.fill ins(%eight : i8) outs(%a : memref<?xi8>)
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    vector.print %x : i64
  }
  scf.for %i = %c0 to %m step %c1 {
    %part = arith.floordivsi %n, %m : index
    %more = arith.addi %part, %c1 : index
    %a = memref.alloc(%more) : memref<?xi8>
    linalg.fill ins(%eight : i8) outs(%a : memref<?xi8>)
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    vector.print %x : i64
  }
  %b = memref.alloc(%c1) : memref<?xi8>
  linalg.fill ins(%eight : i8) outs(%b : memref<?xi8>)
  %y = func.call @sum(%b) : (memref<?xi8>) -> i64
  memref.dealloc %b : memref<?xi8>
  vector.print %y : i64
  return
}

func.func @sum(%a: memref<?xi8>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %end = memref.dim %a, %c0 : memref<?xi8>
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %a[%i] : memref<?xi8>
    %w = arith.extui %v : i8 to i64
    %t = arith.addi %s, %w : i64
    scf.yield %t : i64
  }
  return %sum : i64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %yes = arith.constant true
  %no = arith.constant false
  func.call @run(%c8, %c3, %yes) : (index, index, i1) -> ()
  func.call @run(%c8, %c0, %no) : (index, index, i1) -> ()
  return
}
