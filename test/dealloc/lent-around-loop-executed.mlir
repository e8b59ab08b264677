// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// A loop starts with two names of a buffer that outlives it. In each turn one of them gets the other's buffer,
// which is one that the loop made: its bit goes along, and nothing is cloned. The allocation that lends stands
// behind the loop in the text.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0
// IR-NOT: memref.copy

func.func private @around(%given: memref<2xi64>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  cf.br ^start
^turn(%a: memref<2xi64>, %b: memref<2xi64>, %i: index, %sum: i64):
  %new = memref.alloc() : memref<2xi64>
  %v = memref.load %a[%c0] : memref<2xi64>
  %w = memref.load %b[%c0] : memref<2xi64>
  %added = arith.addi %v, %w : i64
  %next = arith.addi %sum, %added : i64
  memref.store %next, %new[%c0] : memref<2xi64>
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^turn(%b, %new, %j, %next : memref<2xi64>, memref<2xi64>, index, i64), ^end(%next : i64)
^start:
  %lent = memref.alloc() : memref<2xi64>
  %first = memref.load %given[%c0] : memref<2xi64>
  memref.store %first, %lent[%c0] : memref<2xi64>
  cf.br ^turn(%lent, %lent, %c0, %zero : memref<2xi64>, memref<2xi64>, index, i64)
^end(%result: i64):
  return %result : i64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %three = arith.constant 3 : i64
  %given = memref.alloc() : memref<2xi64>
  memref.store %three, %given[%c0] : memref<2xi64>
  %sum = func.call @around(%given, %c5) : (memref<2xi64>, index) -> i64
  vector.print %sum : i64
  return
}
